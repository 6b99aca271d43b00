/* SPDX-License-Identifier: BSD-3-Clause */
/* Interning: equal contents, equal ids; readable while growing; hostile ids. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

Test(intern, gives_equal_strings_equal_ids)
{
	struct rig rig;
	uint32_t a, b, c, n;

	rig_open(&rig, 0, true);
	a = tw_intern_string(rig.view.arena, "hello", 5);
	b = tw_intern_string(rig.view.arena, "hello", 5);
	c = tw_intern_string(rig.view.arena, "hello!", 6);
	cr_assert_neq(a, 0);
	cr_assert_eq(a, b);
	cr_assert_neq(a, c);
	cr_assert_str_eq(tw_string_get(rig.view.arena, a, &n), "hello");
	cr_assert_eq(n, 5);
}

Test(intern, keeps_nul_bytes_and_cuts_only_what_is_too_long)
{
	static char text[TW_STRING_MAX + 10];
	struct rig rig;
	uint32_t n;

	rig_open(&rig, 0, true);
	cr_assert_eq(tw_intern_string(rig.view.arena, "", 0), 0);
	memset(text, 'x', sizeof(text));
	cr_assert_not_null(tw_string_get(
		rig.view.arena, tw_intern_string(rig.view.arena, text, sizeof(text)),
		&n));
	cr_assert_eq(n, TW_STRING_MAX);
	cr_assert_arr_eq(tw_string_get(rig.view.arena,
				       tw_intern_string(rig.view.arena, "a\0b", 3), &n),
			 "a\0b", 3);
	cr_assert_eq(n, 3);
}

Test(intern, tells_locations_apart_by_every_field)
{
	struct rig rig;
	struct tw_location base = {.name = 1, .function = 2, .file = 3, .line = 4};
	struct tw_location other = base;
	uint32_t id;

	rig_open(&rig, 0, true);
	id = tw_intern_location(rig.view.arena, &base);
	cr_assert_gt(id, TW_LOCATION_OVERFLOW);
	cr_assert_eq(tw_intern_location(rig.view.arena, &base), id);
	other.line++;
	cr_assert_neq(tw_intern_location(rig.view.arena, &other), id);
	other = base;
	other.layer = TW_LAYER_NATIVE;
	cr_assert_neq(tw_intern_location(rig.view.arena, &other), id);
	other = base;
	other.colour = 0xff0000;
	cr_assert_neq(tw_intern_location(rig.view.arena, &other), id);
}

Test(intern, holds_100000_locations)
{
	struct rig rig;
	uint32_t last = 0;

	rig_open(&rig, 0, true);
	for (unsigned i = 0; i < 100000; i++) {
		struct tw_location l = {.line = i};
		char name[32];
		uint32_t id;

		snprintf(name, sizeof(name), "function_number_%u", i);
		l.function = tw_intern_string(rig.view.arena, name, strlen(name));
		id = tw_intern_location(rig.view.arena, &l);
		cr_assert_gt(id, last, "each is new");
		last = id;
	}
	cr_assert_eq(atomic_load(&rig.view.arena->names_lost), 0);
}

Test(intern, a_full_table_folds_and_counts_and_old_ids_stay)
{
	struct rig rig;
	struct tw_location first = {.line = 1000000};
	uint32_t id;
	unsigned n_folded = 0;

	rig_open(&rig, 0, true);
	id = tw_intern_location(rig.view.arena, &first);
	for (uint32_t i = 0; i < rig.view.arena->locations_n + 10; i++) {
		struct tw_location l = {.line = i};

		n_folded +=
			tw_intern_location(rig.view.arena, &l) == TW_LOCATION_OVERFLOW;
	}
	cr_assert_geq(n_folded, 10);
	cr_assert_geq(atomic_load(&rig.view.arena->names_lost), n_folded);
	cr_assert_eq(tw_intern_location(rig.view.arena, &first), id);
	cr_assert_not_null(tw_location_get(rig.view.arena, TW_LOCATION_OVERFLOW));
}

Test(intern, a_full_string_table_gives_no_id_and_harms_nothing)
{
	static char big[60000];
	struct rig rig;
	uint32_t kept, n;
	unsigned n_failed = 0;

	rig_open(&rig, 0, true);
	kept = tw_intern_string(rig.view.arena, "kept", 4);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(big, sizeof(big), "%u", i);
		n_failed += tw_intern_string(rig.view.arena, big, sizeof(big)) == 0;
	}
	cr_assert_gt(n_failed, 0);
	cr_assert_eq(atomic_load(&rig.view.arena->names_lost), n_failed);
	cr_assert_str_eq(tw_string_get(rig.view.arena, kept, &n), "kept");
}

Test(intern, refuses_ids_that_are_nobodys)
{
	struct rig rig;
	uint32_t n;
	static const uint32_t hostile[] = {0, 5000, 0x7fffffff, 0xffffffff, 4194303};

	rig_open(&rig, 0, true);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		cr_assert_null(tw_string_get(rig.view.arena, hostile[i], &n));
		cr_assert_null(tw_location_get(rig.view.arena, hostile[i]));
	}
}

struct crowd {
	struct tw_arena *arena;
	uint32_t ids[2000];
};

static void *intern_many(void *argument)
{
	struct crowd *c = argument;

	for (unsigned i = 0; i < 2000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "shared_%u", i);
		c->ids[i] = tw_intern_string(c->arena, name, strlen(name));
	}
	return NULL;
}

Test(intern, threads_that_intern_the_same_agree)
{
	static struct crowd crowds[8];
	pthread_t threads[8];
	struct rig rig;

	rig_open(&rig, 0, true);
	for (int i = 0; i < 8; i++) {
		crowds[i].arena = rig.view.arena;
		pthread_create(&threads[i], NULL, intern_many, &crowds[i]);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 8; i++)
		cr_assert_arr_eq(crowds[0].ids, crowds[i].ids, sizeof(crowds[0].ids));
	for (unsigned k = 0; k < 2000; k++)
		cr_assert_neq(crowds[0].ids[k], 0);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The arena: slots and units shared out, joining from outside, notes. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

Test(arena, slots_are_reused_after_they_were_freed)
{
	struct rig rig;
	int a, b;

	rig_open(&rig, 0, true);
	a = tw_arena_claim_thread(rig.view.arena);
	b = tw_arena_claim_thread(rig.view.arena);
	cr_assert_neq(a, b);
	tw_arena_free_thread(rig.view.arena, (uint32_t)a);
	cr_assert_eq(tw_arena_claim_thread(rig.view.arena), a);
}

Test(arena, says_when_all_slots_are_taken)
{
	struct rig rig;
	unsigned n = 0;

	rig_open(&rig, 0, true);
	while (tw_arena_claim_thread(rig.view.arena) >= 0)
		n++;
	cr_assert_eq(n, TW_THREADS_MAX);
	tw_arena_free_thread(rig.view.arena, 77);
	cr_assert_eq(tw_arena_claim_thread(rig.view.arena), 77);
	cr_assert_eq(tw_arena_claim_thread(rig.view.arena), -1);
}

static _Atomic uint8_t owners[TW_THREADS_MAX];

static void *claim_and_free(void *argument)
{
	struct tw_arena *arena = argument;

	for (int i = 0; i < 20000; i++) {
		int slot = tw_arena_claim_thread(arena);

		if (slot < 0 || atomic_fetch_add(&owners[slot], 1) != 0)
			return (void *)1;
		atomic_fetch_sub(&owners[slot], 1);
		tw_arena_free_thread(arena, (uint32_t)slot);
	}
	return NULL;
}

Test(arena, a_slot_never_has_two_owners)
{
	pthread_t threads[4];
	struct rig rig;
	void *result;

	rig_open(&rig, 0, true);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, claim_and_free, rig.view.arena);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		cr_assert_null(result);
	}
}

Test(arena, rings_get_smaller_when_memory_gets_short_and_never_overlap)
{
	static uint8_t used[TW_UNITS_MAX];
	struct rig rig;
	uint32_t n = 0, last = 16, total = 0;
	int first;

	rig_open(&rig, 16u << 20, true);
	while ((first = tw_arena_claim_units(&rig.view, &n)) >= 0) {
		cr_assert_leq(n, last);
		last = n;
		for (uint32_t i = 0; i < n; i++)
			cr_assert_eq(used[(uint32_t)first + i]++, 0);
		total += n;
	}
	cr_assert_eq(total, rig.view.arena->n_units, "all of it is given out");
	cr_assert_eq(last, 1);
	tw_arena_free_units(rig.view.arena, 5, 1);
	cr_assert_eq(tw_arena_claim_units(&rig.view, &n), 5);
}

Test(arena, another_process_joins_by_path)
{
	struct tw_config config;
	struct tw_view mine, other;
	char path[256];
	int fd, status, pid;

	tw_config_init(&config);
	cr_assert_eq(tw_arena_create(&mine, &config, &fd, path, sizeof(path)), 0);
	pid = fork();
	if (pid == 0) {
		if (tw_arena_join(&other, path) || other.arena == mine.arena)
			_exit(1);
		tw_intern_string(other.arena, "from the child", 14);
		_exit(other.n_units != mine.n_units);
	}
	waitpid(pid, &status, 0);
	cr_assert_eq(status, 0);
	/* The same string is found here: the tables are shared. */
	uint32_t before = atomic_load(&mine.arena->strings_used);
	cr_assert_neq(tw_intern_string(mine.arena, "from the child", 14), 0);
	cr_assert_eq(atomic_load(&mine.arena->strings_used), before);
}

Test(arena, joining_with_little_address_space_sees_fewer_rings)
{
	struct tw_config config;
	struct tw_view mine;
	char path[256];
	int fd, status, pid;

	tw_config_init(&config);
	cr_assert_eq(tw_arena_create(&mine, &config, &fd, path, sizeof(path)), 0);
	pid = fork();
	if (pid == 0) {
		struct tw_view small;
		uint32_t all = mine.n_units;
		struct rlimit limit;
		FILE *f = fopen("/proc/self/statm", "r");
		unsigned long pages = 0;

		tw_view_unmap(&mine);
		if (!f || fscanf(f, "%lu", &pages) != 1)
			_exit(9);
		limit.rlim_cur = limit.rlim_max = pages * 4096 + (100ul << 20);
		setrlimit(RLIMIT_AS, &limit);
		if (tw_arena_join(&small, path))
			_exit(1);
		_exit(small.n_units == 0 || small.n_units >= all);
	}
	waitpid(pid, &status, 0);
	cr_assert_eq(status, 0);
}

Test(arena, refuses_what_is_not_an_arena)
{
	struct tw_view view;
	char path[] = "/tmp/tw-unit-arena-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_eq(tw_arena_join(&view, "/nowhere/at/all"), -ENOENT);
	cr_assert_eq(ftruncate(fd, 1 << 20), 0);
	cr_assert_eq(tw_arena_join(&view, path), -EPROTO);
	unlink(path);
}

Test(arena, equal_notes_are_counted_once_more)
{
	struct rig rig;

	rig_open(&rig, 0, true);
	for (int i = 0; i < 3; i++)
		tw_arena_note(rig.view.arena, "not followed: x", 15);
	tw_arena_note(rig.view.arena, "not followed: y", 15);
	cr_assert_eq(atomic_load(&rig.view.arena->notes[0].count), 3);
	cr_assert_eq(atomic_load(&rig.view.arena->notes[1].count), 1);
	cr_assert_eq(atomic_load(&rig.view.arena->notes[2].count), 0);
}

Test(arena, a_forks_child_keeps_names_and_gets_empty_slots)
{
	struct rig rig;
	struct tw_producer p;
	uint32_t id;
	int status, pid;

	rig_open(&rig, 1u << 20, true);
	rig_thread(&rig, &p);
	id = tw_intern_string(rig.view.arena, "kept", 4);
	rig_begin(&p, 1);
	pid = fork();
	if (pid == 0) {
		bool is_wiped;

		tw_arena_reset_after_fork(&rig.view);
		is_wiped = atomic_load(&p.slots[0].ticks) == 0 &&
			   atomic_load(&tw_arena_thread(rig.view.arena, 0)->state) ==
				   TW_SLOT_FREE;
		_exit(!is_wiped || tw_intern_string(rig.view.arena, "kept", 4) != id ||
		      tw_arena_claim_thread(rig.view.arena) != 0);
	}
	waitpid(pid, &status, 0);
	cr_assert_eq(status, 0);
	cr_assert_neq(atomic_load(&p.slots[0].ticks), 0,
		      "the parent's ring is untouched");
}

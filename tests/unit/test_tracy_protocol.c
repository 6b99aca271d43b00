/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol tables against numbers that were written down apart from them. */
#include <criterion/criterion.h>
#include <string.h>

#include "tracy/protocol.h"
#include "tracy_numbers.h"

#define N_ROWS (sizeof(tracy_numbers) / sizeof(tracy_numbers[0]))

static int item_of(const char *name)
{
	for (int i = 0; i < TW_TRACY_ITEM_COUNT; i++)
		if (strcmp(tw_tracy_item_names[i], name) == 0)
			return i;
	cr_assert_fail("no item %s", name);
	return -1;
}

static unsigned bytes_of(size_t row, unsigned version)
{
	unsigned bytes = tracy_numbers[row].bytes;

	for (size_t i = 0; i < sizeof(tracy_changes) / sizeof(tracy_changes[0]); i++)
		if (strcmp(tracy_changes[i].name, tracy_numbers[row].name) == 0 &&
		    version >= tracy_changes[i].from)
			bytes = tracy_changes[i].bytes;
	return bytes;
}

Test(tracy_protocol, every_item_has_the_measured_number_and_size)
{
	cr_assert_eq(N_ROWS, TW_TRACY_ITEM_COUNT);
	for (size_t v = 0; v < TRACY_VERSIONS; v++) {
		const struct tw_tracy_protocol *p =
			tw_tracy_protocol_find(tracy_versions[v], false);

		cr_assert_not_null(p);
		cr_assert_eq(p->number, tracy_versions[v]);
		cr_assert_not(p->is_fork);
		for (size_t i = 0; i < N_ROWS; i++) {
			const struct tw_tracy_form *form =
				&p->items[item_of(tracy_numbers[i].name)];
			int number = tracy_numbers[i].numbers[v];

			cr_assert_eq(form->bytes,
				     number < 0 ? 0 : bytes_of(i, p->number), "%u %s",
				     p->number, tracy_numbers[i].name);
			cr_assert(number < 0 || form->number == number, "%u %s",
				  p->number, tracy_numbers[i].name);
		}
	}
}

Test(tracy_protocol, numbers_of_a_version_have_no_holes)
{
	for (size_t v = 0; v < tw_tracy_n_protocols; v++) {
		const struct tw_tracy_protocol *p = tw_tracy_protocols[v];
		unsigned n_items = 0, n_seen = 0;
		bool is_seen[256] = {false};

		for (int i = 0; i < TW_TRACY_ITEM_COUNT; i++) {
			n_items += p->items[i].bytes != 0;
			if (p->items[i].bytes && !is_seen[p->items[i].number]) {
				is_seen[p->items[i].number] = true;
				n_seen++;
			}
		}
		cr_assert_eq(n_seen, n_items, "%s", p->name);
		for (unsigned i = 0; i < n_items; i++)
			cr_assert(is_seen[i], "%s: %u", p->name, i);
	}
}

Test(tracy_protocol, the_fork_differs_in_its_gpu_items_alone)
{
	static const unsigned numbers[] = {66, 76};

	for (size_t v = 0; v < 2; v++) {
		const struct tw_tracy_protocol *up =
			tw_tracy_protocol_find(numbers[v], false);
		const struct tw_tracy_protocol *tt =
			tw_tracy_protocol_find(numbers[v], true);
		unsigned n_wider = 0;

		cr_assert(tt->is_fork && tt->number == up->number);
		cr_assert_eq(tt->gpu_context_bytes, 2);
		cr_assert_eq(memcmp(tt->queries, up->queries, sizeof(tt->queries)), 0);
		for (int i = 0; i < TW_TRACY_ITEM_COUNT; i++) {
			cr_assert_eq(tt->items[i].number, up->items[i].number);
			if (tt->items[i].bytes == up->items[i].bytes)
				continue;
			cr_assert_eq(tt->items[i].bytes, up->items[i].bytes + 1);
			cr_assert_eq(strncmp(tw_tracy_item_names[i], "Gpu", 3), 0);
			n_wider++;
		}
		/* 10 zone items, new context, time, calibration, sync, name. */
		cr_assert_eq(n_wider, 15);
	}
}

Test(tracy_protocol, welcome_and_flags_follow_the_version)
{
	for (size_t v = 0; v < tw_tracy_n_protocols; v++) {
		const struct tw_tracy_protocol *p = tw_tracy_protocols[v];

		cr_assert_eq(p->welcome_bytes, p->number <= 74 ? 1178 : 1170);
		cr_assert_eq(p->has_delay, p->number <= 74);
		cr_assert_eq(p->has_short_zones, p->number >= 78);
		cr_assert_eq(p->has_short_strings, p->number >= 80);
		cr_assert_eq(p->has_message_metadata, p->number >= 77);
		cr_assert_eq(tw_tracy_has(p, TW_TRACY_THREAD_GROUP_HINT),
			     p->number >= 67);
		cr_assert(*p->name && *p->releases);
	}
	cr_assert_eq(tw_tracy_protocol_newest()->number, 82);
}

Test(tracy_protocol, query_numbers_moved_at_66)
{
	for (size_t v = 0; v < tw_tracy_n_protocols; v++) {
		const struct tw_tracy_protocol *p = tw_tracy_protocols[v];
		bool is_old = p->number < 66;

		cr_assert_eq(tw_tracy_query_of(p, 0), TW_TRACY_QUERY_TERMINATE);
		cr_assert_eq(tw_tracy_query_of(p, 3), TW_TRACY_QUERY_SOURCE_LOCATION);
		cr_assert_eq(tw_tracy_query_of(p, 7), TW_TRACY_QUERY_FIBER_NAME);
		cr_assert_eq(tw_tracy_query_of(p, 8),
			     is_old ? TW_TRACY_QUERY_DISCONNECT
				    : TW_TRACY_QUERY_EXTERNAL_NAME);
		cr_assert_eq(tw_tracy_query_of(p, 9),
			     is_old ? TW_TRACY_QUERY_CALLSTACK_FRAME
				    : TW_TRACY_QUERY_DISCONNECT);
		cr_assert_eq(tw_tracy_query_of(p, 10),
			     is_old ? TW_TRACY_QUERY_EXTERNAL_NAME
				    : TW_TRACY_QUERY_CALLSTACK_FRAME);
		cr_assert_eq(tw_tracy_query_of(p, 15),
			     TW_TRACY_QUERY_DATA_TRANSFER_PART);
		cr_assert_eq(tw_tracy_query_of(p, 16), -1);
		cr_assert_eq(tw_tracy_query_of(p, 255), -1);
	}
}

Test(tracy_protocol, a_number_that_nobody_knows_is_not_guessed)
{
	static const uint32_t unknown[] = {0, 57, 62, 67, 73, 75, 81, 83, UINT32_MAX};

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		cr_assert_null(tw_tracy_protocol_find(unknown[i], true));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline: clocks, names, processes, and records that make no sense.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "walk_seen.h"

TestSuite(timeline, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);

Test(timeline, reads_processes_threads_and_session)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	struct tw_process *process;

	put_prelude(&file, 1000);
	put_process(&p, 2, 200, 100, 3000, 1, "child", "child\0a b\0", 10);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 2, 8000, TW_END_EXITED, 3);
	PUT_NUMBERS(&p, TW_META_LOST, 1, TW_LOSS_RING_FULL, 10);
	PUT_NUMBERS(&p, TW_META_LOST, 1, TW_LOSS_RING_FULL, 5);
	PUT_NUMBERS(&p, TW_META_LOST, 0, TW_LOSS_DISK, 100);
	PUT_NUMBERS(&p, TW_META_LOST, 1, TW_LOSS_TEXT_CUT, 7);
	PUT_NUMBERS(&p, TW_META_LOST, 1, 77, 1);
	PUT_NUMBERS(&p, TW_META_STALL, 1, 5000, 2);
	PUT_NUMBERS(&p, TW_META_STALL, 1, 500, 1);
	put_note(&p, "something to know");
	PUT_NUMBERS(&p, 4000, 1, 2, 3); /* a tag of the future */
	put_meta_block(&file, &p);
	t = open_file(&file);
	cr_assert_eq(t->n_processes, 2);
	process = tw_table_get(&t->processes, 2);
	cr_assert_eq(process->pid, 200);
	cr_assert_eq(process->ppid, 100);
	cr_assert_eq(process->parent, 1);
	cr_assert_eq(process->start_ns, 2000);
	cr_assert_eq(process->end_ns, 7000);
	cr_assert_eq(process->code, 3);
	cr_assert_eq(process->command.n_bytes, 10);
	cr_assert_eq(t->lost[TW_LOSS_RING_FULL], 15);
	cr_assert_eq(t->lost[TW_LOSS_COUNT], 1, "a reason of the future");
	cr_assert_eq(t->n_lost, 116, "cut texts are not lost events");
	cr_assert_eq(((struct tw_thread *)tw_table_get(&t->threads, 1))->n_lost, 16);
	cr_assert_eq(t->n_stalls, 3);
	cr_assert_eq(t->stall_ns, 5500);
	cr_assert_eq(t->n_notes, 1);
	cr_assert_str_eq(t->notes[0].text, "something to know");
	cr_assert_eq(t->n_session, 1);
	cr_assert_str_eq(t->session[0].value.text, "1.2.3");
	cr_assert_eq(t->n_bad_records, 0);
	cr_assert_not(t->is_complete);
	cr_assert_eq(t->start_wall_ns, 1700000000000000000);
	tw_timeline_close(t);
}

/* A file with these CLOCK records and one zone of 600 ticks at 1000. */
static struct tw_timeline *with_clocks(unsigned n, const uint64_t (*anchors)[4])
{
	struct bytes file = {0};
	struct payload p = {0};

	put_file_header(&file, 1, 0);
	for (unsigned i = 0; i < n; i++)
		put_numbers(&p, TW_META_CLOCK, 4, anchors[i]);
	PUT_NUMBERS(&p, TW_META_THREAD, 1, 0, 1, 0, 0);
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_end(&p, 600);
	put_events_block(&file, &p, 1);
	return open_file(&file);
}

Test(timeline, converts_ticks_by_the_line_through_the_outer_anchors)
{
	/* 3 ticks a nanosecond; the anchor in the middle is a little off. */
	static const uint64_t anchors[][4] = {
		{700, 171, 5100, 0}, {3400, 1070, 6000, 0}, {400, 70, 5000, 0}};
	struct tw_timeline *t = with_clocks(3, anchors);

	walk(t);
	expect_zone(0, 1, 200, 200, 200, 0);
	cr_assert_not(t->clock.is_assumed);
	cr_assert_eq(t->start_wall_ns, 5000);
	cr_assert_eq(t->end_ns, 1000);
	tw_timeline_close(t);
}

Test(timeline, assumes_a_rate_for_a_single_anchor_and_says_so)
{
	static const uint64_t anchors[][4] = {{400, 70, 5000, 0}};
	struct tw_timeline *t = with_clocks(1, anchors);

	walk(t);
	expect_zone(0, 1, 600, 600, 600, 0);
	cr_assert(t->clock.is_assumed);
	tw_timeline_close(t);
}

Test(timeline, needs_no_rate_when_ticks_are_nanoseconds)
{
	static const uint64_t anchors[][4] = {{400, 70, 5000, 1}};
	struct tw_timeline *t = with_clocks(1, anchors);

	walk(t);
	expect_zone(0, 1, 600, 600, 600, 0);
	cr_assert_not(t->clock.is_assumed);
	tw_timeline_close(t);
}

Test(timeline, starts_at_the_first_event_when_there_is_no_clock)
{
	struct tw_timeline *t = with_clocks(0, NULL);

	walk(t);
	expect_zone(0, 1, 0, 600, 600, 0);
	cr_assert(t->clock.is_assumed);
	cr_assert_eq(t->start_wall_ns, 1700000000000000000, "from the file header");
	tw_timeline_close(t);
}

Test(timeline, survives_clocks_that_cannot_be)
{
	static const uint64_t anchors[][2][4] = {
		{{400, 70, 1, 0}, {400, 90, 1, 0}},		 /* no time passes */
		{{400, 70, 1, 0}, {800, 70, 1, 0}},		 /* no ns pass */
		{{400, 90, 1, 0}, {800, 70, 1, 0}},		 /* it runs back */
		{{400, 0, 1, 0}, {401, UINT64_MAX, 1, 0}},	 /* it races */
		{{1, 0, 0, 0}, {UINT64_MAX, 1, UINT64_MAX, 99}}, /* it creeps */
		{{0, 0, 0, 0}, {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0}}, /* zero */
	};

	for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
		struct tw_timeline *t = with_clocks(2, anchors[i]);

		walk(t);
		cr_assert_eq(seen.n_zones, 1, "row %zu", i);
		cr_assert_leq(seen.zones[0].begin_ns, (uint64_t)INT64_MAX);
		cr_assert_leq(seen.zones[0].duration_ns, (uint64_t)INT64_MAX);
		tw_timeline_close(t);
	}
}

Test(timeline, never_lets_time_run_back_or_over)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 5000, 0);
	put_begin(&p, 0, 1);
	put_events_block(&file, &p, 1);
	put_start(&p, 2000, 1); /* an earlier base */
	put_end(&p, 0);
	put_begin(&p, 0, 1);
	put_events_block(&file, &p, 1);
	put_start(&p, UINT64_MAX - 5, 1);
	put_end(&p, UINT64_MAX >> 1); /* beyond the last tick */
	put_begin(&p, UINT64_MAX >> 1, 1);
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 3);
	expect_zone(0, 1, 4000, 0, 0, 0);
	expect_zone(1, 1, 4000, INT64_MAX - 4000, INT64_MAX - 4000, 0);
	expect_zone(2, 1, INT64_MAX, 0, 0, 0);
	tw_timeline_close(t);
}

Test(timeline, names_places_and_stands_in_for_missing_ones)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_LOCATION, 10, 777, 0, 778, 1, 0,
		    2); /* unknown strings */
	PUT_NUMBERS(&p, TW_META_LOCATION, 11, 0, 0, 0, 0, 0, 99);
	put_string(&p, 20, "_ZN3foo3barEi");
	PUT_NUMBERS(&p, TW_META_LOCATION, 12, 20, 0, 0, 0, 0, 2);
	put_meta_block(&file, &p);
	t = open_file(&file);
	cr_assert_str_eq(tw_timeline_place(t, 1)->name.text, "alpha");
	cr_assert_str_eq(tw_timeline_place(t, 1)->file.text, "a.c");
	cr_assert_str_eq(tw_timeline_place(t, 3)->name.text, "gamma", "its function's");
	cr_assert_str_eq(tw_timeline_place(t, 10)->name.text, "(unknown name)");
	cr_assert_str_eq(tw_timeline_place(t, 11)->name.text, "(unnamed)");
	cr_assert_str_eq(tw_timeline_place(t, 12)->name.text, "foo::bar(int)");
	cr_assert_str_eq(tw_timeline_place(t, 13)->name.text, "(unknown location)");
	cr_assert_str_eq(tw_timeline_place(t, UINT32_MAX)->name.text,
			 "(unknown location)");
	cr_assert_str_eq(tw_layer_word(99), "unknown");
	tw_timeline_close(t);
}

Test(timeline, counts_records_that_make_no_sense)
{
	static const uint64_t wild[] = {0, 1u << 22, UINT32_MAX, 1ull << 32,
					UINT64_MAX};
	struct bytes file = {0}, body = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	uint64_t n = 0;

	put_prelude(&file, 1000);
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		put_string(&p, wild[i], "wild");
		PUT_NUMBERS(&p, TW_META_LOCATION, wild[i], 1, 1, 1, 1, 1, 1);
		put_process(&p, wild[i], 1, 1, 1, 1, "p", "c", 1);
		PUT_NUMBERS(&p, TW_META_PROCESS_END, wild[i], 1, 1, 1);
		PUT_NUMBERS(&p, TW_META_THREAD, wild[i], 1, 1, 1, 1);
		put_thread_name(&p, wild[i], "wild");
		PUT_NUMBERS(&p, TW_META_THREAD_END, wild[i], 1);
		PUT_NUMBERS(&p, TW_META_STALL, wild[i], 1, 1);
		n += 8;
	}
	PUT_NUMBERS(&p, TW_META_THREAD, 5, UINT64_MAX, 1, 1, 1); /* wild process */
	PUT_NUMBERS(&p, TW_META_LOST, UINT64_MAX, 0, 1);
	PUT_NUMBERS(&p, TW_META_CLOCK, 1, 2); /* cut */
	PUT_NUMBERS(&p, TW_META_FINISH);
	PUT_NUMBERS(&p, TW_META_GATE, 1);
	PUT_NUMBERS(&p, TW_META_LOCATION, 6, UINT64_MAX, 1, 1, 1, 1, 1);
	n += 6;
	put_varint(&body, 7); /* a string that claims more bytes than there are */
	put_varint(&body, 1000);
	put_bytes(&body, "abc", 3);
	put_meta(&p, TW_META_STRING, &body);
	n++;
	for (int i = 0; i < 11; i++) /* a tag that never ends */
		put_bytes(&p.bytes, "\xff", 1);
	n++;
	put_meta_block(&file, &p);
	t = open_file(&file);
	cr_assert_eq(t->n_bad_records, n, "%lu counted, %lu made", t->n_bad_records, n);
	cr_assert_eq(t->n_processes, 1);
	cr_assert_eq(t->n_threads, 1);
	cr_assert_not(t->is_complete);
	tw_timeline_close(t);
}

Test(timeline, keeps_a_bounded_number_of_notes_and_settings)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	for (int i = 0; i < 3000; i++) {
		put_note(&p, "again");
		put_session(&p, "key", "value");
	}
	put_meta_block(&file, &p);
	t = open_file(&file);
	cr_assert_eq(t->n_notes, 3000);
	cr_assert_eq(t->n_session, TW_SESSION_KEPT);
	tw_timeline_close(t);
}

Test(timeline, guesses_a_thread_whose_record_is_missing)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_end(&p, 5);
	put_events_block(&file, &p, 44);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 1);
	cr_assert(seen.zones[0].thread->is_guessed);
	cr_assert_eq(seen.zones[0].thread->process, &t->unknown_process);
	cr_assert_eq(t->unknown_process.n_threads, 1);
	tw_timeline_close(t);
}

Test(timeline, survives_events_that_make_no_sense)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	/* blocks of threads that cannot be */
	for (int i = 0; i < 3; i++) {
		put_start(&p, 1000, 0);
		put_begin(&p, 0, 1);
		put_events_block(&file, &p,
				 i == 0	  ? 0
				 : i == 1 ? 1u << 22
					  : UINT32_MAX);
	}
	/* a payload that is too short */
	put_bytes(&p.bytes, "\1\2\3", 3);
	put_events_block(&file, &p, 1);
	/* a depth that never ends; then a depth that cannot be */
	put_bytes(&p.bytes,
		  "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 19);
	put_events_block(&file, &p, 1);
	put_start(&p, 1000, UINT64_MAX);
	put_begin(&p, 1, UINT64_MAX); /* a location that cannot be */
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	/* kinds of the future, payloads of the wrong size */
	put_start(&p, 2000, 0);
	put_event(&p, 1, 200, 5, "payload", 7);
	put_event(&p, 1, TW_EVENT_PLOT, 1, "abc", 3);
	put_begin(&p, 1, 1);
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, "abc", 3);
	put_end(&p, 1);
	put_event(&p, 1, TW_EVENT_MESSAGE, UINT64_MAX, "m", 1);
	put_events_block(&file, &p, 1);
	/* a text that claims more bytes than there are; what stands before it counts */
	put_start(&p, 3000, 0);
	put_begin(&p, 1, 2);
	put_end(&p, 1);
	put_bytes(&p.bytes, "\1\0\7\0\xff\x7f", 6);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 3);
	expect_zone(0, 0, 1, 1, 1, 1u << 30);
	expect_zone(1, 1, 1003, 1, 1, 0);
	expect_zone(2, 2, 2001, 1, 1, 0);
	cr_assert_eq(seen.counts.n_unknown, 3);
	cr_assert_eq(seen.n_messages, 1);
	cr_assert_eq(t->n_bad_blocks, 6);
	tw_timeline_close(t);
}

Test(timeline, is_read_while_it_grows)
{
	struct bytes file = busy_file();
	char *path = spool_path("grows.tw");
	struct tw_timeline *t;
	uint32_t n_zones;

	spool_save_at(path, file.at, file.n / 2);
	cr_assert_eq(tw_timeline_open(&t, path, &fault), 0);
	walk(t);
	n_zones = seen.n_zones;
	spool_save_at(path, file.at, file.n);
	walk(t);
	cr_assert_eq(seen.n_zones, n_zones, "two passes see the same");
	tw_timeline_close(t);
	cr_assert_eq(tw_timeline_open(&t, path, &fault), 0);
	walk(t);
	cr_assert_gt(seen.n_zones, n_zones);
	tw_timeline_close(t);
}

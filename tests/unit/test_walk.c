/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The zone walker: nesting, attachments, gaps, and files that are cut, damaged or lie.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walk_seen.h"

TestSuite(walk, .init = spool_folder_make, .fini = spool_folder_remove, .timeout = 300);

Test(walk, gives_zones_with_duration_self_time_and_depth)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_tree(&p);
	put_events_block(&file, &p, 1);
	put_finish(&file, 3000);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 4);
	expect_zone(0, 2, 200, 100, 100, 1);
	expect_zone(1, 2, 500, 100, 100, 2);
	expect_zone(2, 3, 400, 500, 400, 1);
	expect_zone(3, 1, 100, 900, 300, 0);
	cr_assert_eq(seen.counts.n_open + seen.counts.n_truncated +
			     seen.counts.n_unmatched + seen.counts.n_resynced +
			     seen.counts.n_unknown,
		     0);
	cr_assert_eq(seen.counts.last_ns, 1000);
	cr_assert_eq(t->end_ns, 2000);
	cr_assert(t->is_complete);
	cr_assert_eq(t->n_events, 8);
	tw_timeline_close(t);
}

Test(walk, carries_zones_from_block_to_block)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 100, 1);
	put_events_block(&file, &p, 1);
	put_start(&p, 1500, 1);
	put_begin(&p, 0, 2);
	put_events_block(&file, &p, 1);
	put_start(&p, 1500, 2);
	put_end(&p, 50);
	put_end(&p, 50);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 2);
	expect_zone(0, 2, 500, 50, 50, 1);
	expect_zone(1, 1, 100, 500, 450, 0);
	cr_assert_eq(seen.counts.n_resynced, 0);
	tw_timeline_close(t);
}

Test(walk, keeps_the_threads_apart)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 1, 101, 1000, 0);
	put_thread_name(&p, 2, "old");
	put_thread_name(&p, 2, "worker");
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_events_block(&file, &p, 1);
	put_start(&p, 1000, 0);
	put_begin(&p, 10, 2);
	put_end(&p, 10);
	put_events_block(&file, &p, 2);
	put_start(&p, 1000, 1);
	put_end(&p, 70);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 2);
	expect_zone(0, 2, 10, 10, 10, 0);
	cr_assert_eq(seen.zones[0].thread->tid, 101);
	cr_assert_str_eq(seen.zones[0].thread->name.text, "worker");
	expect_zone(1, 1, 0, 70, 70, 0);
	cr_assert_eq(seen.zones[1].thread->kind, TW_THREAD_MAIN);
	cr_assert_eq(t->n_threads, 2);
	cr_assert_eq(seen.zones[0].thread->process->n_threads, 2);
	tw_timeline_close(t);
}

Test(walk, attaches_text_name_value_and_colour_to_the_innermost_zone)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	uint64_t value = 0x1122334455667788;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_zone_text(&p, "belongs to nobody");
	put_begin(&p, 0, 1);
	put_zone_text(&p, "outer");
	put_begin(&p, 1, 2);
	put_zone_text(&p, "one");
	put_zone_text(&p, "two");
	put_event(&p, 0, TW_EVENT_ZONE_NAME, 0, "first", 5);
	put_event(&p, 0, TW_EVENT_ZONE_NAME, 0, "renamed", 7);
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, &value, 8);
	put_end(&p, 1);
	put_event(&p, 0, TW_EVENT_ZONE_COLOUR, 0xabcdef, NULL, 0);
	put_end(&p, 1);
	put_begin(&p, 1, 1);
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, &value, 8);
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 3);
	cr_assert_str_eq(seen.texts[0], "one\ntwo");
	cr_assert_str_eq(seen.names[0], "renamed");
	cr_assert(seen.zones[0].has_value);
	cr_assert_eq(seen.zones[0].value, value);
	cr_assert_eq(seen.zones[0].colour, 0x00ff00, "its place's");
	cr_assert_str_eq(seen.texts[1], "outer");
	cr_assert_eq(seen.zones[1].colour, 0xabcdef, "its own");
	cr_assert_not(seen.zones[1].has_value);
	cr_assert_str_eq(seen.texts[2], "", "recycled memory shows nothing old");
	cr_assert_str_eq(seen.names[2], "");
	cr_assert_eq(seen.zones[2].colour, 0);
	cr_assert(seen.zones[2].has_value);
	tw_timeline_close(t);
}

Test(walk, bounds_the_text_of_one_zone)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	char text[4096];

	memset(text, 'x', sizeof(text));
	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	for (int i = 0; i < 50; i++)
		put_event(&p, 0, TW_EVENT_ZONE_TEXT, 0, text, sizeof(text));
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 1);
	cr_assert_eq(seen.zones[0].text.n_bytes, TW_ZONE_TEXT_MAX);
	tw_timeline_close(t);
}

Test(walk, passes_on_messages_plots_frames_marks_and_gates)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_mark(&p, 1700, "look here");
	PUT_NUMBERS(&p, TW_META_GATE, 1800, 0);
	PUT_NUMBERS(&p, TW_META_GATE, 1900, 1);
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_message(&p, 5, 0xff0000, "hello");
	put_plot(&p, 5, 1, -2.5);
	put_event(&p, 5, TW_EVENT_FRAME, 2, NULL, 0);
	put_message(&p, 5, 0, "");
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_messages, 2);
	cr_assert_str_eq(seen.messages[0], "hello");
	cr_assert_eq(seen.message_ns[0], 5);
	cr_assert_eq(seen.message_ns[1], 20);
	cr_assert_eq(seen.plot, -2.5);
	cr_assert_str_eq(seen.plot_name, "alpha");
	cr_assert_str_eq(seen.frame_name, "beta");
	cr_assert_str_eq(seen.mark, "look here");
	cr_assert_eq(seen.mark_ns, 700);
	cr_assert_eq(seen.gate_ns, 900);
	cr_assert_eq(seen.n_gates_on, 1);
	cr_assert_eq(seen.n_gates_off, 1);
	cr_assert_eq(t->n_marks, 1);
	cr_assert_eq(t->n_gates, 2);
	cr_assert_eq(seen.counts.n_plots, 1);
	cr_assert_eq(seen.counts.n_frames, 1);
	tw_timeline_close(t);
}

Test(walk, closes_open_zones_at_the_last_known_time)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 1, 101, 1000, 0);
	PUT_NUMBERS(&p, TW_META_THREAD_END, 2, 4000);
	put_meta_block(&file, &p);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		put_start(&p, 1000, 0);
		put_begin(&p, 0, 1);
		put_begin(&p, 100, 2);
		put_message(&p, 400, 0, "last words");
		put_events_block(&file, &p, thread);
	}
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 4);
	cr_assert_eq(seen.counts.n_open, 4);
	expect_zone(0, 2, 100, 400, 400, 1);
	expect_zone(1, 1, 0, 500, 100, 0);
	expect_zone(2, 2, 100, 2900, 2900, 1);
	expect_zone(3, 1, 0, 3000, 100, 0);
	cr_assert(seen.zones[0].is_open);
	tw_timeline_close(t);
}

Test(walk, ends_the_threads_of_a_killed_process_with_it)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 1, 9000, TW_END_SIGNALLED, 9);
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	expect_zone(0, 1, 0, 8000, 8000, 0);
	cr_assert(seen.zones[0].is_open);
	cr_assert_eq(seen.zones[0].thread->process->code, 9);
	tw_timeline_close(t);
}

Test(walk, ignores_the_ends_of_zones_that_rotation_took_away)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_ROTATED, 3, 300, 3000);
	PUT_NUMBERS(&p, TW_META_ROTATED, 7, 700, 7000);
	put_meta_block(&file, &p);
	put_start(&p, 5000, 3);
	put_end(&p, 0);	      /* not ours */
	put_begin(&p, 10, 2); /* whole */
	put_end(&p, 10);
	put_end(&p, 0);
	put_begin(&p, 10, 3);
	put_end(&p, 5);
	put_end(&p, 0); /* the third one */
	put_begin(&p, 10, 1);
	put_end(&p, 5);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 3);
	expect_zone(0, 2, 4010, 10, 10, 2);
	expect_zone(1, 3, 4030, 5, 5, 1);
	expect_zone(2, 1, 4045, 5, 5, 0);
	cr_assert_eq(seen.counts.n_truncated, 3);
	cr_assert_eq(seen.counts.n_resynced, 0, "a first block is no gap");
	cr_assert_eq(seen.counts.n_unmatched, 0);
	cr_assert_eq(t->rotated_events, 700, "the last one wins");
	tw_timeline_close(t);
}

Test(walk, finds_its_depth_again_after_a_lost_block)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_begin(&p, 10, 2);
	put_begin(&p, 10, 3);
	put_events_block(&file, &p, 1);
	/* lost: gamma and beta ended, then nothing */
	put_start(&p, 2000, 1);
	put_begin(&p, 0, 3);
	put_end(&p, 5);
	put_events_block(&file, &p, 1);
	/* lost: two zones began on top of alpha */
	put_start(&p, 3000, 3);
	put_end(&p, 1);
	put_end(&p, 1);
	put_end(&p, 1); /* alpha */
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 4);
	expect_zone(0, 3, 20, 0, 0, 2); /* closed at the last known time */
	expect_zone(1, 2, 10, 10, 10, 1);
	expect_zone(2, 3, 1000, 5, 5, 1);
	expect_zone(3, 1, 0, 2003, 1988, 0);
	cr_assert_eq(seen.counts.n_resynced, 2);
	cr_assert_eq(seen.counts.n_open, 2);
	cr_assert_eq(seen.counts.n_truncated, 2);
	cr_assert_eq(seen.counts.n_unmatched, 0);
	tw_timeline_close(t);
}

/* The depth is the same on both sides of the gap, but perhaps not the zones. */
Test(walk, closes_what_is_open_where_a_block_is_missing)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_begin(&p, 10, 2);
	put_events_block(&file, &p, 1);
	file.n_blocks[1]++; /* lost */
	put_start(&p, 3000, 2);
	put_end(&p, 1);
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 2);
	expect_zone(0, 2, 10, 0, 0, 1);
	expect_zone(1, 1, 0, 10, 10, 0);
	cr_assert_eq(seen.counts.n_resynced, 1);
	cr_assert_eq(seen.counts.n_open, 2);
	cr_assert_eq(seen.counts.n_truncated, 2);
	tw_timeline_close(t);
}

Test(walk, counts_ends_without_a_zone)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_end(&p, 1);
	put_begin(&p, 1, 1);
	put_end(&p, 1);
	put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	walk(t);
	cr_assert_eq(seen.n_zones, 1);
	cr_assert_eq(seen.counts.n_unmatched, 2);
	tw_timeline_close(t);
}

static int count_zone(void *context, const struct tw_zone *zone)
{
	uint64_t *deepest = context;

	if (zone->depth > *deepest)
		*deepest = zone->depth;
	return 0;
}

Test(walk, counts_zones_deeper_than_it_can_show)
{
	const uint32_t n = TW_WALK_DEPTH_MAX + 1000;
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	uint64_t deepest = 0;
	struct tw_walk_ops ops = {.context = &deepest, .zone = count_zone};
	struct tw_walk_counts counts;

	put_prelude(&file, 1000);
	for (uint32_t i = 0; i < n; i++) {
		if (i % 100000 == 0)
			put_start(&p, 1000 + i, i);
		put_begin(&p, 1, 1);
		if (i % 100000 == 99999)
			put_events_block(&file, &p, 1);
	}
	for (uint32_t i = 0; i < n; i++)
		put_end(&p, 1);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	cr_assert_eq(tw_walk(t, &ops, &counts, &fault), 0);
	cr_assert_eq(counts.n_zones, TW_WALK_DEPTH_MAX);
	cr_assert_eq(counts.n_too_deep, 1000);
	cr_assert_eq(counts.n_open + counts.n_unmatched + counts.n_resynced, 0);
	cr_assert_eq(deepest, TW_WALK_DEPTH_MAX - 1);
	tw_timeline_close(t);
}

static int refuse(void *context, const struct tw_zone *zone)
{
	(void)zone;
	return --*(int *)context == 0 ? -ECANCELED : 0;
}

Test(walk, stops_when_an_operation_says_so)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_timeline *t;
	int n = 2;
	struct tw_walk_ops ops = {.context = &n, .zone = refuse};
	struct tw_walk_counts counts;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_tree(&p);
	put_events_block(&file, &p, 1);
	t = open_file(&file);
	cr_assert_eq(tw_walk(t, &ops, &counts, &fault), -ECANCELED);
	cr_assert_eq(counts.n_zones, 2);
	tw_timeline_close(t);
}

Test(walk, shows_a_prefix_of_a_file_that_is_cut_at_any_byte)
{
	struct bytes file = busy_file();
	char *path = spool_save(&file, "cut.tw");
	struct tw_timeline *t = open_file(&file);
	static struct seen whole;

	walk(t);
	whole = seen;
	tw_timeline_close(t);
	cr_assert_gt(whole.n_zones, 30);
	for (size_t n = file.n - 1; n >= sizeof(struct tw_file_header); n--) {
		uint32_t n_whole = 0;

		cr_assert_eq(truncate(path, (off_t)n), 0);
		cr_assert_eq(tw_timeline_open(&t, path, &fault), 0, "%s", fault.text);
		walk(t);
		for (uint32_t i = 0; i < seen.n_zones; i++) {
			const struct tw_zone *a = &seen.zones[i];
			const struct tw_zone *b = &whole.zones[n_whole];

			if (a->is_open)
				continue;
			cr_assert(a->location == b->location && a->depth == b->depth &&
					  a->begin_ns == b->begin_ns &&
					  a->duration_ns == b->duration_ns &&
					  a->self_ns == b->self_ns,
				  "cut at %zu: zone %u is another one", n, i);
			n_whole++;
		}
		cr_assert_leq(seen.n_messages, whole.n_messages);
		cr_assert_eq(memcmp(seen.message_ns, whole.message_ns,
				    seen.n_messages * sizeof(uint64_t)),
			     0);
		cr_assert_eq(seen.counts.n_resynced + seen.counts.n_unmatched +
				     seen.counts.n_truncated + t->n_bad_records,
			     0);
		tw_timeline_close(t);
	}
}

Test(walk, invents_no_zone_when_a_byte_is_wrong)
{
	struct bytes file = busy_file();
	char *path = spool_path("flip.tw");
	struct tw_timeline *t = open_file(&file);
	static struct seen whole;

	walk(t);
	whole = seen;
	tw_timeline_close(t);
	srand(7);
	for (size_t at = 0; at < file.n; at++) {
		uint8_t bits = (uint8_t)(1 + rand() % 255);
		const struct tw_spool_damage *damage;

		file.at[at] ^= bits;
		spool_save_at(path, file.at, file.n);
		file.at[at] ^= bits;
		cr_assert_eq(tw_timeline_open(&t, path, &fault), 0, "%s", fault.text);
		walk(t);
		damage = tw_spool_damage(t->spool);
		cr_assert(damage->n_places == 1 || damage->is_header ||
				  damage->tail_bytes,
			  "byte %zu: nobody noticed", at);
		cr_assert_leq(seen.n_zones, whole.n_zones);
		for (uint32_t i = 0; i < seen.n_zones; i++) {
			const struct tw_zone *a = &seen.zones[i];
			uint32_t k = 0;

			while (k < whole.n_zones &&
			       (a->location != whole.zones[k].location ||
				a->begin_ns != whole.zones[k].begin_ns ||
				a->depth != whole.zones[k].depth))
				k++;
			cr_assert_lt(k, whole.n_zones, "byte %zu: zone %u is invented",
				     at, i);
		}
		tw_timeline_close(t);
	}
}

Test(walk, survives_payloads_of_random_bytes_with_right_checksums)
{
	struct tw_walk_ops ops = {.wants_text = true};
	struct tw_walk_counts counts;

	srand(42);
	for (int round = 0; round < 3000; round++) {
		struct bytes file = {0};
		struct payload p = {0};
		struct tw_timeline *t;

		put_prelude(&file, 1000);
		for (int block = 0; block < 4; block++) {
			uint8_t noise[300];
			size_t n = (size_t)rand() % sizeof(noise);

			for (size_t i = 0; i < n; i++)
				noise[i] = (uint8_t)(rand() % 3 ? rand() % 20 : rand());
			put_bytes(&p.bytes, noise, n);
			p.n_records = (uint32_t)rand() % 50;
			put_block(&file, &p, (uint8_t)(1 + rand() % 2), TW_CODEC_RAW,
				  (uint32_t)(rand() % 3));
		}
		t = open_file(&file);
		cr_assert_eq(tw_walk(t, &ops, &counts, &fault), 0);
		tw_timeline_close(t);
	}
}

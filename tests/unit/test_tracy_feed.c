/* SPDX-License-Identifier: BSD-3-Clause */
/* From blocks to items: fibers, stacks, frames, devices, gaps; see feed_story.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/intern.h"
#include "feed_story.h"

static void put_enter(struct payload *p, uint64_t delta, uint64_t carrier)
{
	put_event(p, delta, TW_EVENT_FIBER_ENTER, carrier, "", 0);
}

static void put_leave(struct payload *p, uint64_t delta)
{
	put_event(p, delta, TW_EVENT_FIBER_LEAVE, 0, "", 0);
}

Test(tracy_feed, a_fibers_run_may_span_blocks)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_begin(&p, 0, 2);
	story_block(&p, 1);
	put_start(&p, 110, 0);
	put_enter(&p, 0, 1);
	put_begin(&p, 1, 3);
	story_block(&p, 11);
	put_start(&p, 105, 0);
	put_begin(&p, 0, 2);
	put_end(&p, 1);
	story_block(&p, 2);
	put_start(&p, 120, 1);
	put_end(&p, 0);
	put_leave(&p, 1);
	story_block(&p, 11);
	put_start(&p, 130, 1);
	put_end(&p, 0);
	story_block(&p, 1);
	story_expect("thread 101; begin 2@100; enter fiber 11 on 101@110; "
		     "begin 3@111; thread 102; begin 2@105; end@106; thread 101; "
		     "end@120; leave on 101@121; end@130");
	tw_feed_close_all(feed);
	story_expect("");
	cr_assert_eq(feed->threads[11].carrier, 0, "it runs on nobody");
	cr_assert_eq(feed->threads[1].fiber, 0);
}

Test(tracy_feed, a_lost_leave_is_made_up)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_enter(&p, 0, 1);
	put_begin(&p, 5, 2);
	story_block(&p, 11);
	put_start(&p, 120, 0);
	put_begin(&p, 0, 3);
	story_block(&p, 1); /* the carrier itself */
	put_start(&p, 130, 1);
	put_end(&p, 0);
	story_block(&p, 11); /* and the fiber again */
	story_expect("thread 101; enter fiber 11 on 101@100; begin 2@105; "
		     "leave on 101@105; begin 3@120; enter fiber 11 on 101@130; "
		     "end@130");
	put_start(&p, 140, 0);
	put_enter(&p, 0, 2); /* now on another thread */
	put_leave(&p, 1);
	story_block(&p, 11);
	story_expect("leave on 101@140; thread 102; enter fiber 11 on 102@140; "
		     "leave on 102@141");
}

Test(tracy_feed, one_fiber_replaces_another)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_enter(&p, 0, 1);
	put_begin(&p, 1, 2);
	story_block(&p, 11);
	put_start(&p, 110, 0);
	put_enter(&p, 0, 1);
	story_block(&p, 12);
	story_expect("thread 101; enter fiber 11 on 101@100; begin 2@101; "
		     "leave on 101@101; enter fiber 12 on 101@110");
	tw_feed_close_all(feed);
	story_expect("leave on 101@110; enter fiber 11 on 101@101; end@101; "
		     "leave on 101@101");
	cr_assert_eq(feed->threads[1].fiber, 0);
	cr_assert_eq(feed->threads[11].depth, 0, "all zones are closed");
}

Test(tracy_feed, a_fiber_whose_enter_is_not_in_the_file)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 1);
	put_end(&p, 0);
	put_leave(&p, 1);
	story_block(&p, 11);
	story_expect("");
	put_start(&p, 110, 0);
	put_begin(&p, 0, 2);
	put_end(&p, 1);
	put_leave(&p, 1);
	put_leave(&p, 1);
	story_block(&p, 11);
	story_expect("thread 101; enter fiber 11 on 101@110; begin 2@110; end@111; "
		     "leave on 101@112");
}

Test(tracy_feed, a_switch_of_somebody_else_is_ignored)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_enter(&p, 0, 2); /* of a thread */
	put_leave(&p, 0);
	story_block(&p, 1);
	put_start(&p, 100, 0);
	put_enter(&p, 0, 21); /* onto a device */
	story_block(&p, 11);
	story_expect("thread 101; enter fiber 11 on 101@100");
}

Test(tracy_feed, a_gap_closes_what_is_open)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_begin(&p, 0, 2);
	put_begin(&p, 5, 3);
	story_block(&p, 1);
	story_skip(1);
	put_start(&p, 200, 2); /* as deep, but who says that they are the same? */
	put_end(&p, 0);
	put_end(&p, 1);
	put_begin(&p, 2, 2);
	put_end(&p, 1);
	story_block(&p, 1);
	story_expect("thread 101; begin 2@100; begin 3@105; end@105; end@105; "
		     "begin 2@203; end@204");
}

Test(tracy_feed, sequence_numbers_turn_round)
{
	struct payload p = {0};

	story_begin();
	for (unsigned i = 0; i < 65535; i++)
		story_skip(1);
	put_start(&p, 100, 0);
	put_begin(&p, 0, 2);
	story_block(&p, 1);
	put_start(&p, 110, 1);
	put_end(&p, 0);
	story_block(&p, 1);
	story_expect("thread 101; begin 2@100; end@110");
}

static void put_stack(struct payload *p, uint64_t delta)
{
	put_event(p, delta, TW_EVENT_STACK, 0, "\x05\0\0\0\x06\0\0\0", 8);
}

Test(tracy_feed, a_stack_goes_with_its_zone)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_stack(&p, 1);
	put_begin(&p, 0, 2);
	put_begin(&p, 0, 3);
	put_end(&p, 0);
	put_end(&p, 1);
	story_block(&p, 1);
	story_expect("thread 101; stack 5 6; Callstack; begin-stack 2@101; "
		     "begin 3@101; end@101; end@102");
}

Test(tracy_feed, a_block_may_end_behind_a_stack)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_stack(&p, 1);
	story_block(&p, 1);
	put_start(&p, 100, 0);
	put_begin(&p, 0, 3);
	story_block(&p, 2);
	put_start(&p, 101, 0);
	put_begin(&p, 0, 2);
	story_block(&p, 1);
	story_expect("thread 102; begin 3@100; thread 101; stack 5 6; Callstack; "
		     "begin-stack 2@101");
}

Test(tracy_feed, a_stack_without_its_zone_is_left_out)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_stack(&p, 1);
	put_begin(&p, 1, 2); /* later */
	put_stack(&p, 1);
	put_end(&p, 0); /* something else */
	put_begin(&p, 0, 2);
	put_stack(&p, 1);
	story_block(&p, 1);
	story_skip(1); /* the zone is in a block that is missing */
	put_start(&p, 104, 1);
	put_begin(&p, 0, 2);
	story_block(&p, 1);
	story_expect("thread 101; begin 2@102; end@103; begin 2@103; end@104; "
		     "begin 2@104");
	for (unsigned i = 0; i < TW_FEED_STACKS; i++)
		cr_assert_eq(feed->stacks[i].thread, 0, "none is kept");
}

Test(tracy_feed, frames_with_an_end_take_turns)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_event(&p, 0, TW_EVENT_FRAME_END, 7, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME_BEGIN, 7, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME_BEGIN, 7, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME_END, 7, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME_END, 7, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME, 7, "", 0);	  /* of the other kind */
	put_event(&p, 1, TW_EVENT_FRAME_BEGIN, 0, "", 0); /* so is the main set */
	put_event(&p, 1, TW_EVENT_FRAME, 0, "", 0);
	put_event(&p, 1, TW_EVENT_FRAME_BEGIN, 7, "", 0);
	story_block(&p, 1);
	story_expect("MarkMsgStart 7@101; MarkMsgEnd 7@102; MarkMsgStart 7@102; "
		     "MarkMsgEnd 7@103; MarkMsg 0@107; MarkMsgStart 7@108");
	cr_assert_eq(feed->lost[TW_FEED_LOSS_MIXED_FRAMES], 2);
	tw_feed_close_all(feed);
	story_expect("MarkMsgEnd 7@108");
}

static void put_device(struct payload *p, uint32_t track, int64_t begin, int64_t end)
{
	struct tw_device_zone zone = {.location = 2, .begin = begin, .end = end};

	put_event(p, 0, TW_EVENT_DEVICE_ZONE, track, &zone, sizeof(zone));
}

static void put_clock(struct payload *p, int64_t time, uint64_t ticks, double rate)
{
	struct tw_device_clock clock = {time, ticks, rate};

	put_event(p, 0, TW_EVENT_DEVICE_CLOCK, 21, &clock, sizeof(clock));
}

#define HELLO                                                                          \
	"context 0 type 3@1; \"dev [prog 100]\"; named context 0; thread 122; "        \
	"ZoneValidation"

Test(tracy_feed, device_zones_nest)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_clock(&p, 1000, 101, 0.5); /* 1000 of the device is 100 ns of ours */
	put_device(&p, 22, 1000, 1100);
	put_device(&p, 22, 1010, 1020);
	put_device(&p, 22, 1020, 1100);
	put_device(&p, 22, 1100, 1110);
	story_block(&p, 1);
	story_expect(HELLO "; zone row 122 #0 of 0; #0 of 0=100; zone row 122 #1 of 0; "
			   "#1 of 0=105; end row 122 #2 of 0; #2 of 0=110; "
			   "zone row 122 #3 of 0; #3 of 0=110; end row 122 #4 of 0; "
			   "#4 of 0=150; end row 122 #5 of 0; #5 of 0=150; "
			   "zone row 122 #6 of 0; #6 of 0=150");
	tw_feed_close_all(feed);
	story_expect("end row 122 #7 of 0; #7 of 0=155");
}

Test(tracy_feed, device_zones_that_overlap_are_cut)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_device(&p, 22, 100, 200); /* no look at the clock: it is ours */
	put_device(&p, 22, 150, 250);
	put_device(&p, 22, 120, 130); /* out of order */
	story_block(&p, 1);
	tw_feed_close_all(feed);
	story_expect(HELLO "; zone row 122 #0 of 0; #0 of 0=100; end row 122 #1 of 0; "
			   "#1 of 0=150; zone row 122 #2 of 0; #2 of 0=150; "
			   "zone row 122 #3 of 0; #3 of 0=150; end row 122 #4 of 0; "
			   "#4 of 0=150; end row 122 #5 of 0; #5 of 0=250");
}

Test(tracy_feed, a_track_far_behind_gets_a_context_of_its_own)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_device(&p, 22, 9000000000, 9000000010);
	put_device(&p, 23, 8999999000, 9000000000); /* close enough */
	put_device(&p, 23, 9000000000, 9000000001);
	story_block(&p, 1);
	cr_assert_eq(feed->n_contexts, 1);
	put_start(&p, 110, 0);
	put_device(&p, 22, 99000000000, 99000000010);
	put_device(&p, 23, 9000000100, 9000000200);
	put_device(&p, 23, 9000000300, 9000000400);
	story_words();
	story_block(&p, 1);
	/* The end that was still due comes before the leap, not after it. */
	story_expect("end row 122 #4 of 0; #4 of 0=9000000010; "
		     "end row 123 #5 of 0; #5 of 0=9000000001; "
		     "zone row 122 #6 of 0; #6 of 0=99000000000; "
		     "context 1 type 3@1; \"dev: track 123 [prog 100]\"; "
		     "named context 1; zone row 123 #0 of 1; #0 of 1=9000000100; "
		     "end row 123 #1 of 1; #1 of 1=9000000200; "
		     "zone row 123 #2 of 1; #2 of 1=9000000300");
	tw_feed_close_all(feed);
	story_expect("end row 122 #7 of 0; #7 of 0=99000000010; "
		     "end row 123 #3 of 1; #3 of 1=9000000400");
	cr_assert_eq(feed->lost[TW_FEED_LOSS_DEVICE_TIMES], 0);
}

Test(tracy_feed, looks_at_a_devices_clock)
{
	struct payload p = {0};

	story_begin();
	put_start(&p, 100, 0);
	put_clock(&p, 0, 1001, 1);
	put_clock(&p, 1000, 2003, 1); /* soon after: it tells no rate, but the time */
	put_device(&p, 22, 2000, 3000);
	put_clock(&p, 1000000000, 1005001001, 1); /* half a percent slow: taken */
	put_clock(&p, 1500000000, 3001001000, 1); /* read late: a bad look */
	put_device(&p, 22, 1500000000, 2000000000);
	put_device(&p, 22, 2000000000, 2000000000);
	put_clock(&p, -5, 7, -1); /* nonsense */
	put_event(&p, 0, TW_EVENT_DEVICE_CLOCK, 21, "", 1);
	put_event(&p, 0, TW_EVENT_DEVICE_ZONE, 21, "", 0);
	put_event(&p, 0, TW_EVENT_DEVICE_ZONE, 1, "", 0);
	story_block(&p, 1);
	story_expect(HELLO "; zone row 122 #0 of 0; #0 of 0=3002; "
			   "end row 122 #1 of 0; #1 of 0=4002; "
			   "zone row 122 #2 of 0; #2 of 0=1507501000; "
			   "end row 122 #3 of 0; #3 of 0=2010001000; "
			   "zone row 122 #4 of 0; #4 of 0=2010001000");
}

Test(tracy_feed, names_of_keys)
{
	struct tw_feed *feed = story_begin();
	struct tw_location code = {.is_code = 1, .line = 0x1234abcd};
	struct tw_feed_frame frame;
	char name[64];
	struct tw_feed_text text;

	text = tw_feed_thread_name(feed, TW_FEED_FIBER | 11, name, sizeof(name));
	cr_assert_str_eq(text.text, "fib [prog 100]");
	text = tw_feed_thread_name(feed, TW_FEED_FIBER | 12, name, sizeof(name));
	cr_assert_str_eq(text.text, "fiber 112 [prog 100]");
	text = tw_feed_thread_name(feed, TW_FEED_FIBER | 99, name, sizeof(name));
	cr_assert_str_eq(text.text, "???");
	code.file = tw_intern_string(feed->arena, "/lib/libfoo.so", 14);
	tw_feed_frame(feed, TW_FEED_CODE | tw_intern_location(feed->arena, &code),
		      &frame);
	cr_assert_str_eq(frame.image.text, "/lib/libfoo.so");
	cr_assert_str_eq(frame.file.text, "libfoo.so+0x1234abcd");
	cr_assert_str_eq(frame.function.text, "libfoo.so+0x1234abcd");
	cr_assert_eq(frame.line, 0);
	code.function = tw_intern_string(feed->arena, "foo", 3);
	tw_feed_frame(feed, TW_FEED_CODE | tw_intern_location(feed->arena, &code),
		      &frame);
	cr_assert_str_eq(frame.function.text, "foo");
	for (uint64_t k = 1; k; k <<= 1) { /* whatever a viewer asks for */
		tw_feed_frame(feed, k, &frame);
		cr_assert_not_null(frame.function.text);
		cr_assert_not_null(
			tw_feed_string(feed, k | 77, name, sizeof(name)).text);
	}
	cr_assert_str_eq(
		tw_feed_string(feed, TW_FEED_POOL | UINT64_C(2) << 32, name, 64).text,
		"memory [more 200]");
}

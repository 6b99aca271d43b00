/* SPDX-License-Identifier: BSD-3-Clause */
/* Zones of devices: the device's clock on ours, nesting, and nonsense. */
#include <criterion/criterion.h>
#include <string.h>

#include "trace/device.h"
#include "walk_seen.h"

TestSuite(device, .init = spool_folder_make, .fini = spool_folder_remove);

#define DEVICE 2
#define TRACK  3

static void put_device(struct bytes *file)
{
	struct payload p = {0};

	put_prelude(file, 1000);
	PUT_NUMBERS(&p, TW_META_THREAD, DEVICE, 1, 4194306, 1000, TW_THREAD_DEVICE, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, TRACK, 1, 4194307, 1000, TW_THREAD_DEVICE_TRACK,
		    DEVICE);
	put_thread_name(&p, TRACK, "queue");
	put_meta_block(file, &p);
}

static void put_zone(struct payload *p, uint32_t track, int64_t begin, int64_t end)
{
	struct tw_device_zone zone = {.location = 2, .begin = begin, .end = end};

	put_event(p, 0, TW_EVENT_DEVICE_ZONE, track, &zone, sizeof(zone));
}

static void put_clock(struct payload *p, int64_t device, uint64_t ticks, double rate)
{
	struct tw_device_clock clock = {device, ticks, rate};

	put_event(p, 0, TW_EVENT_DEVICE_CLOCK, DEVICE, &clock, sizeof(clock));
}

static struct tw_timeline *walk_events(struct payload *p)
{
	struct bytes file = {0};
	struct tw_timeline *t;

	put_device(&file);
	put_events_block(&file, p, 1);
	put_finish(&file, 900000);
	t = open_file(&file);
	walk(t);
	return t;
}

Test(device, zones_are_put_on_our_clock_and_into_each_other)
{
	struct payload p = {0};
	struct tw_timeline *t;

	put_start(&p, 5000, 0);
	put_clock(&p, 100, 1000, 2.0); /* 100 there is 0 ns here, a tick is 2 ns */
	put_zone(&p, TRACK, 200, 300);
	put_zone(&p, TRACK, 210, 250);
	put_zone(&p, TRACK, 250, 300);
	put_zone(&p, TRACK, 290, 400); /* overlaps: lies beside */
	t = walk_events(&p);
	cr_assert_eq(seen.n_zones, 4);
	expect_zone(0, 2, 220, 80, 80, 1);
	expect_zone(1, 2, 300, 100, 100, 1);
	expect_zone(2, 2, 200, 200, 20, 0);
	expect_zone(3, 2, 380, 220, 220, 0);
	cr_expect_eq(seen.zones[0].thread->number, TRACK);
	cr_expect_eq(seen.counts.n_device_zones, 4);
	cr_expect_eq(seen.counts.last_ns, 4000 > 600 ? 4000 : 600);
	cr_expect_eq(t->n_threads, 1);
	cr_expect_eq(t->n_rows, 2);
	tw_timeline_close(t);
}

Test(device, clock_that_drifts_is_followed_from_look_to_look)
{
	struct payload p = {0};
	struct tw_timeline *t;

	put_start(&p, 5000, 0);
	put_clock(&p, 0, 1000, 1.0);
	put_clock(&p, 100000, 101500, 1.0); /* runs 0.5 % slow from here to there */
	put_clock(&p, 200000, 201000, 1.0); /* and 0.5 % fast then */
	put_clock(&p, 150000, 500000, 1.0); /* a look that took far too long */
	put_zone(&p, TRACK, 50000, 50001);
	put_zone(&p, TRACK, 150000, 160000);
	put_zone(&p, TRACK, 300000, 300000);
	t = walk_events(&p);
	cr_assert_eq(seen.n_zones, 3);
	cr_expect_eq(seen.zones[0].begin_ns, 50250);
	cr_expect_eq(seen.zones[1].begin_ns, 150250);
	cr_expect_eq(seen.zones[1].duration_ns, 9950);
	cr_expect_eq(seen.zones[2].begin_ns, 299500);
	tw_timeline_close(t);
}

Test(device, nonsense_is_counted_and_left_out)
{
	struct payload p = {0};
	struct tw_timeline *t;
	struct tw_device_clock stopped = {0, 1000, 0.0};

	put_start(&p, 5000, 0);
	put_event(&p, 0, TW_EVENT_DEVICE_ZONE, TRACK, "short", 5);
	put_event(&p, 0, TW_EVENT_DEVICE_CLOCK, DEVICE, &stopped, sizeof(stopped));
	put_zone(&p, 1, 0, 10);	     /* a thread is no track */
	put_zone(&p, 777, 0, 10);    /* nobody */
	put_zone(&p, TRACK, 50, 20); /* ends before it begins */
	put_zone(&p, TRACK, INT64_MIN, INT64_MAX);
	t = walk_events(&p);
	cr_expect_eq(seen.counts.n_unknown, 4);
	cr_expect_eq(seen.n_zones, 2);
	for (uint32_t i = 0; i < seen.n_zones; i++)
		cr_expect_leq(seen.zones[i].duration_ns, UINT64_C(9000000000000000000));
	tw_timeline_close(t);
}

Test(device, frames_of_a_call_stack_come_with_their_zone)
{
	struct payload p = {0};
	struct tw_timeline *t;
	const uint32_t frames[] = {3, 1};

	put_start(&p, 5000, 0);
	put_event(&p, 10, TW_EVENT_STACK, 0, frames, sizeof(frames));
	put_begin(&p, 0, 2);
	put_end(&p, 10);
	put_event(&p, 10, TW_EVENT_STACK, 0, frames, sizeof(frames));
	put_begin(&p, 1, 2); /* later: another zone's */
	put_end(&p, 10);
	t = walk_events(&p);
	cr_assert_eq(seen.n_zones, 2);
	cr_expect_eq(seen.zones[0].n_frames, 2);
	cr_expect_eq(seen.zones[1].n_frames, 0);
	cr_expect_eq(seen.counts.n_stacks, 2);
	tw_timeline_close(t);
}

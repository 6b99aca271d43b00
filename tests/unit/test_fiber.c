/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers from ring to file: zones stay with their fiber whatever thread runs it, in the
 * order in which it ran, also when switches are lost.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "walk_seen.h"

static struct rig rig;
static struct tw_producer threads[3], fibers[2];
static uint32_t outer, inner;

static void make_fiber(struct tw_producer *fiber, const char *name)
{
	struct tw_ring *ring;

	rig_thread(&rig, fiber);
	ring = fiber->ring;
	ring->kind = TW_THREAD_FIBER;
	atomic_store(&ring->name, tw_intern_string(rig.view.arena, name, strlen(name)));
}

static void set_up(uint64_t buffer_bytes, bool is_dropping)
{
	rig_open(&rig, buffer_bytes, is_dropping);
	rig_pump(&rig, 0);
	for (int i = 0; i < 3; i++)
		rig_thread(&rig, &threads[i]);
	make_fiber(&fibers[0], "one");
	make_fiber(&fibers[1], "two");
	outer = rig_location(&rig, "outer");
	inner = rig_location(&rig, "inner");
}

/* Walks what the pump wrote; zones of the row of that name come in `seen`. */
static struct tw_timeline *finish(void)
{
	struct tw_timeline *t;

	rig_close(&rig);
	cr_assert_eq(tw_timeline_open(&t, rig.path, &fault), 0, "%s", fault.text);
	walk(t);
	unlink(rig.path);
	cr_expect_eq(seen.counts.n_unmatched, 0);
	cr_expect_eq(seen.counts.n_unknown, 0);
	return t;
}

static const struct tw_thread *row(const struct tw_timeline *t, const char *name)
{
	for (uint32_t i = 0; i < t->threads.n; i++) {
		const struct tw_thread *thread = t->threads.items[i];

		if (thread && thread->name.n_bytes == strlen(name) &&
		    !memcmp(thread->name.text, name, strlen(name)))
			return thread;
	}
	cr_assert_fail("no row %s", name);
	return NULL;
}

static uint32_t zones_of(const struct tw_thread *thread, uint32_t location,
			 uint64_t depth)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < seen.n_zones; i++)
		n += seen.zones[i].thread == thread &&
		     seen.zones[i].location == location && seen.zones[i].depth == depth;
	return n;
}

Test(fiber, keeps_its_open_zones_while_others_run)
{
	struct tw_timeline *t;

	set_up(8u << 20, false);
	rig_begin(&threads[0], outer);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_begin(&threads[0], outer);
	tw_producer_enter(&threads[0], &fibers[1]); /* leaves the first one */
	rig_begin(&threads[0], inner);
	rig_end(&threads[0]);
	tw_producer_leave(&threads[0]);
	cr_expect_eq(threads[0].depth, 1);
	tw_producer_enter(&threads[0], &fibers[0]);
	cr_expect_eq(threads[0].depth, 1, "the fiber's own");
	rig_begin(&threads[0], inner);
	rig_end(&threads[0]);
	rig_end(&threads[0]);
	tw_producer_leave(&threads[0]);
	tw_producer_leave(&threads[0]); /* one too many */
	rig_end(&threads[0]);
	t = finish();
	cr_expect_eq(seen.n_zones, 4);
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 1);
	cr_expect_eq(zones_of(row(t, "one"), inner, 1), 1);
	cr_expect_eq(zones_of(row(t, "two"), inner, 0), 1);
	cr_expect_eq(seen.counts.n_open, 0);
	cr_expect_eq(seen.counts.n_fiber_runs, 3);
	cr_expect_eq(t->n_threads, 3);
	cr_expect_eq(t->n_rows, 2);
	tw_timeline_close(t);
}

/* Rings are read one after the other: the runs lie in them in another order. */
Test(fiber, that_changes_threads_is_read_in_the_order_of_its_runs)
{
	struct tw_timeline *t;
	uint64_t last_ns = 0;

	set_up(8u << 20, false);
	for (int i = 0; i < 200; i++) {
		struct tw_producer *p = &threads[2 - i % 3];

		tw_producer_enter(p, &fibers[0]);
		if (i % 2 == 0)
			rig_begin(p, outer);
		rig_begin(p, inner);
		rig_end(p);
		if (i % 2)
			rig_end(p);
		tw_producer_leave(p);
		if (i % 64 == 0)
			tw_pump_turn(rig.pump, true);
	}
	t = finish();
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 100);
	cr_expect_eq(zones_of(row(t, "one"), inner, 1), 200);
	for (uint32_t i = 0; i < seen.n_zones; i++) {
		uint64_t end = seen.zones[i].begin_ns + seen.zones[i].duration_ns;

		cr_expect_geq(end, last_ns, "zone %u", i);
		last_ns = end;
	}
	cr_expect_eq(t->n_lost, 0);
	cr_expect_eq(seen.counts.n_open, 0);
	tw_timeline_close(t);
}

/* A fiber goes to a second thread while the first is read in the middle of another. */
Test(fiber, that_moves_on_leaves_the_next_one_of_its_thread_alone)
{
	struct tw_timeline *t;

	set_up(8u << 20, false);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_begin(&threads[0], outer);
	tw_producer_enter(&threads[0], &fibers[1]);
	rig_begin(&threads[0], inner);
	tw_pump_turn(rig.pump, true);
	tw_producer_enter(&threads[1], &fibers[0]);
	rig_end(&threads[1]);
	tw_producer_leave(&threads[1]);
	tw_pump_turn(rig.pump, true);
	rig_end(&threads[0]);
	tw_producer_leave(&threads[0]);
	t = finish();
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 1);
	cr_expect_eq(zones_of(row(t, "two"), inner, 0), 1);
	cr_expect_eq(seen.counts.n_open, 0);
	cr_expect_eq(t->n_lost, 0);
	tw_timeline_close(t);
}

Test(fiber, is_not_entered_twice_at_the_same_time)
{
	struct tw_timeline *t;

	set_up(8u << 20, false);
	tw_producer_enter(&threads[0], &fibers[0]);
	tw_producer_enter(&threads[1], &fibers[0]);
	rig_begin(&threads[1], inner);
	rig_end(&threads[1]);
	tw_producer_leave(&threads[1]);
	rig_begin(&threads[0], outer);
	rig_end(&threads[0]);
	tw_producer_leave(&threads[0]);
	t = finish();
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 1);
	cr_expect_eq(zones_of(row(t, "one"), inner, 0), 0);
	tw_timeline_close(t);
}

/* With --drop a switch may find the ring full: what follows is nobody's until the next.
 */
Test(fiber, whose_switch_is_lost_loses_its_events_and_not_its_balance)
{
	struct tw_timeline *t;
	uint64_t lost;

	set_up(1u << 20, true);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_begin(&threads[0], outer);
	tw_producer_leave(&threads[0]);
	for (int i = 0; i < 100000; i++) { /* far more than a ring holds */
		tw_producer_enter(&threads[0], &fibers[i % 2]);
		rig_begin(&threads[0], inner);
		rig_end(&threads[0]);
		tw_producer_leave(&threads[0]);
	}
	lost = atomic_load(&threads[0].ring->lost[TW_LOSS_RING_FULL]);
	cr_expect_gt(lost, 1000);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_end(&threads[0]); /* outer: not recorded either */
	tw_producer_leave(&threads[0]);
	tw_pump_turn(rig.pump, true);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_begin(&threads[0], inner);
	rig_end(&threads[0]);
	tw_producer_leave(&threads[0]);
	t = finish();
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 1);
	cr_expect_eq(seen.counts.n_open, 0, "the next switch tells that outer ended");
	cr_expect_gt(t->n_lost, 1000);
	tw_timeline_close(t);
}

Test(fiber, of_a_thread_that_ends_in_it_can_run_on_another)
{
	struct tw_timeline *t;

	set_up(8u << 20, false);
	tw_producer_enter(&threads[0], &fibers[0]);
	rig_begin(&threads[0], outer);
	tw_producer_leave(&threads[0]); /* as preload/self.c does at a thread's end */
	atomic_store(&threads[0].ring->state, TW_SLOT_DEAD);
	tw_pump_turn(rig.pump, true);
	tw_producer_enter(&threads[1], &fibers[0]);
	rig_end(&threads[1]);
	tw_producer_leave(&threads[1]);
	t = finish();
	cr_expect_eq(zones_of(row(t, "one"), outer, 0), 1);
	cr_expect_eq(seen.counts.n_open, 0);
	tw_timeline_close(t);
}

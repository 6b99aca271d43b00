/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows: which thread or fiber the items on the wire belong to. In the spool a fiber has
 * blocks of its own; on the wire it is entered on the thread that carries it, and what
 * that thread sends is the fiber's until it leaves. Blocks of different rows follow
 * each other in any order and switches may be missing, so what the viewer believes is
 * kept here and mended before the first item of another row: no leave without an enter,
 * no fiber on two threads. See feed.h.
 */
#include "tracy/feed_private.h"

static bool is_thread(const struct tw_feed_thread *t)
{
	return t && (t->kind == TW_THREAD_PLAIN || t->kind == TW_THREAD_MAIN);
}

static uint32_t number_of(const struct tw_feed *feed, const struct tw_feed_thread *t)
{
	return (uint32_t)(t - feed->threads);
}

/* The thread leaves the fiber that it runs, on the wire. */
static void leave(struct tw_feed *feed, struct tw_feed_thread *thread)
{
	struct tw_feed_thread *fiber = &feed->threads[thread->fiber];

	tw_wire_thread(feed->wire, thread->id);
	tw_wire_fiber_leave(feed->wire, fiber->last_ticks);
	fiber->carrier = 0;
	thread->fiber = 0;
	feed->row = NULL;
}

void tw_feed_leave(struct tw_feed *feed, struct tw_feed_thread *t)
{
	if (t->carrier)
		leave(feed, &feed->threads[t->carrier]);
	if (t->fiber)
		leave(feed, t);
}

static void enter(struct tw_feed *feed, struct tw_feed_thread *fiber,
		  struct tw_feed_thread *thread)
{
	tw_feed_leave(feed, fiber);
	tw_feed_leave(feed, thread);
	tw_wire_thread(feed->wire, thread->id);
	tw_wire_fiber_enter(feed->wire, fiber->last_ticks,
			    TW_FEED_FIBER | number_of(feed, fiber),
			    fiber->process > 1 ? (int32_t)fiber->process - 1 : 0);
	thread->fiber = number_of(feed, fiber);
	fiber->carrier = number_of(feed, thread);
	fiber->last_carrier = fiber->carrier;
	feed->row = fiber;
}

/* Where a fiber is shown whose enter is not in the file: any thread of its process. */
static struct tw_feed_thread *find_carrier(struct tw_feed *feed,
					   struct tw_feed_thread *fiber)
{
	if (fiber->last_carrier)
		return &feed->threads[fiber->last_carrier];
	for (uint32_t i = 1; i <= feed->max_thread; i++) {
		struct tw_feed_thread *t = tw_feed_thread(feed, i);

		if (is_thread(t) && t->process == fiber->process)
			return t;
	}
	return fiber; /* alone in the file: a thread of its own name */
}

void tw_feed_turn_to(struct tw_feed *feed, struct tw_feed_thread *t)
{
	if (t->kind == TW_THREAD_FIBER) {
		if (!t->carrier)
			enter(feed, t, find_carrier(feed, t));
		tw_wire_thread(feed->wire, feed->threads[t->carrier].id);
	} else {
		tw_feed_leave(feed, t);
		tw_wire_thread(feed->wire, t->id);
	}
	feed->row = t;
}

void tw_feed_fiber(struct tw_feed *feed, struct tw_feed_thread *t,
		   const struct tw_feed_event *e)
{
	struct tw_feed_thread *thread = tw_feed_thread(feed, e->id);

	if (t->kind != TW_THREAD_FIBER)
		return;
	if (e->kind == TW_EVENT_FIBER_LEAVE)
		tw_feed_leave(feed, t);
	else
		enter(feed, t, is_thread(thread) ? thread : find_carrier(feed, t));
}

uint32_t tw_feed_runner(struct tw_feed *feed, const struct tw_feed_thread *t)
{
	if (t->kind != TW_THREAD_FIBER)
		return t->id;
	return find_carrier(feed, &feed->threads[number_of(feed, t)])->id;
}

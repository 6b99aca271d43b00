/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks and memory: their events count across threads, so they go out in the order of
 * their times. The spool has them thread by thread; they are held back until a HORIZON
 * record says that nothing earlier can come. When there are too many the earliest goes,
 * and one that comes later yet is told at the time of the last one sent.
 */
#include "tracy/feed_private.h"

static bool is_before(const struct tw_feed_serial *a, const struct tw_feed_serial *b)
{
	return a->ticks != b->ticks ? a->ticks < b->ticks : a->order < b->order;
}

static void push(struct tw_feed *feed, const struct tw_feed_serial *s)
{
	uint32_t i = feed->n_serials++;

	while (i && is_before(s, &feed->serials[(i - 1) / 2])) {
		feed->serials[i] = feed->serials[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	feed->serials[i] = *s;
}

/* Takes the earliest. */
static struct tw_feed_serial pop(struct tw_feed *feed)
{
	struct tw_feed_serial first = feed->serials[0];
	const struct tw_feed_serial *last = &feed->serials[--feed->n_serials];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < feed->n_serials) {
		if (child + 1 < feed->n_serials &&
		    is_before(&feed->serials[child + 1], &feed->serials[child]))
			child++;
		if (!is_before(&feed->serials[child], last))
			break;
		feed->serials[i] = feed->serials[child];
		i = child;
	}
	feed->serials[i] = *last;
	return first;
}

static void send_first(struct tw_feed *feed)
{
	struct tw_feed_serial s = pop(feed);

	if (s.ticks < feed->serial_ticks)
		feed->lost[TW_FEED_LOSS_ORDER]++;
	feed->serial_ticks = tw_feed_later(s.ticks, feed->serial_ticks);
	if (s.kind == TW_EVENT_MEMORY_ALLOC || s.kind == TW_EVENT_MEMORY_FREE)
		tw_feed_memory_event(feed, &s, feed->serial_ticks);
	else
		tw_feed_lock_event(feed, &s, feed->serial_ticks);
}

void tw_feed_hold(struct tw_feed *feed, struct tw_feed_thread *t,
		  const struct tw_feed_event *e)
{
	struct tw_feed_serial s = {
		.ticks = t->last_ticks,
		.order = feed->n_serials_met++,
		.thread = tw_feed_runner(feed, t),
		.process = t->process,
		.id = e->id,
		.kind = e->kind,
	};

	if (e->kind == TW_EVENT_LOCK_NEW && e->n_bytes == sizeof(struct tw_lock_birth))
		s.bytes = tw_feed_u64(e->payload);
	if (e->kind == TW_EVENT_MEMORY_ALLOC &&
	    e->n_bytes == sizeof(struct tw_memory_block))
		s.bytes = tw_feed_u64(e->payload + sizeof(s.address));
	if (e->kind >= TW_EVENT_MEMORY_ALLOC && e->n_bytes >= sizeof(s.address))
		s.address = tw_feed_u64(e->payload);
	if (feed->n_serials == TW_FEED_SERIALS)
		send_first(feed);
	push(feed, &s);
}

void tw_feed_release(struct tw_feed *feed, uint64_t ticks)
{
	while (feed->n_serials && feed->serials[0].ticks < ticks)
		send_first(feed);
}

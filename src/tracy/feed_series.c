/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes by name within a process: plots, frame sets, memory pools. Frames of
 * several threads may meet in one set: its time must not run back, it has either marks
 * or begins and ends, and those take turns. See feed.h.
 */
#include "tracy/feed_private.h"

struct tw_feed_series *tw_feed_series(struct tw_feed *feed, uint32_t process,
				      uint32_t name, enum tw_feed_series_kind kind)
{
	uint64_t key = name;

	for (int round = 0; round < 2; round++) {
		uint32_t i = (uint32_t)(key ^ key >> 29) * 2654435761u;

		for (uint32_t n = 0; n < TW_FEED_SERIES; n++, i++) {
			struct tw_feed_series *s = &feed->series[i % TW_FEED_SERIES];

			if (!s->process)
				*s = (struct tw_feed_series){.key = key,
							     .process = process,
							     .kind = (uint8_t)kind};
			if (s->key != key || s->kind != kind)
				continue;
			if (s->process == process)
				return s;
			break;
		}
		key = (uint64_t)process << 32 | name;
	}
	return NULL;
}

void tw_feed_plot(struct tw_feed *feed, struct tw_feed_thread *t,
		  const struct tw_feed_event *e)
{
	const struct tw_feed_series *s;
	uint64_t bits;
	double value;

	if (e->n_bytes != sizeof(bits))
		return;
	s = tw_feed_series(feed, t->process, e->id, TW_FEED_PLOT);
	bits = tw_feed_u64(e->payload);
	memcpy(&value, &bits, sizeof(value));
	tw_feed_select(feed, t);
	tw_wire_plot(feed->wire, t->last_ticks, s ? s->key : e->id, value);
}

static void send_frame(struct tw_feed *feed, struct tw_feed_series *s,
		       enum tw_wire_frame_part part)
{
	tw_wire_frame(feed->wire, s->last_ticks, s->key, part);
}

static void range(struct tw_feed *feed, struct tw_feed_series *s, bool is_begin)
{
	/* Two that overlap, or an end that was lost. */
	if (is_begin && s->is_open)
		send_frame(feed, s, TW_WIRE_FRAME_END);
	if (is_begin || s->is_open)
		send_frame(feed, s, is_begin ? TW_WIRE_FRAME_START : TW_WIRE_FRAME_END);
	s->is_open = is_begin;
}

void tw_feed_frame_event(struct tw_feed *feed, struct tw_feed_thread *t,
			 const struct tw_feed_event *e)
{
	struct tw_feed_series *s =
		tw_feed_series(feed, t->process, e->id, TW_FEED_FRAMES);
	bool is_range = e->kind != TW_EVENT_FRAME;

	if (!s) {
		feed->lost[TW_FEED_LOSS_FRAMES]++;
		return;
	}
	if (!s->last_ticks && s->key) /* its first: the kind is still open */
		s->is_range = is_range;
	if (s->is_range != is_range) {
		feed->lost[TW_FEED_LOSS_MIXED_FRAMES]++;
		return;
	}
	s->last_ticks = tw_feed_later(t->last_ticks, s->last_ticks);
	if (is_range)
		range(feed, s, e->kind == TW_EVENT_FRAME_BEGIN);
	else
		send_frame(feed, s, TW_WIRE_FRAME_MARK);
}

void tw_feed_close_frames(struct tw_feed *feed)
{
	for (uint32_t i = 0; i < TW_FEED_SERIES; i++)
		if (feed->series[i].is_open)
			range(feed, &feed->series[i], false);
}

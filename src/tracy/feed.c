/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of the spool, one block at a time, onto the wire; see feed.h. Viewers end the
 * session on an end without its begin, so begins and ends are counted here: ends of
 * zones whose begin is not in the file (--max-size) are swallowed, and a block that
 * starts less deep than the last one ended closes what is open.
 */
#include "tracy/feed.h"

#include <endian.h>
#include <string.h>

#include "core/intern.h"
#include "core/varint.h"
#include "tracy/layer_colour.h"

static uint64_t not_before(uint64_t ticks, uint64_t limit)
{
	return ticks > limit ? ticks : limit;
}

void tw_feed_close_thread(struct tw_feed *feed, struct tw_feed_thread *thread,
			  uint64_t ticks)
{
	if (thread->depth)
		tw_wire_thread(feed->wire, thread->id);
	thread->last_ticks = not_before(ticks, thread->last_ticks);
	for (; thread->depth; thread->depth--)
		tw_wire_zone_end(feed->wire, thread->last_ticks);
	thread->n_missing = 0;
}

void tw_feed_close_all(struct tw_feed *feed)
{
	for (uint32_t i = 1; i <= feed->max_thread; i++) {
		struct tw_feed_thread *thread = tw_feed_thread(feed, i);

		if (thread && thread->depth)
			tw_feed_close_thread(feed, thread, thread->last_ticks);
	}
}

static bool mark(uint64_t *map, uint32_t id)
{
	uint64_t bit = UINT64_C(1) << id % 64;
	bool is_new = !(map[id / 64] & bit);

	map[id / 64] |= bit;
	return is_new;
}

static bool is_marked(const uint64_t *map, uint32_t id)
{
	return map[id / 64] >> id % 64 & 1;
}

/* The key of a location past the limit: its file's, or one for all files. */
static uint64_t fold(struct tw_feed *feed, uint32_t id)
{
	const struct tw_location *l = tw_location_get(feed->arena, id);
	uint32_t file = l ? l->file : 0;

	if (file / 64 >= sizeof(feed->folds) / sizeof(*feed->folds))
		file = 0;
	if (file && !is_marked(feed->folds, file)) {
		if (feed->n_folds >= TW_FEED_FOLDS_MAX)
			file = 0;
		else
			feed->n_folds += mark(feed->folds, file);
	}
	feed->n_folded++;
	return TW_FEED_FOLD | file;
}

static void name_folded(struct tw_feed *feed, uint32_t id)
{
	const struct tw_location *l = tw_location_get(feed->arena, id);
	struct tw_feed_text name;

	if (!l)
		return;
	name = tw_feed_string(feed, l->name ? l->name : l->function);
	tw_wire_zone_name(feed->wire, name.text, name.bytes);
	if (tw_layer_colour(l->colour, l->layer))
		tw_wire_zone_colour(feed->wire, tw_layer_colour(l->colour, l->layer));
}

static void begin(struct tw_feed *feed, struct tw_feed_thread *t, uint32_t id)
{
	if (id >= feed->arena->locations_n || id >= sizeof(feed->locations) * 8)
		id = TW_LOCATION_OVERFLOW;
	t->depth++;
	if (!is_marked(feed->locations, id) &&
	    feed->n_locations >= TW_FEED_LOCATIONS_MAX) {
		tw_wire_zone_begin(feed->wire, t->last_ticks, fold(feed, id));
		name_folded(feed, id);
	} else {
		feed->n_locations += mark(feed->locations, id);
		tw_wire_zone_begin(feed->wire, t->last_ticks, id);
	}
	/* Only now the viewer knows the thread. Process 1 is the group that all are in.
	 */
	if (!t->has_hint && t->process > 1)
		tw_wire_group_hint(feed->wire, t->id, (int32_t)t->process - 1);
	t->has_hint = true;
}

static void end(struct tw_feed *feed, struct tw_feed_thread *t)
{
	if (t->depth) {
		t->depth--;
		tw_wire_zone_end(feed->wire, t->last_ticks);
	} else if (t->n_missing) {
		t->n_missing--;
	}
}

static uint64_t payload_u64(const uint8_t *payload)
{
	uint64_t v;

	memcpy(&v, payload, sizeof(v));
	return le64toh(v);
}

static void plot(struct tw_feed *feed, struct tw_feed_thread *t, uint32_t name,
		 const uint8_t *payload)
{
	const struct tw_feed_series *s = tw_feed_series(feed, t->process, name, false);
	uint64_t bits = payload_u64(payload);
	double value;

	memcpy(&value, &bits, sizeof(value));
	tw_wire_plot(feed->wire, t->last_ticks, s ? s->key : name, value);
}

/* Frames of several threads of a process may meet in one set: its time must not run
 * back. */
static void frame(struct tw_feed *feed, struct tw_feed_thread *t, uint32_t name)
{
	struct tw_feed_series *s = tw_feed_series(feed, t->process, name, true);

	if (!s) {
		feed->n_frames_unsent++;
		return;
	}
	s->last_ticks = not_before(t->last_ticks, s->last_ticks);
	tw_wire_frame(feed->wire, s->last_ticks, s->key);
}

struct other {
	uint8_t kind;
	uint32_t id;
	const uint8_t *payload;
	uint32_t n_bytes;
};

/* Details belong to a zone; without one of ours there is nothing to attach them to. */
static void zone_detail(struct tw_feed *feed, const struct other *e)
{
	const char *text = (const char *)e->payload;

	if (e->kind == TW_EVENT_ZONE_TEXT)
		tw_wire_zone_text(feed->wire, text, e->n_bytes);
	else if (e->kind == TW_EVENT_ZONE_NAME)
		tw_wire_zone_name(feed->wire, text, e->n_bytes);
	else if (e->kind == TW_EVENT_ZONE_COLOUR)
		tw_wire_zone_colour(feed->wire, e->id);
	else if (e->n_bytes == sizeof(uint64_t))
		tw_wire_zone_value(feed->wire, payload_u64(e->payload));
}

static void other(struct tw_feed *feed, struct tw_feed_thread *t, const struct other *e)
{
	switch (e->kind) {
	case TW_EVENT_ZONE_TEXT:
	case TW_EVENT_ZONE_NAME:
	case TW_EVENT_ZONE_COLOUR:
	case TW_EVENT_ZONE_VALUE:
		if (t->depth)
			zone_detail(feed, e);
		break;
	case TW_EVENT_MESSAGE:
		tw_wire_message(feed->wire, t->last_ticks, (const char *)e->payload,
				e->n_bytes, e->id & 0xffffff, TW_WIRE_INFO);
		break;
	case TW_EVENT_PLOT:
		if (e->n_bytes == sizeof(uint64_t))
			plot(feed, t, e->id, e->payload);
		break;
	case TW_EVENT_FRAME:
		frame(feed, t, e->id);
		break;
	}
}

/* Kind, id and payload behind a begin's location 0; NULL when cut. */
static const uint8_t *read_other(const uint8_t *p, const uint8_t *stop, struct other *e)
{
	uint64_t id = 0, n = 0;

	if (p >= stop)
		return NULL;
	e->kind = *p++;
	p = tw_varint_get(p, stop, &id);
	p = p ? tw_varint_get(p, stop, &n) : NULL;
	if (!p || n > (uint64_t)(stop - p) || id > UINT32_MAX)
		return NULL;
	e->id = (uint32_t)id;
	e->n_bytes = (uint32_t)n;
	e->payload = p;
	return p + n;
}

/* The block starts `depth` zones deep: where does that leave what we sent? */
static void align(struct tw_feed *feed, struct tw_feed_thread *t, uint64_t depth)
{
	uint64_t ours = t->depth + t->n_missing;

	if (depth == ours)
		return;
	/* Blocks are missing. What is open now cannot be told from what began since. */
	if (depth > ours || depth < t->n_missing)
		tw_feed_close_thread(feed, t, t->last_ticks);
	while (t->depth && t->depth + t->n_missing > depth)
		end(feed, t);
	t->n_missing = depth - t->depth;
}

void tw_feed_events(struct tw_feed *feed, uint32_t number, const uint8_t *raw,
		    size_t bytes)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, number);
	const uint8_t *p = raw + sizeof(uint64_t), *stop = raw + bytes;
	uint64_t ticks, depth, head, id;

	if (!t) {
		feed->n_nobodys++;
		return;
	}
	if (bytes < sizeof(uint64_t))
		return;
	ticks = payload_u64(raw);
	p = tw_varint_get(p, stop, &depth);
	if (!p)
		return;
	tw_wire_thread(feed->wire, t->id);
	t->last_ticks = not_before(ticks, not_before(t->last_ticks, feed->first_ticks));
	align(feed, t, depth);
	while (p && p < stop) {
		struct other e;

		p = tw_varint_get(p, stop, &head);
		if (!p)
			break;
		t->last_ticks += head >> 1;
		if (!(head & 1)) {
			end(feed, t);
			continue;
		}
		p = tw_varint_get(p, stop, &id);
		if (p && id) {
			begin(feed, t, (uint32_t)id);
		} else if (p) {
			p = read_other(p, stop, &e);
			if (p)
				other(feed, t, &e);
		}
	}
}

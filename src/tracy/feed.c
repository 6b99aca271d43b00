/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of the spool, one block at a time, onto the wire; see feed.h. Viewers end the
 * session on an end without its begin, so begins and ends are counted here: ends of
 * zones whose begin is not in the file (--max-size) are swallowed, and a block that
 * starts less deep than the last one ended, or is not the next of its thread, closes
 * what is open.
 */
#include "tracy/feed_private.h"

#include "core/varint.h"
#include "tracy/layer_colour.h"

void tw_feed_close_thread(struct tw_feed *feed, struct tw_feed_thread *thread,
			  uint64_t ticks)
{
	if (thread->kind == TW_THREAD_DEVICE_TRACK)
		tw_feed_close_track(feed, thread);
	thread->last_ticks = tw_feed_later(ticks, thread->last_ticks);
	if (thread->depth)
		tw_feed_select(feed, thread);
	for (; thread->depth; thread->depth--)
		tw_wire_zone_end(feed->wire, thread->last_ticks);
	thread->n_missing = 0;
	tw_feed_leave(feed, thread);
}

void tw_feed_close_all(struct tw_feed *feed)
{
	tw_feed_release(feed, UINT64_MAX);
	tw_feed_close_frames(feed);
	tw_feed_close_devices(feed);
	for (uint32_t i = 1; i <= feed->max_thread; i++) {
		struct tw_feed_thread *thread = tw_feed_thread(feed, i);

		if (thread)
			tw_feed_close_thread(feed, thread, thread->last_ticks);
	}
}

/* The key of a location past the limit: its file's, or one for all files. */
static uint64_t fold(struct tw_feed *feed, uint32_t id)
{
	const struct tw_location *l = tw_location_get(feed->arena, id);
	uint32_t file = l ? l->file : 0;

	if (file / 64 >= sizeof(feed->folds) / sizeof(*feed->folds))
		file = 0;
	if (file && !tw_feed_is_marked(feed->folds, file)) {
		if (feed->n_folds >= TW_FEED_FOLDS_MAX)
			file = 0;
		else
			feed->n_folds += tw_feed_mark(feed->folds, file);
	}
	feed->n_folded++;
	return TW_FEED_FOLD | file;
}

uint64_t tw_feed_place(struct tw_feed *feed, uint32_t id, bool *is_folded)
{
	if (id >= feed->arena->locations_n || id >= sizeof(feed->locations) * 8 || !id)
		id = TW_LOCATION_OVERFLOW;
	*is_folded = !tw_feed_is_marked(feed->locations, id) &&
		     feed->n_locations >= TW_FEED_LOCATIONS_MAX;
	if (*is_folded)
		return fold(feed, id);
	feed->n_locations += tw_feed_mark(feed->locations, id);
	return id;
}

static void name_folded(struct tw_feed *feed, uint32_t id)
{
	const struct tw_location *l = tw_location_get(feed->arena, id);
	struct tw_feed_text name;

	if (!l)
		return;
	name = tw_feed_string(feed, l->name ? l->name : l->function, NULL, 0);
	tw_wire_zone_name(feed->wire, name.text, name.bytes);
	if (tw_layer_colour(l->colour, l->layer))
		tw_wire_zone_colour(feed->wire, tw_layer_colour(l->colour, l->layer));
}

/* A thread's events while its block is read. */
struct reading {
	struct tw_feed *feed;
	struct tw_feed_thread *t;
	/* A stack that waits for its zone; NULL = none. */
	const uint8_t *stack;
	uint32_t stack_bytes;
	uint64_t stack_ticks;
};

/* Apart, for the room that it takes: most zones have none. */
static __attribute__((noinline)) void send_begin_stack(struct reading *r,
						       uint64_t place)
{
	uint64_t addresses[TW_PAYLOAD_MAX / sizeof(uint32_t)];
	size_t n = r->stack_bytes / sizeof(uint32_t);

	for (size_t i = 0; i < n; i++) {
		uint32_t id;

		memcpy(&id, r->stack + i * sizeof(id), sizeof(id));
		addresses[i] = TW_FEED_CODE | le32toh(id);
	}
	tw_wire_zone_begin_stack(r->feed->wire, r->t->last_ticks, place, addresses, n);
}

/* The stack goes with the event behind it, which has the same time. */
static void send_begin(struct reading *r, uint64_t place)
{
	if (r->stack && r->stack_ticks == r->t->last_ticks &&
	    r->stack_bytes >= sizeof(uint32_t))
		send_begin_stack(r, place);
	else
		tw_wire_zone_begin(r->feed->wire, r->t->last_ticks, place);
}

_Static_assert(TW_PAYLOAD_MAX / sizeof(uint32_t) <= TW_WIRE_STACK_MAX,
	       "a stack fits on the wire");

static void begin(struct reading *r, uint32_t id)
{
	struct tw_feed *feed = r->feed;
	struct tw_feed_thread *t = r->t;
	bool is_folded;
	uint64_t place = tw_feed_place(feed, id, &is_folded);

	tw_feed_select(feed, t);
	t->depth++;
	send_begin(r, place);
	if (is_folded)
		name_folded(feed, id);
	/* Only now the viewer knows the thread. Process 1 is the group that all are in.
	 * A fiber's is told when it is entered.
	 */
	if (!t->has_hint && t->process > 1 && t->kind != TW_THREAD_FIBER)
		tw_wire_group_hint(feed->wire, t->id, (int32_t)t->process - 1);
	t->has_hint = true;
}

static void end(struct tw_feed *feed, struct tw_feed_thread *t)
{
	if (t->depth) {
		tw_feed_select(feed, t);
		t->depth--;
		tw_wire_zone_end(feed->wire, t->last_ticks);
	} else if (t->n_missing) {
		t->n_missing--;
	}
}

/* Details belong to a zone; without one of ours there is nothing to attach them to. */
static void zone_detail(struct tw_feed *feed, struct tw_feed_thread *t,
			const struct tw_feed_event *e)
{
	const char *text = (const char *)e->payload;

	if (!t->depth)
		return;
	tw_feed_select(feed, t);
	if (e->kind == TW_EVENT_ZONE_TEXT)
		tw_wire_zone_text(feed->wire, text, e->n_bytes);
	else if (e->kind == TW_EVENT_ZONE_NAME)
		tw_wire_zone_name(feed->wire, text, e->n_bytes);
	else if (e->kind == TW_EVENT_ZONE_COLOUR)
		tw_wire_zone_colour(feed->wire, e->id);
	else if (e->n_bytes == sizeof(uint64_t))
		tw_wire_zone_value(feed->wire, tw_feed_u64(e->payload));
}

static void message(struct tw_feed *feed, struct tw_feed_thread *t,
		    const struct tw_feed_event *e)
{
	tw_feed_select(feed, t);
	tw_wire_message(feed->wire, t->last_ticks, (const char *)e->payload, e->n_bytes,
			e->id & 0xffffff, TW_WIRE_INFO);
}

static void device(struct tw_feed *feed, struct tw_feed_thread *t,
		   const struct tw_feed_event *e)
{
	(void)t;
	tw_feed_device_event(feed, e);
}

static void (*const rows[TW_EVENT_COUNT])(struct tw_feed *feed,
					  struct tw_feed_thread *t,
					  const struct tw_feed_event *e) = {
	[TW_EVENT_ZONE_TEXT] = zone_detail,
	[TW_EVENT_ZONE_NAME] = zone_detail,
	[TW_EVENT_ZONE_COLOUR] = zone_detail,
	[TW_EVENT_ZONE_VALUE] = zone_detail,
	[TW_EVENT_MESSAGE] = message,
	[TW_EVENT_PLOT] = tw_feed_plot,
	[TW_EVENT_FRAME] = tw_feed_frame_event,
	[TW_EVENT_FRAME_BEGIN] = tw_feed_frame_event,
	[TW_EVENT_FRAME_END] = tw_feed_frame_event,
	[TW_EVENT_FIBER_ENTER] = tw_feed_fiber,
	[TW_EVENT_FIBER_LEAVE] = tw_feed_fiber,
	[TW_EVENT_LOCK_NEW] = tw_feed_hold,
	[TW_EVENT_LOCK_GONE] = tw_feed_hold,
	[TW_EVENT_LOCK_WAIT] = tw_feed_hold,
	[TW_EVENT_LOCK_OBTAIN] = tw_feed_hold,
	[TW_EVENT_LOCK_RELEASE] = tw_feed_hold,
	[TW_EVENT_LOCK_WAIT_SHARED] = tw_feed_hold,
	[TW_EVENT_LOCK_OBTAIN_SHARED] = tw_feed_hold,
	[TW_EVENT_LOCK_RELEASE_SHARED] = tw_feed_hold,
	[TW_EVENT_MEMORY_ALLOC] = tw_feed_hold,
	[TW_EVENT_MEMORY_FREE] = tw_feed_hold,
	[TW_EVENT_DEVICE_ZONE] = device,
	[TW_EVENT_DEVICE_CLOCK] = device,
};

static void other(struct reading *r, const struct tw_feed_event *e)
{
	if (e->kind == TW_EVENT_STACK) {
		r->stack = e->payload;
		r->stack_bytes =
			e->n_bytes < TW_PAYLOAD_MAX ? e->n_bytes : TW_PAYLOAD_MAX;
		r->stack_ticks = r->t->last_ticks;
		return;
	}
	r->stack = NULL;
	if (e->kind < TW_EVENT_COUNT && rows[e->kind])
		rows[e->kind](r->feed, r->t, e);
}

/* Kind, id and payload behind a begin's location 0; NULL when cut. */
static const uint8_t *read_other(const uint8_t *p, const uint8_t *stop,
				 struct tw_feed_event *e)
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
static void align(struct tw_feed *feed, struct tw_feed_thread *t, uint64_t depth,
		  bool is_gap)
{
	uint64_t ours = t->depth + t->n_missing;

	if (depth == ours && !is_gap)
		return;
	/* Blocks are missing. What is open now cannot be told from what began since. */
	if (is_gap || depth > ours || depth < t->n_missing)
		tw_feed_close_thread(feed, t, t->last_ticks);
	while (t->depth && t->depth + t->n_missing > depth)
		end(feed, t);
	t->n_missing = depth - t->depth;
}

/* The next event; NULL at the end of the block or of its sense. */
static const uint8_t *read_event(struct reading *r, const uint8_t *p,
				 const uint8_t *stop)
{
	struct tw_feed_event e;
	uint64_t head, id;

	p = tw_varint_get(p, stop, &head);
	if (!p)
		return NULL;
	r->t->last_ticks += head >> 1;
	if (!(head & 1)) {
		r->stack = NULL;
		end(r->feed, r->t);
		return p;
	}
	p = tw_varint_get(p, stop, &id);
	if (p && id) {
		begin(r, id < UINT32_MAX ? (uint32_t)id : TW_LOCATION_OVERFLOW);
		r->stack = NULL;
	} else if (p) {
		p = read_other(p, stop, &e);
		if (p)
			other(r, &e);
	}
	return p;
}

/* A stack whose zone is in the next block of its thread: kept, found again. */
static void keep_stack(struct reading *r)
{
	uint32_t number = (uint32_t)(r->t - r->feed->threads);

	for (uint32_t i = 0; i < TW_FEED_STACKS; i++) {
		struct tw_feed_stack *s = &r->feed->stacks[i];

		if (s->thread)
			continue;
		s->thread = number;
		s->n_bytes = r->stack_bytes;
		s->ticks = r->stack_ticks;
		memmove(s->payload, r->stack, r->stack_bytes);
		r->t->has_stack = true;
		return;
	}
	r->feed->lost[TW_FEED_LOSS_STACKS]++;
}

static void find_stack(struct reading *r)
{
	uint32_t number = (uint32_t)(r->t - r->feed->threads);

	for (uint32_t i = 0; r->t->has_stack && i < TW_FEED_STACKS; i++) {
		struct tw_feed_stack *s = &r->feed->stacks[i];

		if (s->thread != number)
			continue;
		/* Free to be used again, but not before this block is read. */
		s->thread = 0;
		r->t->has_stack = false;
		r->stack = s->payload;
		r->stack_bytes = s->n_bytes;
		r->stack_ticks = s->ticks;
	}
}

static bool is_next(struct tw_feed_thread *t, uint16_t sequence)
{
	bool is_it = !t->has_sequence || sequence == (uint16_t)(t->sequence + 1);

	t->has_sequence = true;
	t->sequence = sequence;
	return is_it;
}

void tw_feed_events(struct tw_feed *feed, uint32_t number, uint16_t sequence,
		    const uint8_t *raw, size_t bytes)
{
	struct reading r = {.feed = feed, .t = tw_feed_thread(feed, number)};
	struct tw_feed_thread *t = r.t;
	const uint8_t *p = raw + sizeof(uint64_t), *stop = raw + bytes;
	uint64_t depth;
	bool is_gap;

	if (!t) {
		feed->lost[TW_FEED_LOSS_THREADS]++;
		return;
	}
	if (bytes < sizeof(uint64_t))
		return;
	p = tw_varint_get(p, stop, &depth);
	if (!p)
		return;
	is_gap = !is_next(t, sequence);
	find_stack(&r);
	if (is_gap)
		r.stack = NULL;
	/* What is open when blocks are missing ended before them. */
	align(feed, t, depth, is_gap);
	t->last_ticks = tw_feed_later(tw_feed_u64(raw),
				      tw_feed_later(t->last_ticks, feed->first_ticks));
	while (p && p < stop)
		p = read_event(&r, p, stop);
	if (r.stack)
		keep_stack(&r);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See walk.h. Zones whose begin is missing are not on the stack: they are numbers, kept
 * with the zone they lie on (`n_above`) or at the bottom (`n_below`). So a hostile
 * depth costs no memory, and ends that belong to them are swallowed in the right order.
 */
#include "trace/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/walk_private.h"

#define DEPTH_SANE (1u << 30) /* a block that claims more is lying */

static struct frame *top(const struct stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* Zones without a begin (or too deep) lie on what is open now. */
static void add_missing(struct stack *s, uint64_t n)
{
	if (s->n)
		s->frames[s->n - 1].n_above += n;
	else
		s->n_below += n;
	s->depth += n;
}

/* The call stack in front of a zone's begin, if it is this one's. */
static struct tw_zone_extra *take_stack(struct walk *w, struct stack *s,
					const struct tw_event *event)
{
	struct tw_zone_extra *extra = s->pending;

	s->pending = NULL;
	if (extra && s->pending_ns == event->ns)
		return extra;
	tw_zone_extra_release(&w->extras, extra);
	return NULL;
}

static int begin(struct walk *w, struct stack *s, const struct tw_event *event)
{
	struct frame *f;

	if (s->n == s->room) {
		uint32_t room = s->room ? s->room * 2 : 8;

		if (room > TW_WALK_DEPTH_MAX) {
			w->counts->n_too_deep++;
			add_missing(s, 1);
			return 0;
		}
		f = realloc(s->frames, room * sizeof(*f));
		if (!f)
			return -ENOMEM;
		s->frames = f;
		s->room = room;
	}
	f = &s->frames[s->n++];
	f->begin_ns = event->ns;
	f->inside_ns = 0;
	f->n_above = 0;
	f->extra = take_stack(w, s, event);
	f->location = event->id;
	s->depth++;
	return w->ops->begin ? w->ops->begin(w->ops->context, event) : 0;
}

/* Takes the topmost zone that has a begin off the stack and hands it out. */
static int finish(struct walk *w, struct stack *s, struct tw_thread *thread,
		  uint64_t ns, bool is_open)
{
	struct frame *f = &s->frames[--s->n];
	struct frame *around = top(s);
	uint64_t duration_ns = ns > f->begin_ns ? ns - f->begin_ns : 0;
	struct tw_zone zone;
	int result = 0;

	s->depth--;
	if (around)
		around->inside_ns += duration_ns;
	w->counts->n_zones++;
	w->counts->n_open += is_open;
	if (w->ops->zone) {
		zone.thread = thread;
		zone.location = f->location;
		zone.begin_ns = f->begin_ns;
		zone.duration_ns = duration_ns;
		/* A zone closed early by a resync may end before its insides did. */
		zone.self_ns =
			duration_ns > f->inside_ns ? duration_ns - f->inside_ns : 0;
		zone.depth = s->depth;
		zone.colour = 0;
		zone.shares_begin = around && around->begin_ns == f->begin_ns;
		zone.is_open = is_open;
		zone.has_value = false;
		zone.value = 0;
		zone.text = zone.name = (struct tw_slice){"", 0};
		zone.frames = NULL;
		zone.n_frames = 0;
		if (w->ops->wants_text)
			zone.colour =
				tw_timeline_place(w->timeline, f->location)->colour;
		if (f->extra)
			tw_zone_extra_show(f->extra, &zone);
		result = w->ops->zone(w->ops->context, &zone);
	}
	tw_zone_extra_release(&w->extras, f->extra);
	return result;
}

static int end(struct walk *w, struct stack *s, const struct tw_event *event)
{
	struct frame *f = top(s);

	if (f && f->n_above == 0)
		return finish(w, s, event->thread, event->ns, false);
	if (f) {
		f->n_above--;
		s->depth--;
	} else if (s->n_below) {
		s->n_below--;
		s->depth--;
	} else {
		w->counts->n_unmatched++;
	}
	return 0;
}

/* Closes what is open beyond `depth`, at the thread's last known time. */
static int cut_to(struct walk *w, struct stack *s, struct tw_thread *thread,
		  uint64_t depth, uint64_t ns)
{
	while (s->depth > depth) {
		struct frame *f = top(s);
		uint64_t *n_missing = f ? &f->n_above : &s->n_below;
		uint64_t n = s->depth - depth;
		int result;

		if (*n_missing) {
			n = n < *n_missing ? n : *n_missing;
			*n_missing -= n;
			s->depth -= n;
			continue;
		}
		result = finish(w, s, thread, ns, true);
		if (result)
			return result;
	}
	return 0;
}

/*
 * Across a gap nobody knows which zones ended and which began: what is open ends at the
 * last known time, and what is open behind the gap has lost its begin.
 */
static int on_block(void *context, struct tw_thread *thread, uint64_t depth,
		    bool has_gap)
{
	struct walk *w = context;
	struct stack *s = &w->stacks[thread->number - w->first];
	bool is_first = !s->is_begun;

	s->is_begun = true;
	if (depth > DEPTH_SANE)
		depth = DEPTH_SANE;
	if (has_gap) {
		int result = cut_to(w, s, thread, 0, thread->last_ns);

		if (result)
			return result;
	}
	if (depth == s->depth && !has_gap)
		return 0;
	w->counts->n_resynced += !is_first;
	if (depth > s->depth) {
		w->counts->n_truncated += depth - s->depth;
		add_missing(s, depth - s->depth);
		return 0;
	}
	return cut_to(w, s, thread, depth, thread->last_ns);
}

/* Text, name, colour and value belong to the innermost open zone. */
static int on_zone_detail(struct walk *w, struct stack *s, const struct tw_event *event)
{
	struct frame *f = top(s);
	int result;

	if (!w->ops->wants_text || !f || f->n_above)
		return 0;
	result = tw_zone_extra_add(&w->extras, &f->extra, event);
	if (result == -EBADMSG) {
		w->counts->n_unknown++;
		return 0;
	}
	return result;
}

static int on_stack(struct walk *w, struct stack *s, const struct tw_event *event)
{
	w->counts->n_stacks++;
	if (!w->ops->wants_text)
		return 0;
	s->pending_ns = event->ns;
	return tw_zone_extra_add(&w->extras, &s->pending, event);
}

static int on_event(void *context, const struct tw_event *event)
{
	struct walk *w = context;
	struct stack *s = &w->stacks[event->thread->number - w->first];

	if (event->ns > w->counts->last_ns)
		w->counts->last_ns = event->ns;
	switch (event->kind) {
	case TW_EVENT_ZONE_BEGIN:
		return begin(w, s, event);
	case TW_EVENT_ZONE_END:
		return end(w, s, event);
	case TW_EVENT_ZONE_TEXT:
	case TW_EVENT_ZONE_NAME:
	case TW_EVENT_ZONE_COLOUR:
	case TW_EVENT_ZONE_VALUE:
		return on_zone_detail(w, s, event);
	case TW_EVENT_STACK:
		return on_stack(w, s, event);
	default:
		return tw_walk_other(w, event);
	}
}

static int on_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct walk *w = context;

	return w->ops->mark(w->ops->context, ns, text);
}

static int on_gate(void *context, uint64_t ns, bool is_on)
{
	struct walk *w = context;

	return w->ops->gate(w->ops->context, ns, is_on);
}

static int close_all(struct walk *w)
{
	const struct tw_table *threads = &w->timeline->threads;

	for (uint32_t i = 0; i < w->n; i++) {
		struct tw_thread *thread = tw_table_get(threads, w->first + i);
		uint64_t ns;
		int result;

		if (!thread)
			continue;
		ns = thread->last_ns;
		if (thread->has_end && thread->end_ns > ns)
			ns = thread->end_ns;
		result = cut_to(w, &w->stacks[i], thread, 0, ns);
		if (result)
			return result;
	}
	return 0;
}

static void empty_stacks(struct walk *w)
{
	for (uint32_t i = 0; w->stacks && i < w->n; i++) {
		struct stack *s = &w->stacks[i];

		while (s->n)
			tw_zone_extra_release(&w->extras, s->frames[--s->n].extra);
		tw_zone_extra_release(&w->extras, s->pending);
		free(s->frames);
	}
	tw_extra_pool_free(&w->extras);
	tw_devices_free(&w->devices);
}

int tw_walk(struct tw_timeline *timeline, const struct tw_walk_ops *ops,
	    struct tw_walk_counts *counts, struct tw_fault *fault)
{
	struct walk w = {.timeline = timeline, .ops = ops, .counts = counts};
	struct tw_visitor visitor = {
		.context = &w,
		.block = on_block,
		.event = on_event,
		.mark = ops->mark ? on_mark : NULL,
		.gate = ops->gate ? on_gate : NULL,
	};
	int result;

	memset(counts, 0, sizeof(*counts));
	w.n = timeline->threads.n;
	w.stacks = calloc(w.n + 1, sizeof(*w.stacks));
	if (!w.stacks)
		return tw_fault_no_memory(fault);
	result = tw_timeline_each(timeline, &visitor, fault);
	if (result == 0)
		result = close_all(&w);
	if (result == 0)
		result = tw_walk_devices(&w);
	if (result == -ENOMEM)
		tw_fault_no_memory(fault);
	empty_stacks(&w);
	free(w.stacks);
	return result;
}

int tw_walk_thread(struct tw_timeline *timeline, struct tw_thread *thread,
		   const struct tw_walk_ops *ops, struct tw_walk_counts *counts,
		   struct tw_fault *fault)
{
	struct stack stack = {0};
	struct walk w = {.timeline = timeline,
			 .ops = ops,
			 .counts = counts,
			 .stacks = &stack,
			 .first = thread->number,
			 .n = 1,
			 .is_one_thread = true};
	struct tw_visitor visitor = {
		.context = &w, .block = on_block, .event = on_event};
	int result = tw_timeline_each_of(timeline, thread, &visitor, fault);

	if (result == 0)
		result = close_all(&w);
	if (result == -ENOMEM)
		tw_fault_no_memory(fault);
	empty_stacks(&w);
	return result;
}

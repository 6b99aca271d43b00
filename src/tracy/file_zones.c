/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second pass over a trace that becomes a `.tracy` file: each thread's tree of
 * zones, written straight through. A zone says how many children it has before they
 * come; the first pass has counted them.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"

/* The thread that is being written. */
struct tree {
	struct tw_tracy_plan *plan;
	struct tw_tracy_out *out;
	uint32_t *children, *extras; /* extras: NULL = no zone has one */
	size_t room;		     /* of both together */
	uint64_t n_zones, n_begun;
	uint64_t ns; /* times are differences to the one before */
};

static void put_time(struct tree *t, uint64_t ns)
{
	ns = tw_tracy_time(ns);
	tw_tracy_u64(t->out, ns - t->ns);
	t->ns = ns;
}

static int on_begin(void *context, const struct tw_event *event)
{
	struct tree *t = context;
	uint64_t i = t->n_begun++;
	uint32_t at = tw_tracy_place_index(t->plan, event->id);

	/* Only when the trace changes between the passes. */
	if (i >= t->n_zones || t->plan->places.ids[at] == 0)
		return -ESTALE;
	tw_tracy_u16(t->out, (uint16_t)t->plan->places.ids[at]);
	put_time(t, event->ns);
	tw_tracy_u32(t->out, t->extras ? t->extras[i] : 0);
	tw_tracy_u32(t->out, t->children[i]);
	return t->out->w->error;
}

static int on_zone(void *context, const struct tw_zone *zone)
{
	put_time(context, zone->begin_ns + zone->duration_ns);
	return 0;
}

static int load_shape(struct tree *t, const struct tw_tracy_thread *from)
{
	size_t n = (size_t)from->n_zones * (from->has_extras ? 2 : 1);

	if (n > t->room) {
		free(t->children);
		t->children = malloc(n * sizeof(*t->children));
		t->room = t->children ? n : 0;
		if (!t->children)
			return -ENOMEM;
	}
	t->extras = from->has_extras ? t->children + from->n_zones : NULL;
	t->n_zones = from->n_zones;
	t->n_begun = t->ns = 0;
	return tw_scratch_get(&t->plan->shapes, from->shape, t->children,
			      n * sizeof(*t->children));
}

static int write_zones(struct tree *t, struct tw_thread *thread,
		       const struct tw_tracy_thread *from)
{
	struct tw_walk_ops ops = {.context = t, .begin = on_begin, .zone = on_zone};
	struct tw_walk_counts unwanted = {0};
	struct tw_fault *fault = t->plan->fault;
	int error;

	tw_tracy_u32(t->out, from->n_roots);
	if (from->n_zones == 0)
		return 0;
	error = load_shape(t, from);
	if (error)
		return tw_tracy_scratch_failed(fault, error);
	error = tw_walk_thread(t->plan->timeline, thread, &ops, &unwanted, fault);
	if (error == -ESTALE || (!error && t->n_begun != t->n_zones))
		error = tw_fault_set(fault, -ESTALE,
				     "the trace changed while it was read: copy it and "
				     "export the copy");
	return error;
}

static int write_thread(struct tree *t, struct tw_thread *thread,
			const struct tw_tracy_thread *from)
{
	struct tw_tracy_out *out = t->out;
	int error;

	tw_tracy_u64(out, from->id);
	tw_tracy_u64(out, from->n_zones);
	tw_tracy_u64(out, 0); /* kernel samples */
	tw_tracy_u8(out, thread && thread->kind == TW_THREAD_FIBER);
	if (tw_tracy_has(out, TW_TRACY_HAS_GROUP_HINT))
		tw_tracy_u32(out, thread ? thread->process->number : 0);
	error = write_zones(t, thread, from);
	tw_tracy_u64(out, from->n_messages);
	for (uint64_t i = 0; i < from->n_messages; i++)
		tw_tracy_u64(out, from->first_message + i);
	tw_tracy_u64(out, 0); /* samples at context switches */
	tw_tracy_u64(out, 0); /* samples */
	return error;
}

/* Devices and their tracks have names but are no threads. */
static bool is_row(const struct tw_tracy_plan *plan, uint32_t number)
{
	const struct tw_thread *thread = plan->timeline->threads.items[number];

	return plan->threads[number].name &&
	       (!thread || (thread->kind != TW_THREAD_DEVICE &&
			    thread->kind != TW_THREAD_DEVICE_TRACK));
}

int tw_tracy_write_threads(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	const struct tw_table *threads = &plan->timeline->threads;
	struct tree t = {.plan = plan, .out = out};
	uint64_t n_bad = plan->timeline->n_bad_blocks, n = 0;
	int error = 0;

	for (uint32_t i = 0; i < threads->n; i++)
		n += is_row(plan, i);
	tw_tracy_u64(out, plan->n_zones);
	tw_tracy_u64(out, plan->n_parents);
	tw_tracy_u64(out, n);
	for (uint32_t i = 0; i < threads->n && !error; i++)
		if (is_row(plan, i))
			error = write_thread(&t, threads->items[i], &plan->threads[i]);
	free(t.children);
	plan->timeline->n_bad_blocks = n_bad; /* counted in the first pass */
	return error;
}

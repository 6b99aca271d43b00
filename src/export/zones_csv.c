/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form `.csv`: one row a zone, in the order of their ends. RFC 4180. Messages,
 * plots, frames, locks, memory, runs of fibers and call stacks are left out and
 * counted.
 */
#include "export/export.h"

struct context {
	struct tw_timeline *timeline;
	struct tw_writer *w;
};

static void put_number(struct tw_writer *w, uint64_t value)
{
	tw_writer_u64(w, value);
	tw_writer_bytes(w, ",", 1);
}

static void put_text(struct tw_writer *w, struct tw_slice text)
{
	tw_writer_csv(w, text);
	tw_writer_bytes(w, ",", 1);
}

static int put_zone(void *context, const struct tw_zone *zone)
{
	struct context *c = context;
	struct tw_writer *w = c->w;
	const struct tw_place *place = tw_timeline_place(c->timeline, zone->location);

	put_text(w, zone->name.n_bytes ? zone->name : place->name);
	put_text(w, place->file);
	put_number(w, place->line);
	put_text(w, tw_slice_of(tw_layer_word(place->layer)));
	put_number(w, zone->thread->process->pid);
	put_text(w, zone->thread->process->program);
	put_number(w, zone->thread->tid);
	put_text(w, zone->thread->name);
	put_number(w, zone->begin_ns);
	put_number(w, zone->duration_ns);
	put_number(w, zone->self_ns);
	put_number(w, zone->depth);
	put_text(w, zone->text);
	if (zone->has_value)
		tw_writer_u64(w, zone->value);
	tw_writer_text(w, "\r\n");
	return w->error;
}

int tw_export_csv(struct tw_timeline *timeline, struct tw_writer *w,
		  const struct tw_config *config, struct tw_export_result *result,
		  struct tw_fault *fault)
{
	struct context context = {timeline, w};
	struct tw_walk_ops ops = {
		.context = &context, .wants_text = true, .zone = put_zone};
	struct tw_walk_counts *counts = &result->counts;
	int error;

	(void)config;
	tw_writer_text(w, "name,file,line,layer,pid,process,tid,thread,begin_ns,"
			  "duration_ns,self_ns,depth,text,value\r\n");
	error = tw_walk(timeline, &ops, counts, fault);
	result->n_other = counts->n_messages + counts->n_plots + counts->n_frames +
			  counts->n_locks + counts->n_memory + counts->n_fiber_runs +
			  counts->n_stacks;
	return error;
}

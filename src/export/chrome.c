/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form `.json`: Chrome's trace event format, which chrome://tracing and Perfetto
 * open. Zones are complete events ("X"), messages, frames and marks are instants ("i"),
 * plots are counters ("C"). Times are microseconds since the session's start.
 */
#include <math.h>

#include "export/export.h"
#include "export/pending.h"

/* Above the kernel's largest pid: stands in for one that is not in the file. */
#define NO_PID (1u << 22)

struct chrome {
	struct tw_timeline *timeline;
	struct tw_writer *w;
	struct tw_pending *pending;
	bool has_event;	       /* a comma is due before the next one */
	uint64_t n_not_finite; /* plot points that JSON has no number for */
};

static uint32_t pid_of(const struct tw_process *process)
{
	return process->pid ? process->pid : NO_PID + process->number;
}

static uint32_t tid_of(const struct tw_thread *thread)
{
	return thread->tid ? thread->tid : NO_PID + thread->number;
}

static void put_text(struct tw_writer *w, const char *key, struct tw_slice text)
{
	tw_writer_text(w, key);
	tw_writer_json(w, text);
}

static void put_number(struct tw_writer *w, const char *key, uint64_t value)
{
	tw_writer_text(w, key);
	tw_writer_u64(w, value);
}

static void put_comma(struct chrome *c)
{
	tw_writer_text(c->w, c->has_event ? ",\n" : "\n");
	c->has_event = true;
}

/* Everything about a zone that is not a standard field. */
static void put_zone_args(struct tw_writer *w, const struct tw_zone *zone,
			  const struct tw_place *place)
{
	const char *separator = ",\"args\":{";

#define NEXT (tw_writer_text(w, separator), separator = ",")
	if (place->file.n_bytes) {
		NEXT;
		put_text(w, "\"file\":", place->file);
		put_number(w, ",\"line\":", place->line);
	}
	if (zone->text.n_bytes) {
		NEXT;
		put_text(w, "\"text\":", zone->text);
	}
	if (zone->has_value) {
		NEXT;
		put_number(w, "\"value\":", zone->value);
	}
	if (zone->colour) {
		NEXT;
		tw_writer_format(w, "\"colour\":\"#%06x\"", zone->colour);
	}
	if (zone->is_open) {
		NEXT;
		tw_writer_text(w, "\"open\":true");
	}
#undef NEXT
	if (separator[1] == '\0')
		tw_writer_text(w, "}");
}

static void put_zone(struct chrome *c, struct tw_writer *w, const struct tw_zone *zone)
{
	const struct tw_place *place = tw_timeline_place(c->timeline, zone->location);

	put_text(w, "{\"ph\":\"X\",\"name\":",
		 zone->name.n_bytes ? zone->name : place->name);
	tw_writer_text(w, ",\"cat\":\"");
	tw_writer_text(w, tw_layer_word(place->layer));
	tw_writer_text(w, "\",\"ts\":");
	tw_writer_us(w, zone->begin_ns);
	tw_writer_text(w, ",\"dur\":");
	tw_writer_us(w, zone->duration_ns);
	put_number(w, ",\"pid\":", pid_of(zone->thread->process));
	put_number(w, ",\"tid\":", tid_of(zone->thread));
	put_zone_args(w, zone, place);
	tw_writer_text(w, "}");
}

static int on_zone(void *context, const struct tw_zone *zone)
{
	struct chrome *c = context;
	struct tw_writer *w = NULL;

	if (zone->shares_begin)
		w = tw_pending_open(c->pending, zone);
	if (w) {
		/* It is written after another one: a comma is always due. */
		tw_writer_text(w, ",\n");
		put_zone(c, w, zone);
		return tw_pending_close(c->pending);
	}
	put_comma(c);
	put_zone(c, c->w, zone);
	tw_pending_release(c->pending, zone, c->w);
	return c->w->error;
}

/* An instant; scope "t" = thread, "p" = process, "g" = everything. */
static void put_instant(struct chrome *c, const char *category, const char *scope,
			struct tw_slice name, uint64_t ns)
{
	put_comma(c);
	put_text(c->w, "{\"ph\":\"i\",\"name\":", name);
	tw_writer_format(c->w, ",\"cat\":\"%s\",\"s\":\"%s\",\"ts\":", category, scope);
	tw_writer_us(c->w, ns);
}

static void put_owner(struct chrome *c, const struct tw_thread *thread)
{
	put_number(c->w, ",\"pid\":", pid_of(thread->process));
	put_number(c->w, ",\"tid\":", tid_of(thread));
}

static int on_message(void *context, const struct tw_event *event, struct tw_slice text)
{
	struct chrome *c = context;

	put_instant(c, "message", "t", text, event->ns);
	put_owner(c, event->thread);
	if (event->id & 0xffffff)
		tw_writer_format(c->w, ",\"args\":{\"colour\":\"#%06x\"}",
				 event->id & 0xffffff);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

static int on_frame(void *context, const struct tw_event *event, struct tw_slice name)
{
	struct chrome *c = context;

	if (event->kind == TW_EVENT_FRAME_END)
		return 0; /* the next one's begin shows where it ended at the latest */
	put_instant(c, "frame", "p", name.n_bytes ? name : tw_slice_of("frame"),
		    event->ns);
	put_owner(c, event->thread);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

static int on_plot(void *context, const struct tw_event *event, struct tw_slice name,
		   double value)
{
	struct chrome *c = context;

	if (!isfinite(value)) {
		c->n_not_finite++;
		return 0;
	}
	put_comma(c);
	put_text(c->w,
		 "{\"ph\":\"C\",\"name\":", name.n_bytes ? name : tw_slice_of("plot"));
	tw_writer_text(c->w, ",\"cat\":\"plot\",\"ts\":");
	tw_writer_us(c->w, event->ns);
	put_owner(c, event->thread);
	tw_writer_format(c->w, ",\"args\":{\"value\":%.17g}}", value);
	return c->w->error;
}

/* Marks come from outside; viewers want an owner all the same: the first thread. */
static void put_nobody(struct chrome *c)
{
	const struct tw_table *threads = &c->timeline->threads;

	for (uint32_t i = 0; i < threads->n; i++) {
		if (!threads->items[i])
			continue;
		put_owner(c, threads->items[i]);
		return;
	}
	tw_writer_format(c->w, ",\"pid\":%u,\"tid\":%u", NO_PID, NO_PID);
}

static int on_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct chrome *c = context;

	put_instant(c, "mark", "g", text, ns);
	put_nobody(c);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

static int on_gate(void *context, uint64_t ns, bool is_on)
{
	struct chrome *c = context;

	put_instant(c, "mark", "g",
		    tw_slice_of(is_on ? "recording started" : "recording stopped"), ns);
	put_nobody(c);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

/* {"ph":"M","name":WHAT,"pid":1,"args":{KEY:  - the value and "}}" are the caller's. */
static void put_meta(struct chrome *c, const char *what,
		     const struct tw_process *process, const struct tw_thread *thread,
		     const char *key)
{
	put_comma(c);
	tw_writer_format(c->w, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u", what,
			 pid_of(process));
	if (thread)
		tw_writer_format(c->w, ",\"tid\":%u", tid_of(thread));
	tw_writer_format(c->w, ",\"args\":{\"%s\":", key);
}

static void put_process(struct chrome *c, const struct tw_process *process)
{
	struct tw_slice name = process->program;

	if (name.n_bytes == 0)
		name = tw_slice_of("(unknown process)");
	put_meta(c, "process_name", process, NULL, "name");
	tw_writer_json(c->w, name);
	tw_writer_text(c->w, "}}");
	put_meta(c, "process_sort_index", process, NULL, "sort_index");
	tw_writer_format(c->w, "%u}}", process->number);
	if (!process->has_end ||
	    (process->end != TW_END_EXITED && process->end != TW_END_SIGNALLED))
		return;
	put_meta(c, "process_labels", process, NULL, "labels");
	tw_writer_format(c->w, "\"%s %u\"}}",
			 process->end == TW_END_EXITED ? "exit" : "signal",
			 process->code);
}

static void put_names(struct chrome *c)
{
	const struct tw_timeline *t = c->timeline;

	for (uint32_t i = 0; i < t->processes.n; i++)
		if (t->processes.items[i])
			put_process(c, t->processes.items[i]);
	if (t->unknown_process.n_threads)
		put_process(c, &t->unknown_process);
	for (uint32_t i = 0; i < t->threads.n; i++) {
		const struct tw_thread *thread = t->threads.items[i];

		if (!thread || thread->name.n_bytes == 0)
			continue;
		put_meta(c, "thread_name", thread->process, thread, "name");
		tw_writer_json(c->w, thread->name);
		tw_writer_text(c->w, "}}");
	}
}

/* What belongs to the trace as a whole; written last, when everything is counted. */
static void put_session(struct chrome *c, const struct tw_walk_counts *counts)
{
	const struct tw_timeline *t = c->timeline;
	const struct tw_spool_damage *damage = tw_spool_damage(t->spool);

	tw_writer_text(c->w, "\n],\"otherData\":{\"recorder\":\"tracewrap\"");
	for (uint32_t i = 0; i < t->n_session; i++) {
		tw_writer_text(c->w, ",");
		tw_writer_json(c->w, t->session[i].key);
		tw_writer_text(c->w, ":");
		tw_writer_json(c->w, t->session[i].value);
	}
	put_number(c->w, ",\"start_wall_ns\":\"", t->start_wall_ns);
	put_number(c->w, "\",\"dropped\":\"", t->n_lost);
	put_number(c->w, "\",\"rotated_events\":\"", t->rotated_events);
	put_number(c->w, "\",\"truncated\":\"", counts->n_truncated);
	put_number(c->w, "\",\"open\":\"", counts->n_open);
	put_number(c->w, "\",\"damaged_bytes\":\"", damage->bytes);
	put_number(c->w, "\",\"plot_points_not_finite\":\"", c->n_not_finite);
	tw_writer_text(c->w, t->is_complete ? "\",\"complete\":\"true\"}}\n"
					    : "\",\"complete\":\"false\"}}\n");
}

int tw_export_chrome(struct tw_timeline *timeline, struct tw_writer *w,
		     const struct tw_config *config, struct tw_export_result *result,
		     struct tw_fault *fault)
{
	struct chrome c = {.timeline = timeline, .w = w};
	struct tw_walk_ops ops = {
		.context = &c,
		.wants_text = true,
		.zone = on_zone,
		.message = on_message,
		.plot = on_plot,
		.frame = on_frame,
		.mark = on_mark,
		.gate = on_gate,
	};
	int error;

	(void)config;
	c.pending = tw_pending_new(timeline->threads.n);
	if (!c.pending)
		return tw_fault_no_memory(fault);
	tw_writer_text(w, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	put_names(&c);
	error = tw_walk(timeline, &ops, &result->counts, fault);
	if (!error)
		put_session(&c, &result->counts);
	tw_pending_free(c.pending);
	return error;
}

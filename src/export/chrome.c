/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form `.json`: Chrome's trace event format, which chrome://tracing and Perfetto
 * open. Zones are complete events ("X"), messages, frame marks and marks are instants
 * ("i"), plots and the sizes of memory pools are counters ("C"), frames with an end and
 * locks are asynchronous pairs ("b", "e"). Fibers and tracks of devices are threads of
 * their process. Times are microseconds since the session's start.
 */
#include <math.h>
#include <stdio.h>

#include <stdlib.h>

#include "export/chrome_private.h"

/* Above the kernel's largest pid: stands in for one that is not in the file. */
#define NO_PID (1u << 22)
#define NO_TID (1u << 30) /* and above those that fibers and devices have */

uint32_t tw_chrome_pid(const struct tw_process *process)
{
	return process->pid ? process->pid : NO_PID + process->number;
}

static uint32_t tid_of(const struct tw_thread *thread)
{
	return thread->tid ? thread->tid : NO_TID + thread->number;
}

void tw_chrome_text(struct tw_writer *w, const char *key, struct tw_slice text)
{
	tw_writer_text(w, key);
	tw_writer_json(w, text);
}

void tw_chrome_number(struct tw_writer *w, const char *key, uint64_t value)
{
	tw_writer_text(w, key);
	tw_writer_u64(w, value);
}

void tw_chrome_next(struct tw_chrome *c)
{
	tw_writer_text(c->w, c->has_event ? ",\n" : "\n");
	c->has_event = true;
}

static void put_stack(struct tw_chrome *c, struct tw_writer *w,
		      const struct tw_zone *zone)
{
	for (uint32_t i = 0; i < zone->n_frames; i++)
		tw_chrome_text(w, i ? "," : "\"stack\":[",
			       tw_timeline_place(c->timeline, zone->frames[i])->name);
	tw_writer_text(w, "]");
}

/* Everything about a zone that is not a standard field. */
static void put_zone_args(struct tw_chrome *c, struct tw_writer *w,
			  const struct tw_zone *zone, const struct tw_place *place)
{
	const char *separator = ",\"args\":{";

#define NEXT (tw_writer_text(w, separator), separator = ",")
	if (place->file.n_bytes) {
		NEXT;
		tw_chrome_text(w, "\"file\":", place->file);
		tw_chrome_number(w, ",\"line\":", place->line);
	}
	if (zone->text.n_bytes) {
		NEXT;
		tw_chrome_text(w, "\"text\":", zone->text);
	}
	if (zone->has_value) {
		NEXT;
		tw_chrome_number(w, "\"value\":", zone->value);
	}
	if (zone->colour) {
		NEXT;
		tw_writer_format(w, "\"colour\":\"#%06x\"", zone->colour);
	}
	if (zone->n_frames) {
		NEXT;
		put_stack(c, w, zone);
	}
	if (zone->is_open) {
		NEXT;
		tw_writer_text(w, "\"open\":true");
	}
#undef NEXT
	if (separator[1] == '\0')
		tw_writer_text(w, "}");
}

static void put_zone(struct tw_chrome *c, struct tw_writer *w,
		     const struct tw_zone *zone)
{
	const struct tw_place *place = tw_timeline_place(c->timeline, zone->location);

	tw_chrome_text(w, "{\"ph\":\"X\",\"name\":",
		       zone->name.n_bytes ? zone->name : place->name);
	tw_writer_text(w, ",\"cat\":\"");
	tw_writer_text(w, tw_layer_word(place->layer));
	tw_writer_text(w, "\",\"ts\":");
	tw_writer_us(w, zone->begin_ns);
	tw_writer_text(w, ",\"dur\":");
	tw_writer_us(w, zone->duration_ns);
	tw_chrome_number(w, ",\"pid\":", tw_chrome_pid(zone->thread->process));
	tw_chrome_number(w, ",\"tid\":", tid_of(zone->thread));
	put_zone_args(c, w, zone, place);
	tw_writer_text(w, "}");
}

static int on_zone(void *context, const struct tw_zone *zone)
{
	struct tw_chrome *c = context;
	struct tw_writer *w = NULL;

	if (zone->shares_begin)
		w = tw_pending_open(c->pending, zone);
	if (w) {
		/* It is written after another one: a comma is always due. */
		tw_writer_text(w, ",\n");
		put_zone(c, w, zone);
		return tw_pending_close(c->pending);
	}
	tw_chrome_next(c);
	put_zone(c, c->w, zone);
	tw_pending_release(c->pending, zone, c->w);
	return c->w->error;
}

/* An instant; scope "t" = thread, "p" = process, "g" = everything. */
static void put_instant(struct tw_chrome *c, const char *category, const char *scope,
			struct tw_slice name, uint64_t ns)
{
	tw_chrome_next(c);
	tw_chrome_text(c->w, "{\"ph\":\"i\",\"name\":", name);
	tw_writer_format(c->w, ",\"cat\":\"%s\",\"s\":\"%s\",\"ts\":", category, scope);
	tw_writer_us(c->w, ns);
}

void tw_chrome_owner(struct tw_chrome *c, const struct tw_thread *thread)
{
	tw_chrome_number(c->w, ",\"pid\":", tw_chrome_pid(thread->process));
	tw_chrome_number(c->w, ",\"tid\":", tid_of(thread));
}

static int on_message(void *context, const struct tw_event *event, struct tw_slice text)
{
	struct tw_chrome *c = context;

	put_instant(c, "message", "t", text, event->ns);
	tw_chrome_owner(c, event->thread);
	if (event->id & 0xffffff)
		tw_writer_format(c->w, ",\"args\":{\"colour\":\"#%06x\"}",
				 event->id & 0xffffff);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

/* Begin or end of a frame; frames of one name in one process are one row. */
static void put_frame_half(struct tw_chrome *c, const struct tw_event *event,
			   struct tw_slice name)
{
	tw_chrome_next(c);
	tw_writer_format(c->w,
			 "{\"ph\":\"%s\",\"cat\":\"frame\",\"id\":\"frame-%u-%u\"",
			 event->kind == TW_EVENT_FRAME_BEGIN ? "b" : "e",
			 event->thread->process->number, event->id);
	tw_chrome_text(c->w, ",\"name\":", name);
	tw_writer_text(c->w, ",\"ts\":");
	tw_writer_us(c->w, event->ns);
}

static int on_frame(void *context, const struct tw_event *event, struct tw_slice name)
{
	struct tw_chrome *c = context;

	if (name.n_bytes == 0)
		name = tw_slice_of("frame");
	if (event->kind == TW_EVENT_FRAME)
		put_instant(c, "frame", "p", name, event->ns);
	else
		put_frame_half(c, event, name);
	tw_chrome_owner(c, event->thread);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

static int on_plot(void *context, const struct tw_event *event, struct tw_slice name,
		   double value)
{
	struct tw_chrome *c = context;

	if (!isfinite(value)) {
		c->n_not_finite++;
		return 0;
	}
	tw_chrome_next(c);
	tw_chrome_text(c->w, "{\"ph\":\"C\",\"name\":",
		       name.n_bytes ? name : tw_slice_of("plot"));
	tw_writer_text(c->w, ",\"cat\":\"plot\",\"ts\":");
	tw_writer_us(c->w, event->ns);
	tw_chrome_owner(c, event->thread);
	tw_writer_format(c->w, ",\"args\":{\"value\":%.17g}}", value);
	return c->w->error;
}

/* Marks come from outside; viewers want an owner all the same: the first thread. */
static void put_nobody(struct tw_chrome *c)
{
	const struct tw_table *threads = &c->timeline->threads;

	for (uint32_t i = 0; i < threads->n; i++) {
		if (!threads->items[i])
			continue;
		tw_chrome_owner(c, threads->items[i]);
		return;
	}
	tw_writer_format(c->w, ",\"pid\":%u,\"tid\":%u", NO_PID, NO_PID);
}

static int on_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct tw_chrome *c = context;

	put_instant(c, "mark", "g", text, ns);
	put_nobody(c);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

static int on_gate(void *context, uint64_t ns, bool is_on)
{
	struct tw_chrome *c = context;

	put_instant(c, "mark", "g",
		    tw_slice_of(is_on ? "recording started" : "recording stopped"), ns);
	put_nobody(c);
	tw_writer_text(c->w, "}");
	return c->w->error;
}

/* {"ph":"M","name":WHAT,"pid":1,"args":{KEY:  - the value and "}}" are the caller's. */
static void put_meta(struct tw_chrome *c, const char *what,
		     const struct tw_process *process, const struct tw_thread *thread,
		     const char *key)
{
	tw_chrome_next(c);
	tw_writer_format(c->w, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u", what,
			 tw_chrome_pid(process));
	if (thread)
		tw_writer_format(c->w, ",\"tid\":%u", tid_of(thread));
	tw_writer_format(c->w, ",\"args\":{\"%s\":", key);
}

static void put_process(struct tw_chrome *c, const struct tw_process *process)
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

/* Threads come first, then fibers, then what devices did. */
static void put_thread(struct tw_chrome *c, const struct tw_thread *thread)
{
	const struct tw_thread *device =
		tw_table_get(&c->timeline->threads, thread->device);
	char text[512];

	if (thread->name.n_bytes) {
		put_meta(c, "thread_name", thread->process, thread, "name");
		if (thread->kind == TW_THREAD_DEVICE_TRACK && device) {
			snprintf(text, sizeof(text), "%.240s: %.240s",
				 device->name.text, thread->name.text);
			tw_writer_json(c->w, tw_slice_of(text));
		} else {
			tw_writer_json(c->w, thread->name);
		}
		tw_writer_text(c->w, "}}");
	}
	if (tw_thread_is_real(thread))
		return;
	put_meta(c, "thread_sort_index", thread->process, thread, "sort_index");
	tw_writer_format(c->w, "%u}}",
			 thread->number + (thread->kind == TW_THREAD_FIBER ? 1u << 28
									   : 1u << 29));
}

static void put_names(struct tw_chrome *c)
{
	const struct tw_timeline *t = c->timeline;

	for (uint32_t i = 0; i < t->processes.n; i++)
		if (t->processes.items[i])
			put_process(c, t->processes.items[i]);
	if (t->unknown_process.n_threads)
		put_process(c, &t->unknown_process);
	for (uint32_t i = 0; i < t->threads.n; i++) {
		const struct tw_thread *thread = t->threads.items[i];

		if (thread && thread->kind != TW_THREAD_DEVICE)
			put_thread(c, thread);
	}
}

/* What belongs to the trace as a whole; written last, when everything is counted. */
static void put_session(struct tw_chrome *c, const struct tw_walk_counts *counts)
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
	tw_chrome_number(c->w, ",\"start_wall_ns\":\"", t->start_wall_ns);
	tw_chrome_number(c->w, "\",\"dropped\":\"", t->n_lost);
	tw_chrome_number(c->w, "\",\"rotated_events\":\"", t->rotated_events);
	tw_chrome_number(c->w, "\",\"truncated\":\"", counts->n_truncated);
	tw_chrome_number(c->w, "\",\"open\":\"", counts->n_open);
	tw_chrome_number(c->w, "\",\"damaged_bytes\":\"", damage->bytes);
	tw_chrome_number(c->w, "\",\"plot_points_not_finite\":\"", c->n_not_finite);
	tw_chrome_number(c->w, "\",\"unpaired\":\"", c->n_unpaired);
	tw_writer_text(c->w, t->is_complete ? "\",\"complete\":\"true\"}}\n"
					    : "\",\"complete\":\"false\"}}\n");
}

int tw_export_chrome(struct tw_timeline *timeline, struct tw_writer *w,
		     const struct tw_config *config, struct tw_export_result *result,
		     struct tw_fault *fault)
{
	struct tw_chrome c = {.timeline = timeline, .w = w};
	struct tw_walk_ops ops = {
		.context = &c,
		.wants_text = true,
		.zone = on_zone,
		.message = on_message,
		.plot = on_plot,
		.frame = on_frame,
		.lock = tw_chrome_on_lock,
		.memory = tw_chrome_on_memory,
		.mark = on_mark,
		.gate = on_gate,
	};
	int error;

	(void)config;
	c.pending = tw_pending_new(timeline->threads.n);
	if (!c.pending)
		return tw_fault_no_memory(fault);
	tw_writer_text(w, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	tw_sorter_init(&c.locks);
	tw_blocks_init(&c.blocks);
	put_names(&c);
	error = tw_walk(timeline, &ops, &result->counts, fault);
	if (!error) {
		error = tw_chrome_put_locks(&c, result->counts.last_ns);
		if (!error)
			error = tw_chrome_put_memory(&c);
		if (error)
			tw_fault_set(fault, error, "cannot keep intermediate data: %s",
				     strerror(-error));
	}
	if (!error)
		put_session(&c, &result->counts);
	result->n_other = result->counts.n_fiber_runs;
	tw_sorter_free(&c.locks);
	tw_blocks_free(&c.blocks);
	free(c.pools);
	tw_pending_free(c.pending);
	return error;
}

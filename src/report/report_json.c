/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON. Keys and their meaning are fixed; new ones may be added. Messages
 * and marks are streamed in passes of their own, so memory stays small.
 */
#include "report/report_private.h"

#define COMMAND_BYTES 65536u

/* The comma before every element but the first, and a line of its own. */
static void next(struct tw_writer *w, bool *is_first)
{
	tw_writer_text(w, *is_first ? "\n    {" : ",\n    {");
	*is_first = false;
}

static void put_number(struct tw_writer *w, const char *key, uint64_t value)
{
	tw_writer_text(w, key);
	tw_writer_u64(w, value);
}

static void put_text(struct tw_writer *w, const char *key, struct tw_slice text)
{
	tw_writer_text(w, key);
	tw_writer_json(w, text);
}

static void put_number_or_null(struct tw_writer *w, const char *key, bool has_value,
			       uint64_t value)
{
	tw_writer_text(w, key);
	if (has_value)
		tw_writer_u64(w, value);
	else
		tw_writer_text(w, "null");
}

static void put_bool(struct tw_writer *w, const char *key, bool value)
{
	tw_writer_text(w, key);
	tw_writer_text(w, value ? "true" : "false");
}

static void put_zone(struct tw_writer *w, const struct tw_row *row)
{
	put_text(w, "\"name\":", row->place->name);
	put_text(w, ",\"file\":", row->place->file);
	put_number(w, ",\"line\":", row->place->line);
	put_text(w, ",\"layer\":", tw_slice_of(tw_layer_word(row->place->layer)));
	put_number(w, ",\"count\":", row->count);
	put_number(w, ",\"total_ns\":", row->total_ns);
	put_number(w, ",\"self_ns\":", row->self_ns);
	put_number(w, ",\"min_ns\":", row->min_ns);
	put_number(w, ",\"mean_ns\":", tw_row_mean_ns(row));
	put_number(w, ",\"max_ns\":", row->max_ns);
	put_number(w, ",\"p99_ns\":", tw_row_p99_ns(row));
	if (row->process)
		put_number(w, ",\"process\":", row->process->pid);
	if (row->thread) {
		put_number(w, ",\"thread\":", row->thread->tid);
		put_text(w, ",\"thread_name\":", row->thread->name);
	}
	tw_writer_text(w, "}");
}

static void put_zones(struct tw_report *r, struct tw_writer *w)
{
	bool is_first = true;

	tw_writer_text(w, "{\n  \"zones\": [");
	for (size_t i = 0; i < r->n_rows; i++) {
		if (r->options->limit && i >= r->options->limit)
			break;
		next(w, &is_first);
		put_zone(w, &r->rows[i]);
	}
	tw_writer_text(w, "\n  ]");
}

struct stream {
	struct tw_writer *w;
	bool is_first;
};

static int put_message(void *context, const struct tw_event *event,
		       struct tw_slice text)
{
	struct stream *s = context;

	next(s->w, &s->is_first);
	put_number(s->w, "\"time_ns\":", event->ns);
	put_number(s->w, ",\"pid\":", event->thread->process->pid);
	put_number(s->w, ",\"tid\":", event->thread->tid);
	put_text(s->w, ",\"text\":", text);
	if (event->id & 0xffffff)
		tw_writer_format(s->w, ",\"colour\":\"#%06x\"}", event->id & 0xffffff);
	else
		tw_writer_text(s->w, ",\"colour\":null}");
	return s->w->error;
}

static int put_mark(void *context, uint64_t ns, struct tw_slice text)
{
	struct stream *s = context;

	next(s->w, &s->is_first);
	put_number(s->w, "\"time_ns\":", ns);
	put_text(s->w, ",\"text\":", text);
	tw_writer_text(s->w, "}");
	return s->w->error;
}

/* Both streams need a pass; one that would bring nothing is not made. */
static int put_streams(struct tw_report *r, struct tw_writer *w, struct tw_fault *fault)
{
	struct stream messages = {w, true}, marks = {w, true};
	struct tw_walk_ops ops = {.context = &messages, .message = put_message};
	struct tw_visitor visitor = {.context = &marks, .mark = put_mark};
	struct tw_walk_counts counts;
	int error = 0;

	tw_writer_text(w, ",\n  \"messages\": [");
	if (r->counts.n_messages)
		error = tw_walk(r->timeline, &ops, &counts, fault);
	tw_writer_text(w, "\n  ],\n  \"marks\": [");
	if (!error && r->timeline->n_marks)
		error = tw_timeline_each(r->timeline, &visitor, fault);
	tw_writer_text(w, "\n  ]");
	return error;
}

static void put_process(struct tw_writer *w, const struct tw_process *p)
{
	static char buffer[COMMAND_BYTES];
	bool has_end = p->has_end;

	put_number(w, "\"pid\":", p->pid);
	put_number(w, ",\"ppid\":", p->ppid);
	put_text(w, ",\"program\":", p->program);
	put_text(w, ",\"command\":", tw_report_command(p, buffer, sizeof(buffer)));
	put_number(w, ",\"start_ns\":", p->start_ns);
	put_number_or_null(w, ",\"end_ns\":", has_end, p->end_ns);
	put_number_or_null(w, ",\"exit_code\":", has_end && p->end == TW_END_EXITED,
			   p->code);
	put_number_or_null(w, ",\"signal\":", has_end && p->end == TW_END_SIGNALLED,
			   p->code);
	put_text(w, ",\"ended\":", tw_slice_of(tw_report_end_word(p)));
	put_number(w, ",\"threads\":", p->n_threads);
	tw_writer_text(w, "}");
}

static void put_processes(const struct tw_timeline *t, struct tw_writer *w)
{
	bool is_first = true;

	tw_writer_text(w, ",\n  \"processes\": [");
	for (uint32_t i = 0; i < t->processes.n; i++) {
		if (!t->processes.items[i])
			continue;
		next(w, &is_first);
		put_process(w, t->processes.items[i]);
	}
	if (t->unknown_process.n_threads) {
		next(w, &is_first);
		put_process(w, &t->unknown_process);
	}
	tw_writer_text(w, "\n  ]");
}

static void put_thread(const struct tw_report *r, struct tw_writer *w,
		       const struct tw_thread *thread)
{
	put_number(w, "\"tid\":", thread->tid);
	put_number(w, ",\"pid\":", thread->process->pid);
	put_text(w, ",\"name\":", thread->name);
	put_number(w, ",\"start_ns\":", thread->start_ns);
	put_number_or_null(w, ",\"end_ns\":", thread->has_end, thread->end_ns);
	put_number(w, ",\"zones\":",
		   tw_statistics_thread_zones(r->statistics, thread->number));
	put_number(w, ",\"dropped\":", thread->n_lost);
	put_number(w, ",\"stalls\":", thread->n_stalls);
	put_number(w, ",\"stall_ns\":", thread->stall_ns);
	put_bool(w, ",\"main\":", thread->kind == TW_THREAD_MAIN);
	put_text(w, ",\"kind\":",
		 tw_slice_of(thread->kind == TW_THREAD_MAIN
				     ? "thread"
				     : tw_thread_kind_word(thread->kind)));
	tw_writer_text(w, "}");
}

static void put_threads(const struct tw_report *r, struct tw_writer *w)
{
	const struct tw_table *threads = &r->timeline->threads;
	bool is_first = true;

	tw_writer_text(w, ",\n  \"threads\": [");
	for (uint32_t i = 0; i < threads->n; i++) {
		if (!threads->items[i])
			continue;
		next(w, &is_first);
		put_thread(r, w, threads->items[i]);
	}
	tw_writer_text(w, "\n  ]");
}

static void put_losses(const struct tw_timeline *t, struct tw_writer *w)
{
	bool is_first = true;

	put_number(w, ",\n  \"dropped\": ", t->n_lost);
	tw_writer_text(w, ",\n  \"lost\": [");
	for (uint32_t i = 0; i <= TW_LOSS_COUNT; i++) {
		if (t->lost[i] == 0)
			continue;
		next(w, &is_first);
		put_text(w, "\"reason\":", tw_slice_of(tw_loss_words(i)));
		put_number(w, ",\"count\":", t->lost[i]);
		tw_writer_text(w, "}");
	}
	tw_writer_text(w, "\n  ]");
}

static void put_notes(const struct tw_timeline *t, struct tw_writer *w)
{
	uint64_t n = t->n_notes < TW_NOTES_KEPT ? t->n_notes : TW_NOTES_KEPT;

	tw_writer_text(w, ",\n  \"notes\": [");
	for (uint64_t i = 0; i < n; i++)
		put_text(w, i ? ",\n    " : "\n    ", t->notes[i]);
	tw_writer_text(w, "\n  ],\n  \"session\": {");
	for (uint32_t i = 0; i < t->n_session; i++) {
		put_text(w, i ? ",\n    " : "\n    ", t->session[i].key);
		put_text(w, ": ", t->session[i].value);
	}
	tw_writer_text(w, "\n  }");
}

static void put_totals(const struct tw_report *r, struct tw_writer *w)
{
	const struct tw_timeline *t = r->timeline;

	put_number(w, ",\n  \"duration_ns\": ", r->duration_ns);
	put_number_or_null(w, ",\n  \"start_wall_ns\": ", t->start_wall_ns,
			   t->start_wall_ns);
	put_number(w, ",\n  \"events\": ", t->n_events);
	put_number(w, ",\n  \"zone_count\": ", r->counts.n_zones);
	put_number(w, ",\n  \"stalls\": ", t->n_stalls);
	put_number(w, ",\n  \"stall_ns\": ", t->stall_ns);
	put_number(w, ",\n  \"rotated_events\": ", t->rotated_events);
	put_number(w, ",\n  \"truncated\": ", r->counts.n_truncated);
	put_number(w, ",\n  \"open\": ", r->counts.n_open);
	put_number(w, ",\n  \"unmatched_ends\": ", r->counts.n_unmatched);
	put_number(w, ",\n  \"resynced\": ", r->counts.n_resynced);
	put_number(w, ",\n  \"too_deep\": ", r->counts.n_too_deep);
	put_number(w, ",\n  \"unknown_events\": ", r->counts.n_unknown);
	put_number(w, ",\n  \"unknown_records\": ", t->n_bad_records);
	put_number(w, ",\n  \"damaged_places\": ", r->n_damaged);
	put_number(w, ",\n  \"damaged_bytes\": ", r->damage.bytes);
	put_number(w, ",\n  \"cut_bytes\": ", r->damage.tail_bytes);
	put_bool(w, ",\n  \"complete\": ", t->is_complete);
	put_bool(w, ",\n  \"clock_assumed\": ", t->clock.is_assumed);
}

int tw_report_json(struct tw_report *r, struct tw_writer *w, struct tw_fault *fault)
{
	int error;

	put_zones(r, w);
	error = put_streams(r, w, fault);
	if (error)
		return error;
	put_processes(r->timeline, w);
	put_threads(r, w);
	put_losses(r->timeline, w);
	put_notes(r->timeline, w);
	put_totals(r, w);
	tw_writer_text(w, "\n}\n");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report for people: the top table(s), then processes, threads, messages and
 * remarks. Numbers stand left and names right, so that a long name moves nothing.
 */
#include <stdio.h>
#include <string.h>

#include "report/report_private.h"
#include "report/units.h"

#define NAME_COLUMNS  60u
#define COMMAND_BYTES 200u

/* How many of n rows a table shows. */
static uint64_t shown(const struct tw_report *r, uint64_t n)
{
	uint64_t limit = r->options->limit ? r->options->limit : TW_REPORT_ROWS;

	return n < limit ? n : limit;
}

static void put_more(struct tw_writer *w, uint64_t n_shown, uint64_t n,
		     const char *what)
{
	if (n_shown < n)
		tw_writer_format(w, "  ... and %llu more %s (--limit %llu shows all)\n",
				 (unsigned long long)(n - n_shown), what,
				 (unsigned long long)n);
}

static void put_spaces(struct tw_writer *w, uint32_t n)
{
	while (n-- > 0)
		tw_writer_bytes(w, " ", 1);
}

static void put_time(struct tw_writer *w, uint64_t ns)
{
	char text[TW_UNITS_BYTES];

	tw_writer_format(w, " %8s", tw_units_time(text, ns));
}

/* The name, cut where it is too long, filled up to `width`. */
static void put_name(struct tw_writer *w, struct tw_slice name, uint32_t width)
{
	uint32_t n = tw_slice_columns(name);

	if (n > NAME_COLUMNS) {
		tw_writer_plain(w, tw_slice_cut(name, NAME_COLUMNS - 3));
		tw_writer_text(w, "...");
		n = NAME_COLUMNS;
	} else {
		tw_writer_plain(w, name);
	}
	if (n < width)
		put_spaces(w, width - n);
}

static void put_row(struct tw_writer *w, const struct tw_row *row, uint32_t width)
{
	const struct tw_place *place = row->place;

	put_time(w, row->total_ns);
	put_time(w, row->self_ns);
	tw_writer_format(w, " %10llu", (unsigned long long)row->count);
	put_time(w, row->min_ns);
	put_time(w, tw_row_mean_ns(row));
	put_time(w, row->max_ns);
	put_time(w, tw_row_p99_ns(row));
	tw_writer_format(w, "  %-7s  ", tw_layer_word(place->layer));
	put_name(w, place->name, place->file.n_bytes ? width : 0);
	if (place->file.n_bytes) {
		tw_writer_text(w, "  ");
		tw_writer_plain(w, place->file);
		tw_writer_format(w, ":%u", place->line);
	}
	tw_writer_text(w, "\n");
}

static void put_table(const struct tw_report *r, struct tw_writer *w,
		      const struct tw_row *rows, size_t n)
{
	uint64_t n_shown = shown(r, n);
	uint32_t width = 4;

	for (uint64_t i = 0; i < n_shown; i++) {
		uint32_t columns = tw_slice_columns(rows[i].place->name);

		if (columns > width)
			width = columns < NAME_COLUMNS ? columns : NAME_COLUMNS;
	}
	tw_writer_format(w, " %8s %8s %10s %8s %8s %8s %8s  %-7s  %-*s  %s\n", "total",
			 "self", "count", "min", "mean", "max", "p99", "layer",
			 (int)width, "name", "location");
	for (uint64_t i = 0; i < n_shown; i++)
		put_row(w, &rows[i], width);
	put_more(w, n_shown, n, "names");
}

static void put_group(struct tw_writer *w, const struct tw_row *row)
{
	if (row->thread) {
		tw_writer_format(w, "\nthread %u", row->thread->tid);
		if (row->thread->name.n_bytes) {
			tw_writer_text(w, " '");
			tw_writer_plain(w, row->thread->name);
			tw_writer_text(w, "'");
		}
		tw_writer_text(w, " of");
	} else {
		tw_writer_text(w, "\n");
	}
	tw_writer_format(w, "%sprocess %u ", row->thread ? " " : "", row->process->pid);
	tw_writer_plain(w, row->process->program);
	tw_writer_text(w, "\n");
}

/* One table, or one for each process or thread: rows come sorted by those. */
static void put_tables(const struct tw_report *r, struct tw_writer *w)
{
	size_t first = 0;

	if (r->n_rows == 0)
		tw_writer_text(w, "\nno zones were recorded\n");
	while (first < r->n_rows) {
		const struct tw_row *rows = &r->rows[first];
		size_t n = 1;

		while (first + n < r->n_rows && rows[n].process == rows->process &&
		       rows[n].thread == rows->thread)
			n++;
		if (rows->process)
			put_group(w, rows);
		else
			tw_writer_text(w, "\n");
		put_table(r, w, rows, n);
		first += n;
	}
}

static void put_heading(const struct tw_report *r, struct tw_writer *w)
{
	const struct tw_timeline *t = r->timeline;
	char text[TW_UNITS_BYTES];

	tw_writer_plain(w, tw_slice_of(tw_spool_path(t->spool)));
	tw_writer_format(
		w, ": %s, %u process%s, %u thread%s, %llu zones, %llu events\n",
		tw_units_time(text, r->duration_ns), t->n_processes,
		t->n_processes == 1 ? "" : "es", t->n_threads,
		t->n_threads == 1 ? "" : "s", (unsigned long long)r->counts.n_zones,
		(unsigned long long)t->n_events);
}

/* The arguments after argv[0]: the program stands before them already. */
static struct tw_slice without_first(struct tw_slice command, struct tw_slice raw)
{
	const char *nul = memchr(raw.text, '\0', raw.n_bytes);
	uint32_t n = nul ? (uint32_t)(nul - raw.text) + 1 : raw.n_bytes;

	if (n > command.n_bytes)
		n = command.n_bytes;
	command.text += n;
	command.n_bytes -= n;
	return command;
}

static void put_process(struct tw_writer *w, const struct tw_process *p, uint64_t until)
{
	char command[COMMAND_BYTES], end[32];
	uint64_t end_ns = p->has_end ? p->end_ns : until;
	struct tw_slice rest;

	if (p->has_end && p->end == TW_END_EXITED)
		snprintf(end, sizeof(end), "exit %u", p->code);
	else if (p->has_end && p->end == TW_END_SIGNALLED)
		snprintf(end, sizeof(end), "signal %u", p->code);
	else
		snprintf(end, sizeof(end), "%s", tw_report_end_word(p));
	tw_writer_format(w, " %8u %8u %8u  %-10s", p->pid, p->ppid, p->n_threads, end);
	put_time(w, end_ns > p->start_ns ? end_ns - p->start_ns : 0);
	tw_writer_text(w, "  ");
	tw_writer_plain(w, p->program);
	rest = without_first(tw_report_command(p, command, sizeof(command)),
			     p->command);
	if (rest.n_bytes)
		tw_writer_text(w, " ");
	tw_writer_plain(w, rest);
	tw_writer_text(w, "\n");
}

static void put_processes(const struct tw_report *r, struct tw_writer *w)
{
	const struct tw_timeline *t = r->timeline;
	uint64_t n_left = shown(r, t->n_processes);

	tw_writer_format(w, "\n %8s %8s %8s  %-10s %8s  %s\n", "process", "parent",
			 "threads", "end", "time", "program");
	for (uint32_t i = 0; i < t->processes.n && n_left > 0; i++) {
		if (!t->processes.items[i])
			continue;
		put_process(w, t->processes.items[i], r->duration_ns);
		n_left--;
	}
	put_more(w, shown(r, t->n_processes), t->n_processes, "processes");
}

static void put_thread(const struct tw_report *r, struct tw_writer *w,
		       const struct tw_thread *thread)
{
	uint64_t n = tw_statistics_thread_zones(r->statistics, thread->number);
	uint64_t end_ns = thread->has_end ? thread->end_ns : thread->last_ns;

	tw_writer_format(w, " %8u %8u %10llu %8llu", thread->tid, thread->process->pid,
			 (unsigned long long)n, (unsigned long long)thread->n_lost);
	put_time(w, end_ns > thread->start_ns ? end_ns - thread->start_ns : 0);
	tw_writer_text(w, "  ");
	tw_writer_plain(w, thread->name);
	if (thread->kind != TW_THREAD_PLAIN)
		tw_writer_format(w, "%s(%s)", thread->name.n_bytes ? " " : "",
				 tw_thread_kind_word(thread->kind));
	tw_writer_text(w, "\n");
}

static void put_threads(const struct tw_report *r, struct tw_writer *w)
{
	const struct tw_timeline *t = r->timeline;
	uint32_t n_rows = t->n_threads + t->n_rows;
	uint64_t n_left = shown(r, n_rows);

	tw_writer_format(w, "\n %8s %8s %10s %8s %8s  %s\n", "thread", "process",
			 "zones", "dropped", "time", "name");
	for (uint32_t i = 0; i < t->threads.n && n_left > 0; i++) {
		if (!t->threads.items[i])
			continue;
		put_thread(r, w, t->threads.items[i]);
		n_left--;
	}
	put_more(w, shown(r, n_rows), n_rows, "threads");
}

static void put_messages(const struct tw_report *r, struct tw_writer *w)
{
	if (r->n_messages == 0)
		return;
	tw_writer_format(w, "\n %8s %8s  %s\n", "at", "thread", "message");
	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct tw_report_message *m = &r->messages[i];

		put_time(w, m->ns);
		tw_writer_format(w, " %8u  ", m->thread->tid);
		tw_writer_plain(w, (struct tw_slice){m->text, m->n_bytes});
		tw_writer_text(w, m->n_bytes == sizeof(m->text) ? "...\n" : "\n");
	}
	if (r->counts.n_messages > r->n_messages)
		tw_writer_format(
			w, "  ... and %llu more messages (--json shows all)\n",
			(unsigned long long)(r->counts.n_messages - r->n_messages));
}

int tw_report_text(struct tw_report *r, struct tw_writer *w, struct tw_fault *fault)
{
	(void)fault;
	put_heading(r, w);
	put_tables(r, w);
	if (r->timeline->n_processes)
		put_processes(r, w);
	if (r->timeline->n_threads)
		put_threads(r, w);
	put_messages(r, w);
	tw_report_remarks(r, w);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See report.h: one walk over the trace collects, then one of the forms prints. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_private.h"

static int on_zone(void *context, const struct tw_zone *zone)
{
	struct tw_report *r = context;

	return tw_statistics_add(r->statistics, zone);
}

/* Keeps the earliest few: the file is in order of threads, not of time. */
static int on_message(void *context, const struct tw_event *event, struct tw_slice text)
{
	struct tw_report *r = context;
	uint32_t at = r->n_messages;
	struct tw_report_message *m;

	while (at > 0 && r->messages[at - 1].ns > event->ns)
		at--;
	if (at == TW_REPORT_MESSAGES)
		return 0;
	if (r->n_messages < TW_REPORT_MESSAGES)
		r->n_messages++;
	m = &r->messages[at];
	memmove(m + 1, m, (r->n_messages - 1 - at) * sizeof(*m));
	m->ns = event->ns;
	m->thread = event->thread;
	m->n_bytes = text.n_bytes < sizeof(m->text) ? text.n_bytes : sizeof(m->text);
	memcpy(m->text, text.text, m->n_bytes);
	return 0;
}

struct tw_slice tw_report_command(const struct tw_process *process, char *buffer,
				  uint32_t n)
{
	struct tw_slice command = {buffer, process->command.n_bytes};

	if (command.n_bytes > n)
		command.n_bytes = n;
	for (uint32_t i = 0; i < command.n_bytes; i++) {
		char byte = process->command.text[i];

		buffer[i] = byte ? byte : ' ';
	}
	while (command.n_bytes && buffer[command.n_bytes - 1] == ' ')
		command.n_bytes--;
	return command;
}

const char *tw_report_end_word(const struct tw_process *process)
{
	static const char *const words[] = {
		[TW_END_UNKNOWN] = "unknown",
		[TW_END_EXITED] = "exited",
		[TW_END_SIGNALLED] = "signalled",
		[TW_END_EXEC] = "exec",
	};

	if (!process->has_end)
		return "running";
	return words[process->end <= TW_END_EXEC ? process->end : TW_END_UNKNOWN];
}

static int collect(struct tw_report *r, struct tw_fault *fault)
{
	struct tw_walk_ops ops = {
		.context = r,
		.zone = on_zone,
		.message = r->options->form == TW_REPORT_TEXT ? on_message : NULL,
	};
	int error;

	r->statistics = tw_statistics_new(r->timeline, r->options->by);
	if (!r->statistics)
		return tw_fault_no_memory(fault);
	error = tw_walk(r->timeline, &ops, &r->counts, fault);
	if (error)
		return error;
	r->rows = tw_statistics_sort(r->statistics, r->options->sort, &r->n_rows);
	r->damage = *tw_spool_damage(r->timeline->spool);
	r->n_damaged =
		r->damage.n_places + r->damage.is_header + r->timeline->n_bad_blocks;
	r->duration_ns = r->timeline->end_ns;
	if (r->counts.last_ns > r->duration_ns)
		r->duration_ns = r->counts.last_ns;
	return 0;
}

static int print(struct tw_report *r, int fd, struct tw_fault *fault)
{
	static int (*const forms[])(struct tw_report *, struct tw_writer *,
				    struct tw_fault *) = {
		[TW_REPORT_TEXT] = tw_report_text,
		[TW_REPORT_JSON] = tw_report_json,
		[TW_REPORT_CSV] = tw_report_csv,
	};
	struct tw_writer *w = malloc(sizeof(*w));
	int error, write_error;

	if (!w)
		return tw_fault_no_memory(fault);
	tw_writer_init(w, fd);
	error = forms[r->options->form](r, w, fault);
	write_error = tw_writer_flush(w);
	free(w);
	if (write_error)
		return tw_fault_set(fault, write_error, "cannot write the report: %s",
				    strerror(-write_error));
	return error;
}

int tw_report_write(struct tw_timeline *timeline,
		    const struct tw_report_options *options, int fd,
		    struct tw_fault *fault)
{
	struct tw_report *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return tw_fault_no_memory(fault);
	r->options = options;
	r->timeline = timeline;
	error = collect(r, fault);
	if (!error)
		error = print(r, fd, fault);
	tw_statistics_free(r->statistics);
	free(r);
	return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What report.c collects and the forms print; nobody else includes this. */
#ifndef TW_REPORT_PRIVATE_H
#define TW_REPORT_PRIVATE_H

#include "export/writer.h"
#include "report/report.h"
#include "report/statistics.h"

#define TW_REPORT_MESSAGES	10u /* shown in a text */
#define TW_REPORT_MESSAGE_BYTES 200u

struct tw_report_message {
	uint64_t ns;
	const struct tw_thread *thread;
	uint32_t n_bytes;
	char text[TW_REPORT_MESSAGE_BYTES];
};

struct tw_report {
	const struct tw_report_options *options;
	struct tw_timeline *timeline;
	struct tw_statistics *statistics;
	const struct tw_row *rows;
	size_t n_rows;
	struct tw_walk_counts counts;
	struct tw_spool_damage damage;
	uint64_t n_damaged; /* places where something could not be read */
	uint64_t duration_ns;
	/* the earliest ones, by time */
	struct tw_report_message messages[TW_REPORT_MESSAGES];
	uint32_t n_messages;
};

/* The forms: return 0 or a negative errno with the fault worded. */
int tw_report_text(struct tw_report *report, struct tw_writer *w,
		   struct tw_fault *fault);
int tw_report_json(struct tw_report *report, struct tw_writer *w,
		   struct tw_fault *fault);
int tw_report_csv(struct tw_report *report, struct tw_writer *w,
		  struct tw_fault *fault);

/* The lines of a text about what is missing or odd; only those that have something to
 * say. */
void tw_report_remarks(const struct tw_report *report, struct tw_writer *w);

/* A command line for people: arguments joined by spaces, in buffer[n]. */
struct tw_slice tw_report_command(const struct tw_process *process, char *buffer,
				  uint32_t n);

/* How a process ended, in one word: "exited", "signalled", "exec", "unknown",
 * "running". */
const char *tw_report_end_word(const struct tw_process *process);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `tracewrap report`: statistics of a trace by zone name, and what happened around it,
 * as text for people, JSON or CSV. The JSON is an interface: keys are added, never
 * changed. Called by src/cmd/report.c; main thread.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include "core/options.h"
#include "trace/fault.h"

enum tw_report_form { TW_REPORT_TEXT, TW_REPORT_JSON, TW_REPORT_CSV };

#define TW_REPORT_ROWS 20u /* of each table of a text, unless told otherwise */

struct tw_report_options {
	enum tw_report_form form;
	enum tw_by by;
	enum tw_sort sort;
	uint64_t limit; /* rows; 0 = TW_REPORT_ROWS in a text, all in JSON and CSV */
};

struct tw_timeline;

/*
 * Reports on a trace to the descriptor `fd`. Returns 0, or a negative errno with the
 * fault worded; then nothing, or only the start, has been written.
 */
int tw_report_write(struct tw_timeline *timeline,
		    const struct tw_report_options *options, int fd,
		    struct tw_fault *fault) __attribute__((warn_unused_result));

#endif

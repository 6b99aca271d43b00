/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exports: a trace in a form that other programs read, chosen by the output's ending.
 * Called by src/cmd/export.c and, for `-o x.json`, by the run command after a run. Main
 * thread. Memory is bounded: everything streams.
 *
 * To add a form: a function of type tw_export_write in a file of its own, one row in
 * export.c.
 */
#ifndef TW_EXPORT_H
#define TW_EXPORT_H

#include "core/options.h"
#include "export/writer.h"
#include "trace/walk.h"

struct tw_export_result;

/*
 * Writes the whole timeline and fills in the result's counts; the config holds the
 * options of some forms. Returns 0 or a negative errno with the fault worded. Errors of
 * the writer are found by the caller.
 */
typedef int tw_export_write(struct tw_timeline *timeline, struct tw_writer *w,
			    const struct tw_config *config,
			    struct tw_export_result *result, struct tw_fault *fault);

struct tw_export_form {
	const char *ending; /* ".json" */
	const char *what;   /* for help and errors */
	const char *next;   /* what to do with such a file */
	tw_export_write *write;
};

extern const struct tw_export_form tw_export_forms[];
extern const size_t tw_n_export_forms;

/* What an export did and what was wrong with the trace. */
struct tw_export_result {
	const struct tw_export_form *form;
	uint64_t n_bytes; /* written */
	struct tw_walk_counts counts;
	struct tw_spool_damage damage;
	uint64_t n_bad_blocks;
	uint64_t n_left_out; /* events that a file of the form has no room for */
	uint64_t n_other;    /* events of kinds that the form does not have */
	bool is_complete;
};

/* The form that the output's ending names; NULL with the fault worded. */
const struct tw_export_form *tw_export_form_of(const char *output,
					       struct tw_fault *fault);

/*
 * Would an export to `output` be refused right away (ending, existing file, missing
 * folder)? For asking before a long run. Returns 0 or a negative errno, fault worded.
 */
int tw_export_check(const char *output, bool is_forced, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/*
 * Exports a trace to the file `output`, which appears whole or not at all. An existing
 * one is kept unless config->is_forced. Returns 0 and *result (may be NULL), or a
 * negative errno with the fault worded.
 */
int tw_export_timeline(struct tw_timeline *timeline, const char *output,
		       const struct tw_config *config, struct tw_export_result *result,
		       struct tw_fault *fault) __attribute__((warn_unused_result));

/* The same for the spool `trace`. */
int tw_export_file(const char *trace, const char *output,
		   const struct tw_config *config, struct tw_export_result *result,
		   struct tw_fault *fault) __attribute__((warn_unused_result));

/* The forms of this room. */
tw_export_write tw_export_chrome;
tw_export_write tw_export_csv;
tw_export_write tw_export_copy;
tw_export_write tw_export_tracy; /* src/tracy/file_write.c */

#endif

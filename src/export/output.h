/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An output file that appears whole or not at all: written beside its place under
 * another name, then moved there. Devices and pipes are written directly. Export only.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>

#include "trace/fault.h"

struct tw_output {
	int fd;
	char *path;	 /* where it goes */
	char *temporary; /* where it is until then; NULL = written directly */
	bool is_forced;
};

/* May there be an output at `path`? `input` (or NULL) must not be the same file. */
int tw_output_check(const char *path, bool is_forced, const char *input,
		    struct tw_fault *fault) __attribute__((warn_unused_result));

/* Checks and opens; 0 or a negative errno with the fault worded. */
int tw_output_open(struct tw_output *output, const char *path, bool is_forced,
		   const char *input, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/* Closes and moves the file to its place; frees the rest in any case. */
int tw_output_finish(struct tw_output *output, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/* Closes and removes what was written. */
void tw_output_abandon(struct tw_output *output);

#endif

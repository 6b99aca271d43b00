/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns a `.tracy` file, ours or one of Tracy's own tools, into a spool, so that every
 * command that reads traces reads it. Two passes over the file: the first one collects
 * names, threads, messages, points and frames, the second one writes the zones as they
 * come; memory grows with names, not with zones. Trusts no byte of the file. Called by
 * src/cmd/trace.c; one thread.
 *
 * What is kept of a file: docs are in README.md ("Files").
 */
#ifndef TW_TRACY_FILE_IMPORT_H
#define TW_TRACY_FILE_IMPORT_H

#include <stdbool.h>

#include "trace/fault.h"

/* Do these first bytes of a file (at least 4) start a `.tracy` file? */
bool tw_tracy_is(const unsigned char *start);

/*
 * Reads `path` and returns a descriptor of a spool without a name (in TMPDIR, else
 * beside the file), or a negative errno with the fault worded.
 */
int tw_tracy_import(const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));

#endif

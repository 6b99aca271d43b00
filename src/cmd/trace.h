/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TRACE argument of every command that reads one: a spool `.tw`, or a `.tracy` file
 * of any origin. Main thread.
 */
#ifndef TW_CMD_TRACE_H
#define TW_CMD_TRACE_H

#include "trace/timeline.h"

/*
 * Opens it; its first bytes decide what it is, not its name. A recording that is about
 * to end is waited for (settle.h). Returns 0, or a negative errno with the fault worded
 * and *out NULL.
 */
int tw_trace_open(struct tw_timeline **out, const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));

#endif

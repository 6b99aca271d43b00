/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that a `.tracy` file gives to what a plan (file_plan.h) has gathered:
 * locations, threads, the crash, lines of information. Between the two passes over a
 * trace. Command only, one thread.
 */
#ifndef TW_TRACY_FILE_NAMES_H
#define TW_TRACY_FILE_NAMES_H

#include "tracy/file_plan.h"

/* Everything that has a name, made before the string table is written. */
struct tw_tracy_file_names {
	uint32_t *places; /* name, function, file of each fixed, then each folded */
	uint32_t *lines;  /* of the application's information */
	uint32_t n_lines, lines_room;
	const struct tw_process *crashed;
	uint32_t crash;
};

/* 0 or a negative errno; what was made is to be freed in any case. */
int tw_tracy_names_make(struct tw_tracy_file_names *names, struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));
void tw_tracy_names_free(struct tw_tracy_file_names *names);

/* The process that the trace begins with; never NULL. */
const struct tw_process *tw_tracy_first_process(const struct tw_timeline *timeline);

/* The value of a key of the session; empty when there is none. */
struct tw_slice tw_tracy_session(const struct tw_timeline *timeline, const char *key);

/* A text's length for %.*s, at most so many. */
static inline int tw_tracy_cut(struct tw_slice text, uint32_t most)
{
	return (int)(text.n_bytes < most ? text.n_bytes : most);
}

#endif

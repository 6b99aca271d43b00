/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads `.tracy` files, ours and Tracy's own, of body versions 0.9.0 to 0.14.0, and
 * trusts none of their bytes. Everything is handed to callbacks with names looked up;
 * zones, plots and GPU zones stream, and what other things refer to (strings,
 * locations, texts of zones, messages, frames) is kept, up to a bound that follows from
 * the file's size. Command and tests only, one thread.
 */
#ifndef TW_TRACY_FILE_READ_H
#define TW_TRACY_FILE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/cursor.h"
#include "trace/fault.h"

/* Texts live until the callback returns. Times are ns since the trace's start. */
struct tw_tracy_info {
	uint32_t version; /* TW_TRACY_NUMBER() */
	bool is_new_container, is_zstd;
	uint64_t pid;
	int64_t last_ns;
	uint64_t capture_s; /* since 1970 */
	struct tw_slice capture, program, host;
};

struct tw_tracy_zone {
	uint64_t tid;
	int64_t begin_ns, end_ns; /* end_ns < 0 = open */
	uint64_t depth;
	uint32_t line;
	uint32_t colour;      /* 0xRRGGBB: its own or its location's; 0 = none */
	struct tw_slice name; /* its own, its location's or its function's */
	struct tw_slice function, file;
	struct tw_slice text;
	int16_t location;     /* number in the file: < 0 = made at run time */
	bool has_own_name;    /* the zone's, not the location's */
	uint32_t own_colour;  /* the zone's; 0 = none */
	uint32_t base_colour; /* the location's */
	struct tw_slice base_name;
};

struct tw_tracy_gpu_zone {
	uint64_t context; /* counted from 0 */
	uint64_t tid;
	uint64_t depth;
	int64_t cpu_begin_ns, cpu_end_ns, gpu_begin_ns, gpu_end_ns;
	struct tw_slice name;
};

struct tw_tracy_message {
	uint64_t tid; /* 0 = no thread claims it */
	int64_t ns;
	uint32_t colour; /* 0xRRGGBB */
	struct tw_slice text;
};

/* Each may be NULL; a result other than 0 ends the reading with it. */
struct tw_tracy_ops {
	void *context;
	int (*info)(void *context, const struct tw_tracy_info *info);
	int (*thread_name)(void *context, uint64_t tid, struct tw_slice name);
	int (*crash)(void *context, uint64_t tid, int64_t ns, struct tw_slice text);
	/* `end_ns` < 0: ends where the next one begins. */
	int (*frame)(void *context, struct tw_slice set, int64_t begin_ns,
		     int64_t end_ns);
	/* Any text of the file, before everything that refers to it. */
	int (*string)(void *context, struct tw_slice text);
	/* The zones of a thread follow, one thread after the other. */
	int (*thread)(void *context, uint64_t tid);
	/* A zone begins; its end is not known yet. */
	int (*begin)(void *context, const struct tw_tracy_zone *zone);
	/* The innermost zone that has begun ends; `end_ns` < 0: it is open. */
	int (*end)(void *context, int64_t end_ns);
	/* A whole zone: in the order of their ends within a thread. */
	int (*zone)(void *context, const struct tw_tracy_zone *zone);
	int (*gpu_zone)(void *context, const struct tw_tracy_gpu_zone *zone);
	int (*message)(void *context, const struct tw_tracy_message *message);
	int (*plot)(void *context, struct tw_slice name, int64_t ns, double value);
	int (*app_info)(void *context, struct tw_slice text);
};

/* Reads all of it. 0, a callback's result, or a negative errno with the fault worded.
 */
int tw_tracy_read(const char *path, const struct tw_tracy_ops *ops,
		  struct tw_fault *fault) __attribute__((warn_unused_result));

#endif

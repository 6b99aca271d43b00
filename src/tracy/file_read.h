/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads `.tracy` files, ours and Tracy's own, of body versions 0.9.0 to 0.14.0, and
 * trusts none of their bytes. Everything is handed to callbacks with names looked up;
 * zones, plots, locks, memory, call stacks and GPU zones stream, and what other things
 * refer to (strings, locations, texts of zones, messages, frames) is kept, up to a
 * bound that follows from the file's size. Command and tests only, one thread.
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
	uint32_t stack; /* number of its call stack; 0 = none */
};

struct tw_tracy_gpu_context {
	uint64_t number; /* counted from 0 */
	uint64_t tid;	 /* 0 = zones of several threads */
	uint64_t n_zones;
	bool is_calibrated;
	uint8_t type; /* Tracy's number: 3 OpenCL, 7 custom, ... */
	float period; /* ns a tick */
	struct tw_slice name;
};

struct tw_tracy_gpu_zone {
	uint64_t context; /* counted from 0 */
	uint64_t tid;
	uint64_t depth;
	int64_t cpu_begin_ns, cpu_end_ns, gpu_begin_ns, gpu_end_ns;
	struct tw_slice name;
	uint32_t stack;
};

struct tw_tracy_lock_info {
	uint32_t id;
	bool is_shared;
	int64_t announced_ns;
	int64_t gone_ns; /* 0 = it was there to the end */
	uint64_t n_threads;
	uint32_t line;
	struct tw_slice name; /* its own, its location's or its function's */
	struct tw_slice function, file;
};

/* Numbered as files do. */
enum tw_tracy_lock_what {
	TW_TRACY_FILE_LOCK_WAIT,
	TW_TRACY_FILE_LOCK_OBTAIN,
	TW_TRACY_FILE_LOCK_RELEASE,
	TW_TRACY_FILE_LOCK_WAIT_SHARED,
	TW_TRACY_FILE_LOCK_OBTAIN_SHARED,
	TW_TRACY_FILE_LOCK_RELEASE_SHARED,
	TW_TRACY_FILE_LOCK_COUNT
};

struct tw_tracy_lock_event {
	uint32_t lock; /* id */
	uint64_t tid;
	int64_t ns;
	enum tw_tracy_lock_what what;
};

/* An allocation. */
struct tw_tracy_block {
	struct tw_slice pool; /* empty = the default one */
	uint64_t address, bytes;
	int64_t ns, free_ns;	/* free_ns < 0 = never */
	uint64_t tid, free_tid; /* 0 = unknown */
	uint32_t stack, free_stack;
};

/* A frame of call stacks: one function, or one that is inlined into the next. */
struct tw_tracy_stack_frame {
	uint64_t id;
	uint8_t index; /* 0 = the innermost of those inlined */
	uint32_t line;
	uint64_t symbol;
	struct tw_slice image, function, file;
};

/* A thread ran on a processor, or (reason TW_TRACY_REASON_FIBER) a fiber on `on`. */
struct tw_tracy_run {
	uint64_t tid;
	int64_t begin_ns, end_ns; /* end_ns < 0 = open */
	uint8_t processor;
	int8_t reason, state;
	uint64_t on; /* whom it ran on or whom it was taken off for; 0 = nobody */
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
	/* The zones of a thread follow, one thread after the other. `group`: 0 = none,
	 * or the version has none. */
	int (*thread)(void *context, uint64_t tid, bool is_fiber, int32_t group);
	/* A zone begins; its end is not known yet. */
	int (*begin)(void *context, const struct tw_tracy_zone *zone);
	/* The innermost zone that has begun ends; `end_ns` < 0: it is open. */
	int (*end)(void *context, int64_t end_ns);
	/* A whole zone: in the order of their ends within a thread. */
	int (*zone)(void *context, const struct tw_tracy_zone *zone);
	/* In front of its zones. */
	int (*gpu_context)(void *context, const struct tw_tracy_gpu_context *gpu);
	int (*gpu_zone)(void *context, const struct tw_tracy_gpu_zone *zone);
	/* In front of its events. */
	int (*lock)(void *context, const struct tw_tracy_lock_info *lock);
	int (*lock_event)(void *context, const struct tw_tracy_lock_event *event);
	int (*message)(void *context, const struct tw_tracy_message *message);
	int (*plot)(void *context, struct tw_slice name, int64_t ns, double value);
	int (*block)(void *context, const struct tw_tracy_block *block);
	/* Call stacks, numbered from 1: ids of frames, innermost first; frames come
	 * after all stacks. */
	int (*stack)(void *context, uint32_t number, const uint64_t *frames,
		     unsigned n);
	int (*stack_frame)(void *context, const struct tw_tracy_stack_frame *frame);
	int (*run)(void *context, const struct tw_tracy_run *run);
	int (*app_info)(void *context, struct tw_slice text);
};

/* Reads all of it. 0, a callback's result, or a negative errno with the fault worded.
 */
int tw_tracy_read(const char *path, const struct tw_tracy_ops *ops,
		  struct tw_fault *fault) __attribute__((warn_unused_result));

#endif

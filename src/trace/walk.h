/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The zone walker: turns a timeline's begins and ends into whole zones, those of fibers
 * and devices too, and passes everything else on. It keeps one stack of open zones a
 * thread; memory grows with nesting, not with events. Used by the report and by all
 * exporters.
 */
#ifndef TW_WALK_H
#define TW_WALK_H

#include "trace/timeline.h"

#define TW_WALK_DEPTH_MAX (1u << 18) /* deeper zones are counted, not shown */
#define TW_ZONE_TEXT_MAX  16384u     /* all texts of one zone, joined by newlines */

struct tw_zone {
	struct tw_thread *thread;
	uint32_t location;
	uint64_t begin_ns;
	uint64_t duration_ns;
	uint64_t self_ns;  /* without the zones inside it */
	uint64_t depth;	   /* zones that were open around it */
	uint32_t colour;   /* its own or its place's; 0 = none */
	bool shares_begin; /* the zone around it began in the same nanosecond */
	bool is_open; /* its end is not in the file: closed at the last known time */
	bool has_value;
	uint64_t value;
	struct tw_slice text;	/* empty unless wants_text */
	struct tw_slice name;	/* given at run time; empty = its place's name */
	const uint32_t *frames; /* call stack: locations, innermost first */
	uint32_t n_frames;
};

/* What did not fit together, and how much came by. */
struct tw_walk_counts {
	uint64_t n_zones;     /* handed out, open ones included */
	uint64_t n_open;      /* without an end in the file */
	uint64_t n_truncated; /* without a begin in the file (rotation, damage) */
	uint64_t n_unmatched; /* ends with no zone open */
	uint64_t n_resynced; /* blocks whose depth was not where the last one stopped */
	uint64_t n_too_deep;
	uint64_t n_messages;
	uint64_t n_plots;
	uint64_t n_frames;
	uint64_t n_fiber_runs;
	uint64_t n_stacks;
	uint64_t n_locks;  /* events of locks */
	uint64_t n_memory; /* allocations and frees */
	uint64_t n_device_zones;
	uint64_t n_unknown; /* events of kinds that we do not know, or malformed ones */
	uint64_t last_ns;   /* the latest event */
};

/* What to call; each may be NULL. A result other than 0 ends the walk with it. */
struct tw_walk_ops {
	void *context;
	bool wants_text; /* zones carry their text, name and call stack */
	/* A zone begins; zone() follows for each, innermost first. */
	int (*begin)(void *context, const struct tw_event *event);
	int (*zone)(void *context, const struct tw_zone *zone);
	int (*message)(void *context, const struct tw_event *event,
		       struct tw_slice text);
	int (*plot)(void *context, const struct tw_event *event, struct tw_slice name,
		    double value);
	/* FRAME, FRAME_BEGIN or FRAME_END. */
	int (*frame)(void *context, const struct tw_event *event, struct tw_slice name);
	/* FIBER_ENTER (id: number of the thread that it runs on) or FIBER_LEAVE. */
	int (*fiber)(void *context, const struct tw_event *event);
	/* LOCK_*; `birth` holds what LOCK_NEW brings. */
	int (*lock)(void *context, const struct tw_event *event,
		    const struct tw_lock_birth *birth);
	/* MEMORY_ALLOC or MEMORY_FREE, which has no size. */
	int (*memory)(void *context, const struct tw_event *event, struct tw_slice pool,
		      const struct tw_memory_block *block);
	/* DEVICE_ZONE or DEVICE_CLOCK as they come, unplaced; for who uses device.h. */
	int (*device)(void *context, const struct tw_event *event);
	int (*mark)(void *context, uint64_t ns, struct tw_slice text);
	int (*gate)(void *context, uint64_t ns, bool is_on);
};

/*
 * Walks the whole timeline; zones come in the order of their ends. Returns 0, an
 * operation's result, or a negative errno with the fault worded. `counts` is filled in
 * any case.
 */
int tw_walk(struct tw_timeline *timeline, const struct tw_walk_ops *ops,
	    struct tw_walk_counts *counts, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/*
 * The same for one thread alone, without marks and gates. Adds to `counts`, which the
 * caller has zeroed.
 */
int tw_walk_thread(struct tw_timeline *timeline, struct tw_thread *thread,
		   const struct tw_walk_ops *ops, struct tw_walk_counts *counts,
		   struct tw_fault *fault) __attribute__((warn_unused_result));

#endif

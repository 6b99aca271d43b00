/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must be known of a trace before the first byte of its `.tracy` file is written:
 * every string, every location in use, the shape of each thread's tree, and messages,
 * points and frames in order of time. Made in one pass, a thread at a time; what grows
 * with the trace lies in scratch files. Shared by file_gather.c (fills it),
 * file_write.c and file_zones.c (write from it). Command only, one thread.
 */
#ifndef TW_TRACY_FILE_PLAN_H
#define TW_TRACY_FILE_PLAN_H

#include "export/export.h"
#include "tracy/file_out.h"
#include "tracy/file_sort.h"
#include "tracy/file_strings.h"

/* One location of the file: a place of the trace, or a source file of folded ones. */
struct tw_tracy_place {
	uint32_t location; /* id of the place; of folded ones: of the first */
	uint64_t n_zones;
};

struct tw_tracy_places {
	int16_t *ids; /* by location: > 0 static, < 0 folded, 0 = not in use */
	uint32_t n_ids;
	struct tw_tracy_place *fixed;  /* [0] is id 1 */
	struct tw_tracy_place *folded; /* [0] is id -1 */
	uint32_t n_fixed, n_folded;
	int16_t *files; /* by string id of the file: its folded id; NULL = none yet */
};

/* A plot or a frame set: a name, once for each process that uses it. */
struct tw_tracy_series {
	uint32_t name;	  /* string id of the trace */
	uint32_t process; /* number */
	uint32_t string;  /* of the file; 0 = the nameless frame set */
	bool is_shared;	  /* another process has the name too: ours is added to it */
	uint64_t n;
	double min, max, sum;
};

struct tw_tracy_series_set {
	struct tw_tracy_series *series;
	uint32_t n, room;
	uint32_t last; /* found last: most points come in rows */
	struct tw_sorter points;
};

/* A thread of the file. */
struct tw_tracy_thread {
	uint64_t id; /* its tid, unless another thread has the same */
	uint64_t n_zones;
	uint64_t n_open; /* the last of them: without an end, closed with the thread */
	uint32_t n_roots;
	uint32_t name; /* string */
	bool has_extras;
	uint64_t shape; /* where its shape is in plan->shapes */
	uint64_t first_message, n_messages;
};

struct tw_tracy_plan {
	struct tw_timeline *timeline;
	struct tw_export_result *result;
	struct tw_fault *fault;
	struct tw_tracy_strings strings;
	struct tw_tracy_places places;
	struct tw_tracy_thread *threads; /* by number; [0] is that of marks */
	struct tw_scratch extras;	 /* 12 bytes each, the dummy not included */
	uint32_t n_extras;
	/* Of each thread, by order of begin: u32 children of the zone; then, if
	 * has_extras, u32 number of its extra, 0 = none. */
	struct tw_scratch shapes;
	uint64_t n_zones, n_parents, n_messages;
	uint64_t n_left_out;
	struct tw_sorter messages;
	struct tw_tracy_series_set plots, frames;
	uint64_t last_ns;
};

/* Fills the plan. 0 or a negative errno with the fault worded. */
int tw_tracy_gather(struct tw_tracy_plan *plan) __attribute__((warn_unused_result));
void tw_tracy_plan_free(struct tw_tracy_plan *plan);

int tw_tracy_series_prepare(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));

/* Adds a point to the plot or frame set of event->id. 0 or a negative errno. */
int tw_tracy_series_add(struct tw_tracy_plan *plan, struct tw_tracy_series_set *set,
			const struct tw_event *event, double value)
	__attribute__((warn_unused_result));

/* The name that a series has in the file; buffer[TW_TRACY_TEXT_MAX + 1]. */
struct tw_slice tw_tracy_series_text(const struct tw_tracy_plan *plan,
				     const struct tw_tracy_series_set *set,
				     const struct tw_tracy_series *series,
				     char *buffer);

/* The id in the file of a location that is in use; counts the zone. 0 without memory.
 */
int16_t tw_tracy_place_use(struct tw_tracy_plan *plan, uint32_t location);

static inline uint32_t tw_tracy_place_index(const struct tw_tracy_plan *plan,
					    uint32_t location)
{
	/* All locations that the trace does not explain are one. */
	return tw_table_get(&plan->timeline->places, location) ? location : 0;
}

void tw_tracy_places_free(struct tw_tracy_places *places);

static inline uint64_t tw_tracy_time(uint64_t ns)
{
	return ns < TW_TRACY_TIME_MAX ? ns : TW_TRACY_TIME_MAX;
}

/* 0xRRGGBB as such files want it. */
static inline uint32_t tw_tracy_colour(uint32_t colour)
{
	return (colour & 0xff) << 16 | (colour & 0xff00) | (colour >> 16 & 0xff);
}

/* The last part of a program's path. */
struct tw_slice tw_tracy_program(const struct tw_process *process);

/* Section 20, all threads with their zones. 0 or a negative errno, fault worded. */
int tw_tracy_write_threads(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result));

/* Words a failure of a scratch file; returns `error`. */
int tw_tracy_scratch_failed(struct tw_fault *fault, int error);

#endif

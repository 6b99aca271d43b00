/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must be known of a trace before the first byte of its `.tracy` file is written:
 * every string, every location in use, the shape of each thread's tree, and messages,
 * points, frames, locks, memory and zones of devices in order of time. Made in one
 * pass, a thread at a time; what grows with the trace lies in scratch files. Shared by
 * file_gather.c (fills it) and file_write.c (writes from it); locks, memory, devices,
 * call stacks and fibers have a file each that does both. Command only, one thread.
 */
#ifndef TW_TRACY_FILE_PLAN_H
#define TW_TRACY_FILE_PLAN_H

#include "export/blocks.h"
#include "export/export.h"
#include "export/sort.h"
#include "trace/device.h"
#include "tracy/file_out.h"
#include "tracy/file_strings.h"

/* One location of the file: a place of the trace, or a source file of folded ones. */
struct tw_tracy_place {
	uint32_t location; /* id of the place; of folded ones: of the first */
	uint64_t n_zones, n_device_zones;
};

struct tw_tracy_places {
	int16_t *ids; /* by location: > 0 static, < 0 folded, 0 = not in use */
	uint32_t n_ids;
	struct tw_tracy_place *fixed;  /* [0] is id 1 */
	struct tw_tracy_place *folded; /* [0] is id -1 */
	uint32_t n_fixed, n_folded;
	int16_t *files; /* by string id of the file: its folded id; NULL = none yet */
};

/* A plot, a frame set or a pool of memory: a name, once a process that uses it. */
struct tw_tracy_series {
	uint32_t name;	  /* string id of the trace */
	uint32_t process; /* number */
	uint32_t string;  /* of the file; 0 = the nameless frame set */
	bool is_shared;	  /* another process has the name too: ours is added to it */
	uint64_t n;	  /* of pools: allocations and frees */
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
	bool is_referred_to;   /* by a lock, memory, a fiber or a device */
	uint16_t short_number; /* in the table of local threads; 0 = none left */
	uint64_t shape;	       /* where its shape is in plan->shapes */
	uint64_t first_message, n_messages;
	uint64_t first_run, n_runs; /* of a fiber, in plan->runs */
	bool is_running;	    /* the fiber's latest run has no end yet */
	uint64_t run_begin_ns, run_thread;
};

/* A lock; its threads' ids and its events lie in locks.bytes from `offset` on. */
struct tw_tracy_lock {
	uint32_t id;
	uint32_t name; /* string */
	uint64_t announce_ns, gone_ns;
	uint64_t offset, n_events;
	uint32_t location;
	uint32_t n_threads;
	int16_t place;
	bool is_announced, is_gone, is_shared;
};

struct tw_tracy_lock_slot;

struct tw_tracy_locks {
	struct tw_tracy_lock *list;
	uint32_t n, room;
	struct tw_tracy_lock_slot *slots; /* ids that are known */
	uint32_t n_slots;
	struct tw_sorter events; /* by lock and time */
	struct tw_scratch bytes;
};

/* What is said of a pool beside its allocations. */
struct tw_tracy_pool {
	uint64_t n, n_live;
	uint64_t low, high, live_bytes;
};

struct tw_tracy_memory {
	struct tw_blocks pairs;
	struct tw_sorter blocks; /* by pool and time of allocation */
	struct tw_tracy_pool *pools;
	uint64_t n_blocks;
};

struct tw_tracy_stack_slot;

struct tw_tracy_stacks {
	struct tw_scratch table; /* u16 n, n times u64 frame; for each */
	uint32_t n;
	struct tw_tracy_stack_slot *slots;
	uint32_t n_slots, n_known;
	uint8_t *is_used; /* by location: some stack has it */
	uint32_t n_frames;
	uint32_t *names; /* image, function, file of each frame, as they are written */
};

/* Where zones of a device are shown; in order of device and number. */
struct tw_tracy_track {
	uint32_t thread; /* number */
	uint32_t device;
	uint64_t n_zones, n_roots;
	uint64_t offset; /* of its zones in devices.zones */
};

struct tw_tracy_devices {
	struct tw_devices clocks; /* only looks at clocks */
	struct tw_sorter spans;	  /* by track and begin */
	struct tw_scratch zones;
	struct tw_tracy_track *tracks;
	uint32_t n_tracks, n_devices;
	uint32_t *names; /* string of each device, as they are written */
	uint64_t n_zones, n_parents;
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
	uint64_t
		n_mended; /* other halves of locks, memory and frames that we made up */
	struct tw_sorter messages;
	struct tw_tracy_series_set plots, frames, pools;
	struct tw_tracy_series_set spans; /* frames with an end */
	struct tw_scratch span_bytes; /* the frames of `spans`, as they are written */
	struct tw_scratch runs; /* of fibers: u64 begin, u64 end, u64 thread's id */
	struct tw_tracy_locks locks;
	struct tw_tracy_memory memory;
	struct tw_tracy_stacks stacks;
	struct tw_tracy_devices devices;
	uint64_t last_ns;
};

/* Keys of names that a file gives by pointer. The main one of a kind has key 0. */
#define TW_TRACY_PLOT_KEY(i)  ((UINT64_C(1) << 32) + (i))
#define TW_TRACY_FRAME_KEY(i) ((i) ? (UINT64_C(2) << 32) + (i) : 0)
#define TW_TRACY_CRASH_KEY    (UINT64_C(3) << 32)
#define TW_TRACY_SPAN_KEY(i)  ((UINT64_C(4) << 32) + (i))
#define TW_TRACY_POOL_KEY(i)  ((i) ? (UINT64_C(5) << 32) + (i) : 0)

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

/* The series of that name in that process, made if need be; NULL when full. */
struct tw_tracy_series *tw_tracy_series_find(struct tw_tracy_plan *plan,
					     struct tw_tracy_series_set *set,
					     uint32_t name,
					     const struct tw_process *process);

/* The id in the file of a location that is in use; 0 without memory. */
int16_t tw_tracy_place_use(struct tw_tracy_plan *plan, uint32_t location);

/* The place of such an id, to count its zones. */
static inline struct tw_tracy_place *tw_tracy_place_of(struct tw_tracy_plan *plan,
						       int16_t id)
{
	return id > 0 ? &plan->places.fixed[id - 1] : &plan->places.folded[-id - 1];
}

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

/*
 * A family of events each: take in one of them, make it ready to be written when all
 * are known, write it. 0 or a negative errno, unless it says something else.
 */
int tw_tracy_frame_add(struct tw_tracy_plan *plan, const struct tw_event *event)
	__attribute__((warn_unused_result));
int tw_tracy_frames_finish(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));

int tw_tracy_lock_add(struct tw_tracy_plan *plan, const struct tw_event *event,
		      const struct tw_lock_birth *birth)
	__attribute__((warn_unused_result));
int tw_tracy_locks_finish(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));
int tw_tracy_write_locks(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result)); /* section 17 */
void tw_tracy_locks_free(struct tw_tracy_locks *locks);

int tw_tracy_memory_add(struct tw_tracy_plan *plan, const struct tw_event *event,
			const struct tw_memory_block *block)
	__attribute__((warn_unused_result));
int tw_tracy_memory_finish(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));
int tw_tracy_write_memory(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result)); /* section 23 */
void tw_tracy_memory_free(struct tw_tracy_memory *memory);

/* Returns the stack's number, 0 when there are too many (counted) or no memory (an
 * error of the table). */
uint32_t tw_tracy_stack_add(struct tw_tracy_plan *plan, const uint32_t *locations,
			    uint32_t n);
int tw_tracy_stacks_finish(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));
int tw_tracy_write_stacks(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result)); /* sections 24, 25 */
void tw_tracy_stacks_free(struct tw_tracy_stacks *stacks);

int tw_tracy_device_add(struct tw_tracy_plan *plan, const struct tw_event *event)
	__attribute__((warn_unused_result));
int tw_tracy_devices_finish(struct tw_tracy_plan *plan)
	__attribute__((warn_unused_result));
int tw_tracy_write_devices(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result)); /* section 21 */
void tw_tracy_devices_free(struct tw_tracy_devices *devices);

int tw_tracy_run_add(struct tw_tracy_plan *plan, const struct tw_event *event)
	__attribute__((warn_unused_result));
/* The fiber's events have all come. */
void tw_tracy_run_finish(struct tw_tracy_plan *plan, const struct tw_thread *fiber);
int tw_tracy_write_runs(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
	__attribute__((warn_unused_result)); /* section 28 */

/* Copies bytes of a scratch file out. 0 or a negative errno. */
int tw_tracy_copy(struct tw_scratch *scratch, uint64_t offset, uint64_t n,
		  struct tw_tracy_out *out) __attribute__((warn_unused_result));

/* Words a failure of a scratch file; returns `error`. */
int tw_tracy_scratch_failed(struct tw_fault *fault, int error);

#endif

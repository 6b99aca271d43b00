/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the feed share; nobody else includes this. See feed.h. */
#ifndef TW_FEED_PRIVATE_H
#define TW_FEED_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "core/intern.h"
#include "core/text.h"
#include "tracy/feed.h"

/* An event of the spool that is neither a zone's begin nor its end. */
struct tw_feed_event {
	uint8_t kind; /* enum tw_event_kind */
	uint32_t id;
	const uint8_t *payload;
	uint32_t n_bytes;
};

static inline uint64_t tw_feed_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t tw_feed_u64(const uint8_t *payload)
{
	uint64_t v;

	memcpy(&v, payload, sizeof(v));
	return le64toh(v);
}

static inline bool tw_feed_is_marked(const uint64_t *map, uint32_t id)
{
	return map[id / 64] >> id % 64 & 1;
}

/* Returns true when it was not. */
static inline bool tw_feed_mark(uint64_t *map, uint32_t id)
{
	bool is_new = !tw_feed_is_marked(map, id);

	map[id / 64] |= UINT64_C(1) << id % 64;
	return is_new;
}

/* The wire key of a location; *is_folded: it stands for others, too. */
uint64_t tw_feed_place(struct tw_feed *feed, uint32_t id, bool *is_folded);

/* Rows: feed_fiber.c. Makes `t` the row of what is sent next. */
void tw_feed_turn_to(struct tw_feed *feed, struct tw_feed_thread *t);

static inline void tw_feed_select(struct tw_feed *feed, struct tw_feed_thread *t)
{
	if (feed->row != t)
		tw_feed_turn_to(feed, t);
}

/* FIBER_ENTER, FIBER_LEAVE. */
void tw_feed_fiber(struct tw_feed *feed, struct tw_feed_thread *t,
		   const struct tw_feed_event *e);
/* Neither runs a fiber nor is run. */
void tw_feed_leave(struct tw_feed *feed, struct tw_feed_thread *t);
/* The wire's id of the thread that runs `t`: its own, or its carrier's. */
uint32_t tw_feed_runner(struct tw_feed *feed, const struct tw_feed_thread *t);

/* Ends all open zones of a thread. */
void tw_feed_close_thread(struct tw_feed *feed, struct tw_feed_thread *thread,
			  uint64_t ticks);

/* Plots, frames, and what a process calls its own: feed_series.c. NULL = no room. */
struct tw_feed_series *tw_feed_series(struct tw_feed *feed, uint32_t process,
				      uint32_t name, enum tw_feed_series_kind kind);
void tw_feed_plot(struct tw_feed *feed, struct tw_feed_thread *t,
		  const struct tw_feed_event *e);
void tw_feed_frame_event(struct tw_feed *feed, struct tw_feed_thread *t,
			 const struct tw_feed_event *e);
void tw_feed_close_frames(struct tw_feed *feed);

/* Locks and memory: feed_serial.c holds back, feed_lock.c and feed_memory.c send. */
void tw_feed_hold(struct tw_feed *feed, struct tw_feed_thread *t,
		  const struct tw_feed_event *e);
/* All that is earlier than `ticks`. */
void tw_feed_release(struct tw_feed *feed, uint64_t ticks);
void tw_feed_lock_event(struct tw_feed *feed, const struct tw_feed_serial *s,
			uint64_t ticks);
void tw_feed_memory_event(struct tw_feed *feed, const struct tw_feed_serial *s,
			  uint64_t ticks);

/* Devices: feed_device.c. */
void tw_feed_device_event(struct tw_feed *feed, const struct tw_feed_event *e);
void tw_feed_close_track(struct tw_feed *feed, struct tw_feed_thread *t);
void tw_feed_close_devices(struct tw_feed *feed);

/* " [server 4711]" */
void tw_feed_add_process(struct tw_feed *feed, struct tw_text *t, uint32_t number);
/* The name of a thread, fiber, device or track. */
void tw_feed_add_name(struct tw_feed *feed, struct tw_text *t,
		      const struct tw_feed_thread *thread);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From ring slots to the bytes of an EVENTS block (format.h). Pure computation on
 * memory that another process may be writing: every field is checked. Called by the
 * pump only.
 */
#ifndef TW_ENCODE_H
#define TW_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/record.h"

#define TW_ENCODE_TARGET (64u << 10) /* raw bytes after which a block is full */
#define TW_ENCODE_BYTES	 (TW_ENCODE_TARGET + TW_PAYLOAD_MAX + 64)

/* What the pump keeps of one thread or fiber between turns. */
struct tw_stream_state {
	uint64_t tail;	     /* next slot to read */
	uint64_t last_ticks; /* time never runs backwards in a stream */
	uint32_t depth;
	uint64_t n_damaged; /* slots that made no sense */
	/* Whose events the ring's next ones are: a fiber's; NULL = the thread's own. */
	struct tw_stream_state *fiber;
};

struct tw_encoder {
	uint8_t *bytes; /* TW_ENCODE_BYTES of room */
	size_t used;
	uint32_t n_events;
	uint16_t sequence; /* of the block in its thread; set by the pump */
	uint32_t n_slots;  /* slots consumed; the caller wipes and frees them */
	/* Told of each id before its first use in the block. Returns the id to write.
	 */
	uint32_t (*name)(void *context, uint32_t id, enum tw_id_role role);
	/*
	 * A fiber is entered: its stream; `self` when there is no such fiber; NULL: its
	 * earlier run, on another thread, must be read first.
	 */
	struct tw_stream_state *(*enter)(void *context, struct tw_stream_state *self,
					 uint32_t id, uint32_t run);
	void *context;
	uint32_t thread; /* number of the thread whose ring it is; for fibers */
	/* Results: whose events these are, the last of a lock or a memory block. */
	struct tw_stream_state *stream;
	uint64_t serial_ticks; /* 0 = none among them */
	bool is_waiting;       /* for another ring: see enter */
};

/*
 * Encodes committed events from state->tail on, until one is not committed, `bound` is
 * reached, the block is full or the events are another fiber's. With is_final,
 * uncommitted slots below bound are stepped over: their owner died while writing them.
 * Advances state->tail. Returns true when there may be more.
 */
bool tw_encode(struct tw_encoder *e, struct tw_stream_state *state,
	       const struct tw_record *slots, uint64_t mask, uint64_t bound,
	       bool is_final);

#endif

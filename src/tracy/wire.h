/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoder of the client role: events with absolute ticks go in, compressed frames
 * come out through a callback. One per connection, one thread. The memory is the
 * caller's (large, zeroed); no malloc, no errno: it also runs inside the traced
 * process.
 *
 * A frame holds whole items, at most TW_WIRE_FRAME_BYTES of them, and is one LZ4 block
 * behind a 32-bit size. Blocks may refer to the 64 KiB before them: both sides keep the
 * last frames in a ring of three frame sizes. An item that needs a staged string
 * shares a frame with it.
 */
#ifndef TW_WIRE_H
#define TW_WIRE_H

#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracy/protocol.h"

#define TW_WIRE_FRAME_BYTES (256u << 10)
#define TW_WIRE_TEXT_MAX    65535u
#define TW_WIRE_STACK_MAX   1024u

/* Severities of messages, for versions that know them. */
enum tw_wire_severity { TW_WIRE_INFO = 2, TW_WIRE_WARNING = 3, TW_WIRE_ERROR = 4 };

struct tw_wire {
	const struct tw_tracy_protocol *protocol;
	/* Takes a whole frame or returns -errno; the connection is then lost. */
	int (*send)(void *context, const void *bytes, size_t n);
	void *context;
	int error; /* the first that `send` returned; nothing is sent after it */
	uint32_t thread;
	bool has_thread;
	uint64_t thread_ticks; /* reference of this thread's deltas */
	uint64_t serial_ticks; /* of locks, memory and zones of devices */
	int64_t gpu_time;      /* of the devices' own times */
	uint64_t n_frames, n_raw_bytes, n_packed_bytes;
	uint32_t start; /* of the frame being filled, in the ring */
	uint32_t used;	/* bytes in it */
	LZ4_stream_t lz4;
	uint8_t ring[3 * TW_WIRE_FRAME_BYTES];
	uint8_t packed[4 + LZ4_COMPRESSBOUND(TW_WIRE_FRAME_BYTES)];
};

/* Starts a connection's stream. */
void tw_wire_init(struct tw_wire *wire, const struct tw_tracy_protocol *protocol,
		  int (*send)(void *context, const void *bytes, size_t n),
		  void *context);

/* Sends what there is. */
void tw_wire_flush(struct tw_wire *wire);

/* Selects the thread of all that follows; nothing when it is selected already. */
void tw_wire_thread(struct tw_wire *wire, uint32_t thread);

/*
 * A location's key on the wire, and back: its bytes turned round. The zeros of a small
 * number then touch those of the time in front of it, and LZ4 packs a begin as one run
 * instead of two: a quarter of the bytes less.
 */
static inline uint64_t tw_wire_location_key(uint64_t location)
{
	return __builtin_bswap64(location);
}

/* Of the selected thread; ticks should not run backwards. */
void tw_wire_zone_begin(struct tw_wire *wire, uint64_t ticks, uint64_t location);
/* With `n` code addresses (at most TW_WIRE_STACK_MAX), innermost first, made up: what
 * they stand for is asked for. They must be canonical. */
void tw_wire_zone_begin_stack(struct tw_wire *wire, uint64_t ticks, uint64_t location,
			      const uint64_t *addresses, size_t n);
void tw_wire_zone_end(struct tw_wire *wire, uint64_t ticks);
/* Of the innermost open zone: there must be one. */
void tw_wire_zone_text(struct tw_wire *wire, const char *text, size_t bytes);
void tw_wire_zone_name(struct tw_wire *wire, const char *text, size_t bytes);
void tw_wire_zone_colour(struct tw_wire *wire, uint32_t rgb);
void tw_wire_zone_value(struct tw_wire *wire, uint64_t value);

/* Of the selected thread; rgb 0 = the viewer's choice. */
void tw_wire_message(struct tw_wire *wire, uint64_t ticks, const char *text,
		     size_t bytes, uint32_t rgb, enum tw_wire_severity severity);
void tw_wire_plot(struct tw_wire *wire, uint64_t ticks, uint64_t name, double value);
/* Name 0: the main frames, marks only. Ticks must not run backwards within one name,
 * which has either marks or starts and ends, by turns. */
enum tw_wire_frame_part { TW_WIRE_FRAME_MARK, TW_WIRE_FRAME_START, TW_WIRE_FRAME_END };
void tw_wire_frame(struct tw_wire *wire, uint64_t ticks, uint64_t name,
		   enum tw_wire_frame_part part);
void tw_wire_app_info(struct tw_wire *wire, uint64_t ticks, const char *text,
		      size_t bytes);
/* For a thread that has had an event; nothing where the version has no groups. */
void tw_wire_group_hint(struct tw_wire *wire, uint32_t thread, int32_t group);
/* What the selected thread does from here on is the fiber's, until it leaves: it must
 * have been entered. */
void tw_wire_fiber_enter(struct tw_wire *wire, uint64_t ticks, uint64_t fiber,
			 int32_t group);
void tw_wire_fiber_leave(struct tw_wire *wire, uint64_t ticks);
/* The selected thread's process died; `text` is a string key. */
void tw_wire_crash(struct tw_wire *wire, uint64_t ticks, uint64_t text);

/*
 * Of any thread, in wire_serial.c. Times of locks and memory must not run backwards.
 * A lock is announced first, a name may follow at once.
 */
void tw_wire_lock_announce(struct tw_wire *wire, uint64_t ticks, uint32_t lock,
			   uint64_t location, bool is_shared);
void tw_wire_lock_name(struct tw_wire *wire, uint32_t lock, const char *text,
		       size_t bytes);
/* `item` is LOCK_WAIT, LOCK_OBTAIN, LOCK_RELEASE or one of their shared forms. */
void tw_wire_lock(struct tw_wire *wire, enum tw_tracy_item item, uint64_t ticks,
		  uint32_t thread, uint32_t lock);
void tw_wire_lock_terminate(struct tw_wire *wire, uint64_t ticks, uint32_t lock);
/* Pool 0: the program's own, which has no name. */
void tw_wire_alloc(struct tw_wire *wire, uint64_t ticks, uint32_t thread, uint64_t pool,
		   uint64_t address, uint64_t bytes);
void tw_wire_free(struct tw_wire *wire, uint64_t ticks, uint32_t thread, uint64_t pool,
		  uint64_t address);

/* Devices tell nanoseconds since `ticks`; a context's times must not fall by 2^31. */
void tw_wire_device(struct tw_wire *wire, uint64_t ticks, uint32_t context);
void tw_wire_device_name(struct tw_wire *wire, uint32_t context, const char *text,
			 size_t bytes);
/* A zone's begin or end on a row of the context: `ticks` is ours, `ns` the device's,
 * `query` a number that changes; location 0 = the end of the innermost one. */
void tw_wire_device_zone(struct tw_wire *wire, uint64_t ticks, uint32_t thread,
			 uint32_t context, uint16_t query, uint64_t location,
			 int64_t ns);
/* Makes the viewer ask for the name of the selected thread, though it shows nothing. */
void tw_wire_introduce(struct tw_wire *wire);

/* Answers. `item` is one of the string transfers: STRING_DATA, THREAD_NAME, ... */
void tw_wire_string(struct tw_wire *wire, enum tw_tracy_item item, uint64_t key,
		    const char *text, size_t bytes);
struct tw_wire_location {
	uint64_t name; /* string keys, 0 = none */
	uint64_t function;
	uint64_t file;
	uint32_t line;
	uint32_t rgb;
};
void tw_wire_location(struct tw_wire *wire, const struct tw_wire_location *location);
/* A string for the item that follows; `is_second` for the second slot. */
void tw_wire_single(struct tw_wire *wire, const char *text, size_t bytes,
		    bool is_second);
/* An item whose fields are `n` bytes, or zeros when `fields` is NULL. */
void tw_wire_item(struct tw_wire *wire, enum tw_tracy_item item, const void *fields,
		  size_t n);

#endif

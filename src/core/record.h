/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event record: what a producer thread puts into its ring and what the pump takes
 * out. Sixteen bytes, plus payload slots for events that carry text or a number.
 * Shared by the preload library (writes) and the pump (reads); plain data, any thread.
 *
 * To add an event kind: one row in TW_EVENT_KINDS. The spool carries it by number and
 * length, so older readers skip it.
 */
#ifndef TW_RECORD_H
#define TW_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

/* What a kind's `id` field means. */
enum tw_id_role {
	TW_ID_NONE,
	TW_ID_LOCATION, /* interned source location */
	TW_ID_STRING,	/* interned string */
	TW_ID_COLOUR,	/* 0xRRGGBB, 0 = none */
	TW_ID_LOCK,	/* number of a lock, unique in a run */
	TW_ID_THREAD,	/* slot + 1 of a fiber, device or device track; its number of
			 * TW_META_THREAD in a file */
};

/* What a kind's payload bytes mean. All numbers are little endian. */
enum tw_payload_role {
	TW_PAYLOAD_NONE,
	TW_PAYLOAD_TEXT,	 /* UTF-8, not terminated */
	TW_PAYLOAD_U64,		 /* 8 bytes */
	TW_PAYLOAD_F64,		 /* 8 bytes, IEEE 754 */
	TW_PAYLOAD_SWITCH,	 /* struct tw_switch; not in files */
	TW_PAYLOAD_FRAMES,	 /* uint32_t locations, innermost first */
	TW_PAYLOAD_LOCK,	 /* struct tw_lock_birth */
	TW_PAYLOAD_BLOCK,	 /* struct tw_memory_block */
	TW_PAYLOAD_DEVICE_ZONE,	 /* struct tw_device_zone */
	TW_PAYLOAD_DEVICE_CLOCK, /* struct tw_device_clock */
};

/* Which events a closed gate, or a zone that is not recorded, keeps out. */
enum tw_event_rule {
	TW_GATED,   /* recorded while the gate is open */
	TW_IN_ZONE, /* goes with the innermost open zone */
	TW_ALWAYS,  /* later events need it */
};

/* clang-format off */
#define TW_EVENT_KINDS(X)                                                                  \
	/*  number  name             id              payload                  rule */          \
	X(1,  ZONE_BEGIN,          TW_ID_LOCATION, TW_PAYLOAD_NONE,         TW_GATED)      \
	X(2,  ZONE_END,            TW_ID_NONE,     TW_PAYLOAD_NONE,         TW_IN_ZONE)    \
	X(3,  ZONE_TEXT,           TW_ID_NONE,     TW_PAYLOAD_TEXT,         TW_IN_ZONE)    \
	X(4,  ZONE_NAME,           TW_ID_NONE,     TW_PAYLOAD_TEXT,         TW_IN_ZONE)    \
	X(5,  ZONE_COLOUR,         TW_ID_COLOUR,   TW_PAYLOAD_NONE,         TW_IN_ZONE)    \
	X(6,  ZONE_VALUE,          TW_ID_NONE,     TW_PAYLOAD_U64,          TW_IN_ZONE)    \
	X(7,  MESSAGE,             TW_ID_COLOUR,   TW_PAYLOAD_TEXT,         TW_GATED)      \
	X(8,  PLOT,                TW_ID_STRING,   TW_PAYLOAD_F64,          TW_GATED)      \
	X(9,  FRAME,               TW_ID_STRING,   TW_PAYLOAD_NONE,         TW_GATED)      \
	X(10, FRAME_BEGIN,         TW_ID_STRING,   TW_PAYLOAD_NONE,         TW_GATED)      \
	X(11, FRAME_END,           TW_ID_STRING,   TW_PAYLOAD_NONE,         TW_GATED)      \
	/* In a ring: the thread's events from here on are the fiber's. In a file: the   */ \
	/* fiber's, and id is the thread that it runs on from here on.                   */ \
	X(12, FIBER_ENTER,         TW_ID_THREAD,   TW_PAYLOAD_SWITCH,       TW_ALWAYS)     \
	X(13, FIBER_LEAVE,         TW_ID_NONE,     TW_PAYLOAD_SWITCH,       TW_ALWAYS)     \
	/* Belongs to the event behind it, which has the same time.                      */ \
	X(14, STACK,               TW_ID_NONE,     TW_PAYLOAD_FRAMES,       TW_GATED)      \
	X(15, LOCK_NEW,            TW_ID_LOCK,     TW_PAYLOAD_LOCK,         TW_ALWAYS)     \
	X(16, LOCK_GONE,           TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_ALWAYS)     \
	X(17, LOCK_WAIT,           TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(18, LOCK_OBTAIN,         TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(19, LOCK_RELEASE,        TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(20, LOCK_WAIT_SHARED,    TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(21, LOCK_OBTAIN_SHARED,  TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(22, LOCK_RELEASE_SHARED, TW_ID_LOCK,     TW_PAYLOAD_NONE,         TW_GATED)      \
	X(23, MEMORY_ALLOC,        TW_ID_STRING,   TW_PAYLOAD_BLOCK,        TW_GATED)      \
	X(24, MEMORY_FREE,         TW_ID_STRING,   TW_PAYLOAD_U64,          TW_GATED)      \
	X(25, DEVICE_ZONE,         TW_ID_THREAD,   TW_PAYLOAD_DEVICE_ZONE,  TW_GATED)      \
	X(26, DEVICE_CLOCK,        TW_ID_THREAD,   TW_PAYLOAD_DEVICE_CLOCK, TW_ALWAYS)
/* clang-format on */

enum tw_event_kind {
#define TW_X(number, name, id, payload, rule) TW_EVENT_##name = number,
	TW_EVENT_KINDS(TW_X)
#undef TW_X
		TW_EVENT_COUNT
};

/* Who a stream of events belongs to; the numbers are in files. */
enum tw_thread_kind {
	TW_THREAD_PLAIN,
	TW_THREAD_MAIN,
	TW_THREAD_FIBER,
	TW_THREAD_DEVICE,	/* a clock and a name; its tracks refer to it */
	TW_THREAD_DEVICE_TRACK, /* where zones of a device are shown */
};

struct tw_switch {
	uint32_t run;	/* FIBER_ENTER: how often the fiber was entered before */
	uint32_t depth; /* recorded zones that are open on whom we switch to */
};

enum tw_lock_type { TW_LOCK_EXCLUSIVE, TW_LOCK_SHARED };

struct tw_lock_birth {
	uint32_t location;
	uint32_t type; /* enum tw_lock_type */
};

struct tw_memory_block {
	uint64_t address;
	uint64_t bytes;
};

/* Times are the device's; DEVICE_CLOCK ties them to ours. Of one track, zones come in
 * the order of their begins, outer ones first. */
struct tw_device_zone {
	uint32_t location;
	uint32_t reserved;
	int64_t begin, end;
};

struct tw_device_clock {
	int64_t device;	    /* what the device's clock showed */
	uint64_t ticks;	    /* at this time of ours */
	double ns_per_tick; /* as the device says */
};

/* Which layer of the program a location belongs to; the words users see. */
/* clang-format off */
#define TW_LAYERS(X)      \
	X(USER,    "user")    \
	X(PYTHON,  "python")  \
	X(NATIVE,  "native")  \
	X(RUNTIME, "runtime") \
	X(DEVICE,  "device")  \
	X(WAIT,    "wait")
/* clang-format on */

enum tw_layer {
#define TW_X(name, word) TW_LAYER_##name,
	TW_LAYERS(TW_X)
#undef TW_X
		TW_LAYER_COUNT
};

/*
 * One ring slot. `ticks` is stored last, with release: a slot whose ticks are zero has
 * been claimed but not committed (or never used). `bytes` and `kind` are stored before
 * the payload so that a reader can step over an event that was never committed.
 */
struct tw_record {
	_Atomic uint64_t ticks;
	uint32_t id;
	uint16_t bytes; /* payload bytes in the following slots */
	uint8_t kind;	/* enum tw_event_kind */
	uint8_t spare;
};

_Static_assert(sizeof(struct tw_record) == 16, "rings are arrays of 16-byte slots");

#define TW_PAYLOAD_MAX 4096u /* longer text is cut, and the cut is marked */

/* Slots that an event with this payload takes, its own included. */
static inline uint32_t tw_record_slots(uint32_t payload_bytes)
{
	return 1 + (payload_bytes + sizeof(struct tw_record) - 1) /
			   (uint32_t)sizeof(struct tw_record);
}

#endif

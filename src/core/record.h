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
};

/* What a kind's payload bytes mean. */
enum tw_payload_role {
	TW_PAYLOAD_NONE,
	TW_PAYLOAD_TEXT, /* UTF-8, not terminated */
	TW_PAYLOAD_U64,	 /* 8 bytes, little endian */
	TW_PAYLOAD_F64,	 /* 8 bytes, IEEE 754 little endian */
};

/* clang-format off */
#define TW_EVENT_KINDS(X)                                                    \
	/*  number  name         id                payload         in a zone */ \
	X(1,  ZONE_BEGIN,  TW_ID_LOCATION, TW_PAYLOAD_NONE, 0)                    \
	X(2,  ZONE_END,    TW_ID_NONE,     TW_PAYLOAD_NONE, 0)                    \
	X(3,  ZONE_TEXT,   TW_ID_NONE,     TW_PAYLOAD_TEXT, 1)                    \
	X(4,  ZONE_NAME,   TW_ID_NONE,     TW_PAYLOAD_TEXT, 1)                    \
	X(5,  ZONE_COLOUR, TW_ID_COLOUR,   TW_PAYLOAD_NONE, 1)                    \
	X(6,  ZONE_VALUE,  TW_ID_NONE,     TW_PAYLOAD_U64,  1)                    \
	X(7,  MESSAGE,     TW_ID_COLOUR,   TW_PAYLOAD_TEXT, 0)                    \
	X(8,  PLOT,        TW_ID_STRING,   TW_PAYLOAD_F64,  0)                    \
	X(9,  FRAME,       TW_ID_STRING,   TW_PAYLOAD_NONE, 0)
/* clang-format on */

enum tw_event_kind {
#define TW_X(number, name, id, payload, in_zone) TW_EVENT_##name = number,
	TW_EVENT_KINDS(TW_X)
#undef TW_X
		TW_EVENT_COUNT
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

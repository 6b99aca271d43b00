/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the encoder share; nobody else includes this. See wire.h. */
#ifndef TW_WIRE_PRIVATE_H
#define TW_WIRE_PRIVATE_H

#include <endian.h>
#include <string.h>

#include "tracy/wire.h"

static inline uint8_t *tw_put16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *tw_put32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *tw_put64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *tw_put_type(const struct tw_wire *wire, uint8_t *p,
				   enum tw_tracy_item item)
{
	*p++ = wire->protocol->items[item].number;
	return p;
}

/* Room for `n` bytes in one frame; `n` is at most a frame. */
static inline uint8_t *tw_wire_reserve(struct tw_wire *wire, size_t n)
{
	if (wire->used + n > TW_WIRE_FRAME_BYTES)
		tw_wire_flush(wire);
	return wire->ring + wire->start + wire->used;
}

static inline void tw_wire_commit(struct tw_wire *wire, const uint8_t *end)
{
	wire->used = (uint32_t)(end - (wire->ring + wire->start));
}

/* Room for an item, and its type byte. */
static inline uint8_t *tw_wire_start(struct tw_wire *wire, enum tw_tracy_item item)
{
	uint8_t *p = tw_wire_reserve(wire, wire->protocol->items[item].bytes);

	return tw_put_type(wire, p, item);
}

/* Since the last time of the selected thread. */
static inline uint64_t tw_wire_delta(struct tw_wire *wire, uint64_t ticks)
{
	uint64_t delta = ticks - wire->thread_ticks;

	wire->thread_ticks = ticks;
	return delta;
}

/* A staged string and room for the item of `size` bytes that takes it. */
uint8_t *tw_wire_stage(struct tw_wire *wire, const char *text, size_t bytes,
		       size_t size);

#endif

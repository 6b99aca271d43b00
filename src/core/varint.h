/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LEB128 integers, low group first: the spool's number encoding. Header-only because
 * the pump's encode loop lives on them. Writers need TW_VARINT_MAX bytes of room; the
 * reader trusts nothing and never reads at or past `end`.
 */
#ifndef TW_VARINT_H
#define TW_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define TW_VARINT_MAX 10

/* Appends v at p and returns the byte after it. */
static inline uint8_t *tw_varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Reads one integer at p; returns the byte after it, or NULL when it is cut or too
 * long. */
static inline const uint8_t *tw_varint_get(const uint8_t *p, const uint8_t *end,
					   uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
		uint8_t byte = *p++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = v;
			return p;
		}
	}
	return NULL;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cursor over bytes that nobody vouches for: every read is checked, and after the
 * first one that fails all others give zero. Header-only; used by the timeline's META
 * decoder.
 */
#ifndef TW_CURSOR_H
#define TW_CURSOR_H

#include <stdbool.h>

#include "core/varint.h"

/* Bytes that belong to somebody else; not terminated, any byte may be in them. */
struct tw_slice {
	const char *text;
	uint32_t n_bytes;
};

struct tw_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool is_bad; /* something was cut or too long */
};

static inline uint64_t tw_cursor_u64(struct tw_cursor *c)
{
	uint64_t v = 0;
	const uint8_t *next = c->is_bad ? NULL : tw_varint_get(c->at, c->end, &v);

	if (!next) {
		c->is_bad = true;
		return 0;
	}
	c->at = next;
	return v;
}

/* The same for numbers that fit 32 bits; larger ones are damage. */
static inline uint32_t tw_cursor_u32(struct tw_cursor *c)
{
	uint64_t v = tw_cursor_u64(c);

	if (v > UINT32_MAX) {
		c->is_bad = true;
		return 0;
	}
	return (uint32_t)v;
}

static inline struct tw_slice tw_cursor_text(struct tw_cursor *c)
{
	uint64_t n = tw_cursor_u64(c);
	struct tw_slice none = {"", 0};
	struct tw_slice text;

	if (c->is_bad || n > (uint64_t)(c->end - c->at)) {
		c->is_bad = true;
		return none;
	}
	text.text = (const char *)c->at;
	text.n_bytes = (uint32_t)n;
	c->at += n;
	return text;
}

#endif

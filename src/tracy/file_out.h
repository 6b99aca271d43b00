/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The outer shell of a `.tracy` file that is written: numbers and bytes go in, packed
 * blocks of 64 KiB go to a writer. Errors stay with the writer and are checked once, at
 * the end. Command only, one thread.
 */
#ifndef TW_TRACY_FILE_OUT_H
#define TW_TRACY_FILE_OUT_H

#include <endian.h>
#include <string.h>

#include "core/options.h"
#include "export/writer.h"
#include "tracy/file_format.h"

struct tw_tracy_packer;

struct tw_tracy_out {
	struct tw_writer *w;
	struct tw_tracy_packer *packer;
	uint8_t *block; /* of TW_TRACY_BLOCK bytes */
	uint32_t used;
	uint32_t version; /* TW_TRACY_NUMBER() of the body */
};

/* Writes the container's head. 0 or -ENOMEM. */
int tw_tracy_out_open(struct tw_tracy_out *out, struct tw_writer *w, uint32_t version,
		      enum tw_tracy_compression compression)
	__attribute__((warn_unused_result));

/* Writes the last block, unless the export failed, and gives the memory back. */
void tw_tracy_out_close(struct tw_tracy_out *out, bool is_whole);

/* Packs the block, which is full. */
void tw_tracy_out_block(struct tw_tracy_out *out);

void tw_tracy_put_long(struct tw_tracy_out *out, const void *bytes, size_t n);

static inline void tw_tracy_put(struct tw_tracy_out *out, const void *bytes, size_t n)
{
	if (n >= TW_TRACY_BLOCK - out->used) {
		tw_tracy_put_long(out, bytes, n);
		return;
	}
	memcpy(out->block + out->used, bytes, n);
	out->used += (uint32_t)n;
}

static inline void tw_tracy_u8(struct tw_tracy_out *out, unsigned v)
{
	uint8_t byte = (uint8_t)v;

	tw_tracy_put(out, &byte, 1);
}

static inline void tw_tracy_u16(struct tw_tracy_out *out, unsigned v)
{
	uint16_t le = htole16((uint16_t)v);

	tw_tracy_put(out, &le, sizeof(le));
}

static inline void tw_tracy_u32(struct tw_tracy_out *out, uint32_t v)
{
	v = htole32(v);
	tw_tracy_put(out, &v, sizeof(v));
}

static inline void tw_tracy_u24(struct tw_tracy_out *out, uint32_t v)
{
	v = htole32(v);
	tw_tracy_put(out, &v, 3);
}

/* For i64 as well. */
static inline void tw_tracy_u64(struct tw_tracy_out *out, uint64_t v)
{
	v = htole64(v);
	tw_tracy_put(out, &v, sizeof(v));
}

static inline void tw_tracy_f64(struct tw_tracy_out *out, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	tw_tracy_u64(out, bits);
}

/* n zero bytes: empty lists and fields that nothing is known about. */
void tw_tracy_zeros(struct tw_tracy_out *out, size_t n);

/* u64 length, bytes. */
void tw_tracy_text(struct tw_tracy_out *out, const char *text, size_t n);

static inline bool tw_tracy_has(const struct tw_tracy_out *out,
				enum tw_tracy_change change)
{
	return out->version >= (uint32_t)change;
}

#endif

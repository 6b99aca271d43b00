/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The outer shell of a `.tracy` file that is read: both containers, LZ4 and Zstandard;
 * hands out the body as one stream of bytes. Trusts nothing: after the first byte that
 * is missing or wrong everything reads as zero and is_bad stays set. Command and tests
 * only, one thread.
 */
#ifndef TW_TRACY_FILE_IN_H
#define TW_TRACY_FILE_IN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/fault.h"
#include "tracy/file_format.h"

struct tw_tracy_unpacker;

struct tw_tracy_in {
	struct tw_tracy_unpacker *unpacker;
	const uint8_t *block; /* the one being read */
	uint32_t at, n;
	uint64_t before; /* bytes of the body before it */
	bool is_bad;
	const char *why; /* it is bad */
	bool is_new;	 /* container */
	bool is_zstd;
	uint64_t file_bytes;
};

/* Opens `path`; 0, or a negative errno with the fault worded. */
int tw_tracy_in_open(struct tw_tracy_in *in, const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));
void tw_tracy_in_close(struct tw_tracy_in *in);

/* n bytes, or n zeros and is_bad. */
void tw_tracy_in_bytes(struct tw_tracy_in *in, void *bytes, size_t n);
void tw_tracy_in_skip(struct tw_tracy_in *in, uint64_t n);

/* Has the body been read to its very end? */
bool tw_tracy_in_is_done(struct tw_tracy_in *in);

/* Where reading is in the body. */
static inline uint64_t tw_tracy_in_offset(const struct tw_tracy_in *in)
{
	return in->before + in->at;
}

static inline void tw_tracy_in_get(struct tw_tracy_in *in, void *bytes, size_t n)
{
	if (in->n - in->at >= n) {
		memcpy(bytes, in->block + in->at, n);
		in->at += (uint32_t)n;
		return;
	}
	tw_tracy_in_bytes(in, bytes, n);
}

static inline uint8_t tw_tracy_get_u8(struct tw_tracy_in *in)
{
	uint8_t v;

	tw_tracy_in_get(in, &v, sizeof(v));
	return v;
}

static inline uint16_t tw_tracy_get_u16(struct tw_tracy_in *in)
{
	uint16_t v;

	tw_tracy_in_get(in, &v, sizeof(v));
	return le16toh(v);
}

static inline uint32_t tw_tracy_get_u24(struct tw_tracy_in *in)
{
	uint32_t v = 0;

	tw_tracy_in_get(in, &v, 3);
	return le32toh(v);
}

static inline uint32_t tw_tracy_get_u32(struct tw_tracy_in *in)
{
	uint32_t v;

	tw_tracy_in_get(in, &v, sizeof(v));
	return le32toh(v);
}

static inline uint64_t tw_tracy_get_u64(struct tw_tracy_in *in)
{
	uint64_t v;

	tw_tracy_in_get(in, &v, sizeof(v));
	return le64toh(v);
}

static inline double tw_tracy_get_f64(struct tw_tracy_in *in)
{
	uint64_t bits = tw_tracy_get_u64(in);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

#endif

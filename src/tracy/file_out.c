/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_out.h. */
#include "tracy/file_out.h"

#include <errno.h>
#include <stdlib.h>

#include <lz4.h>
#include <zstd.h>

#define LEVEL 3 /* Tracy's own, for Zstd */

struct tw_tracy_packer {
	LZ4_stream_t *lz4;
	ZSTD_CCtx *zstd;
	size_t room; /* of `packed` */
	uint8_t *packed;
	/* LZ4 looks back into the block before, so there are two. */
	uint8_t blocks[2][TW_TRACY_BLOCK];
};

static void write_head(struct tw_tracy_out *out, enum tw_tracy_compression compression)
{
	if (tw_tracy_has(out, TW_TRACY_NEW_CONTAINER)) {
		uint8_t kind[2] = {compression == TW_TRACY_ZSTD, 1};

		tw_writer_bytes(out->w, TW_TRACY_MAGIC_NEW, 4);
		tw_writer_bytes(out->w, kind, sizeof(kind));
	} else {
		tw_writer_bytes(out->w,
				compression == TW_TRACY_ZSTD ? TW_TRACY_MAGIC_ZSTD
							     : TW_TRACY_MAGIC_LZ4,
				4);
	}
}

int tw_tracy_out_open(struct tw_tracy_out *out, struct tw_writer *w, uint32_t version,
		      enum tw_tracy_compression compression)
{
	struct tw_tracy_packer *p = calloc(1, sizeof(*p));

	memset(out, 0, sizeof(*out));
	if (!p)
		return -ENOMEM;
	out->w = w;
	out->packer = p;
	out->block = p->blocks[0];
	out->version = version;
	if (compression == TW_TRACY_ZSTD) {
		p->zstd = ZSTD_createCCtx();
		p->room = ZSTD_compressBound(TW_TRACY_BLOCK) + 64;
		if (p->zstd)
			ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
	} else {
		p->lz4 = LZ4_createStream();
		p->room = LZ4_COMPRESSBOUND(TW_TRACY_BLOCK);
	}
	p->packed = malloc(p->room);
	if (!p->packed || (!p->lz4 && !p->zstd)) {
		tw_tracy_out_close(out, false);
		return -ENOMEM;
	}
	write_head(out, compression);
	return 0;
}

/* One endless frame, flushed after each block. Returns its bytes, or 0. */
static size_t pack_zstd(struct tw_tracy_packer *p, const uint8_t *block, size_t n)
{
	ZSTD_inBuffer in = {block, n, 0};
	ZSTD_outBuffer packed = {p->packed, p->room, 0};
	size_t left;

	do {
		left = ZSTD_compressStream2(p->zstd, &packed, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return 0;
	} while (left && packed.pos < packed.size);
	return left ? 0 : packed.pos;
}

void tw_tracy_out_block(struct tw_tracy_out *out)
{
	struct tw_tracy_packer *p = out->packer;
	uint32_t le;
	size_t n;

	if (p->zstd)
		n = pack_zstd(p, out->block, out->used);
	else
		n = (size_t)LZ4_compress_fast_continue(p->lz4, (const char *)out->block,
						       (char *)p->packed,
						       (int)out->used, (int)p->room, 1);
	if (n == 0 && out->w->error == 0)
		out->w->error = -ENOMEM; /* the room is always enough */
	le = htole32((uint32_t)n);
	tw_writer_bytes(out->w, &le, sizeof(le));
	tw_writer_bytes(out->w, p->packed, n);
	out->block = p->blocks[out->block == p->blocks[0]];
	out->used = 0;
}

void tw_tracy_put_long(struct tw_tracy_out *out, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n > 0) {
		size_t part = TW_TRACY_BLOCK - out->used;

		if (part > n)
			part = n;
		memcpy(out->block + out->used, at, part);
		out->used += (uint32_t)part;
		at += part;
		n -= part;
		if (out->used == TW_TRACY_BLOCK)
			tw_tracy_out_block(out);
	}
}

void tw_tracy_out_close(struct tw_tracy_out *out, bool is_whole)
{
	if (!out->packer)
		return;
	if (is_whole && out->used > 0)
		tw_tracy_out_block(out);
	if (out->packer->lz4)
		LZ4_freeStream(out->packer->lz4);
	ZSTD_freeCCtx(out->packer->zstd);
	free(out->packer->packed);
	free(out->packer);
	memset(out, 0, sizeof(*out));
}

void tw_tracy_zeros(struct tw_tracy_out *out, size_t n)
{
	static const uint8_t zeros[256];

	while (n > 0) {
		size_t part = n < sizeof(zeros) ? n : sizeof(zeros);

		tw_tracy_put(out, zeros, part);
		n -= part;
	}
}

void tw_tracy_text(struct tw_tracy_out *out, const char *text, size_t n)
{
	tw_tracy_u64(out, n);
	tw_tracy_put(out, text, n);
}

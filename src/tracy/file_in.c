/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_in.h. */
#include "tracy/file_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lz4.h>
#include <zstd.h>

#define PACKED_MAX  (TW_TRACY_BLOCK + 4096u) /* both packers stay below this */
#define STREAMS_MAX 255u
#define WINDOW_LOG  25 /* of Zstandard; more memory than this is not given */

/* Each stream has a history of its own: for LZ4 the block before. */
struct stream {
	uint8_t *blocks; /* two, of TW_TRACY_BLOCK each */
	unsigned turn;	 /* which one is next */
	uint32_t n_before;
	ZSTD_DCtx *zstd;
};

struct tw_tracy_unpacker {
	FILE *file;
	unsigned n_streams, next;
	struct stream streams[STREAMS_MAX];
	uint8_t packed[PACKED_MAX];
};

static void turn_bad(struct tw_tracy_in *in, const char *why)
{
	if (!in->is_bad)
		in->why = why;
	in->is_bad = true;
	in->before += in->n;
	in->at = in->n = 0;
}

static int64_t unpack_lz4(struct stream *s, const uint8_t *packed, uint32_t n,
			  uint8_t *to)
{
	const uint8_t *before = s->blocks + (1 - s->turn) * TW_TRACY_BLOCK;

	return LZ4_decompress_safe_usingDict((const char *)packed, (char *)to, (int)n,
					     TW_TRACY_BLOCK, (const char *)before,
					     (int)s->n_before);
}

static int64_t unpack_zstd(struct stream *s, const uint8_t *packed, uint32_t n,
			   uint8_t *to)
{
	ZSTD_inBuffer from = {packed, n, 0};
	ZSTD_outBuffer out = {to, TW_TRACY_BLOCK, 0};

	if (!s->zstd) {
		s->zstd = ZSTD_createDCtx();
		if (!s->zstd)
			return -1;
		ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	}
	while (from.pos < from.size) {
		size_t had = from.pos + out.pos;

		if (ZSTD_isError(ZSTD_decompressStream(s->zstd, &out, &from)) ||
		    from.pos + out.pos == had)
			return -1;
	}
	return (int64_t)out.pos;
}

/* Reads and unpacks the next block: false at the end of the file, good or bad. */
static bool next_block(struct tw_tracy_in *in)
{
	struct tw_tracy_unpacker *u = in->unpacker;
	struct stream *s = &u->streams[u->next];
	uint8_t *to;
	uint32_t le, n;
	int64_t got;

	if (in->is_bad)
		return false;
	/* Only the last block is a short one. */
	if (fread(&le, 1, sizeof(le), u->file) != sizeof(le))
		return false;
	if (in->before + in->n && in->n != TW_TRACY_BLOCK) {
		turn_bad(in, "a block in the middle is not full");
		return false;
	}
	n = le32toh(le);
	if (n == 0 || n > PACKED_MAX || fread(u->packed, 1, n, u->file) != n) {
		turn_bad(in, "it is cut, or a block has no sane size");
		return false;
	}
	if (!s->blocks)
		s->blocks = malloc(2 * TW_TRACY_BLOCK);
	if (!s->blocks) {
		turn_bad(in, "no memory");
		return false;
	}
	to = s->blocks + s->turn * TW_TRACY_BLOCK;
	got = in->is_zstd ? unpack_zstd(s, u->packed, n, to)
			  : unpack_lz4(s, u->packed, n, to);
	if (got <= 0) {
		turn_bad(in, "a block does not unpack");
		return false;
	}
	s->turn = 1 - s->turn;
	s->n_before = (uint32_t)got;
	u->next = (u->next + 1) % u->n_streams;
	in->before += in->n;
	in->block = to;
	in->at = 0;
	in->n = (uint32_t)got;
	return true;
}

void tw_tracy_in_bytes(struct tw_tracy_in *in, void *bytes, size_t n)
{
	uint8_t *to = bytes;

	while (n > 0) {
		size_t part = in->n - in->at;

		if (part == 0) {
			if (next_block(in))
				continue;
			turn_bad(in, "it ends too early");
			memset(to, 0, n);
			return;
		}
		if (part > n)
			part = n;
		memcpy(to, in->block + in->at, part);
		in->at += (uint32_t)part;
		to += part;
		n -= part;
	}
}

void tw_tracy_in_skip(struct tw_tracy_in *in, uint64_t n)
{
	while (n > 0) {
		uint64_t part = in->n - in->at;

		if (part == 0) {
			if (next_block(in))
				continue;
			turn_bad(in, "it ends too early");
			return;
		}
		if (part > n)
			part = n;
		in->at += (uint32_t)part;
		n -= part;
	}
}

bool tw_tracy_in_is_done(struct tw_tracy_in *in)
{
	return !in->is_bad && in->at == in->n && !next_block(in) && !in->is_bad;
}

static int read_head(struct tw_tracy_in *in, const char *path, struct tw_fault *fault)
{
	struct tw_tracy_unpacker *u = in->unpacker;
	uint8_t magic[4] = {0}, kind[2] = {0, 1};
	size_t n = fread(magic, 1, sizeof(magic), u->file);

	if (n == 4 && memcmp(magic, TW_TRACY_MAGIC_NEW, 4) == 0) {
		in->is_new = true;
		n += fread(kind, 1, sizeof(kind), u->file);
		if (n != 6 || kind[0] > 1 || kind[1] == 0)
			return tw_fault_set(fault, -EBADMSG,
					    "'%s' is damaged in its first bytes", path);
		in->is_zstd = kind[0] == 1;
	} else if (n == 4 && memcmp(magic, TW_TRACY_MAGIC_ZSTD, 4) == 0) {
		in->is_zstd = true;
	} else if (n != 4 || memcmp(magic, TW_TRACY_MAGIC_LZ4, 4) != 0) {
		return tw_fault_set(fault, -EBADMSG,
				    "'%s' is not a .tracy file: check the name", path);
	}
	u->n_streams = kind[1];
	return 0;
}

static int open_failed(const char *path, struct tw_fault *fault)
{
	return tw_fault_set(fault, -errno, "cannot open '%s': %s", path,
			    strerror(errno));
}

int tw_tracy_in_open(struct tw_tracy_in *in, const char *path, struct tw_fault *fault)
{
	struct stat st;
	int fd, error;

	memset(in, 0, sizeof(*in));
	/* O_NONBLOCK: a FIFO without a writer must not hang us. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return open_failed(path, fault);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return tw_fault_set(fault, -EINVAL,
				    "'%s' is not a regular file: copy it to one first",
				    path);
	}
	in->file_bytes = (uint64_t)st.st_size;
	in->unpacker = calloc(1, sizeof(*in->unpacker));
	if (in->unpacker)
		in->unpacker->file = fdopen(fd, "rb");
	if (!in->unpacker || !in->unpacker->file) {
		close(fd);
		tw_tracy_in_close(in);
		return tw_fault_no_memory(fault);
	}
	error = read_head(in, path, fault);
	if (error)
		tw_tracy_in_close(in);
	return error;
}

void tw_tracy_in_close(struct tw_tracy_in *in)
{
	struct tw_tracy_unpacker *u = in->unpacker;

	if (!u)
		return;
	for (unsigned i = 0; i < STREAMS_MAX; i++) {
		free(u->streams[i].blocks);
		ZSTD_freeDCtx(u->streams[i].zstd);
	}
	if (u->file)
		fclose(u->file);
	free(u);
	in->unpacker = NULL;
}

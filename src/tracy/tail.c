/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See tail.h. A block that is not whole or whose checksum is wrong is taken for one
 * that is still being written: the answer is "none for now", for ever if need be.
 */
#include "tracy/tail.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/sys.h"

static uint64_t inode_of(int fd, const char *path)
{
	struct stat st;
	long error;

	if (fd >= 0)
		error = tw_sys6(SYS_fstat, fd, (long)&st, 0, 0, 0, 0);
	else
		error = tw_sys6(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, 0, 0,
				0);
	return error ? 0 : st.st_ino;
}

void tw_tail_rewind(struct tw_tail *tail)
{
	tail->offset = sizeof(struct tw_file_header);
	tail->last_checksum = 0;
}

int tw_tail_open(struct tw_tail *tail, const char *path, int fd)
{
	tail->fd = fd >= 0 ? fd : tw_sys_open(path, O_RDONLY, 0);
	if (tail->fd < 0)
		return tail->fd;
	tail->path = path;
	tail->inode = inode_of(tail->fd, NULL);
	tail->n_replaced = 0;
	tail->is_meta_only = false;
	tw_tail_rewind(tail);
	return 0;
}

void tw_tail_close(struct tw_tail *tail)
{
	if (tail->fd >= 0)
		tw_sys_close(tail->fd);
	tail->fd = -1;
}

static bool read_whole(int fd, void *bytes, size_t n, uint64_t offset)
{
	uint8_t *p = bytes;

	while (n) {
		long got = tw_sys_pread(fd, p, n, offset);

		if (got == -EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

static bool read_header(int fd, uint64_t offset, struct tw_block_header *h)
{
	return read_whole(fd, h, sizeof(*h), offset) && h->magic == TW_BLOCK_MAGIC &&
	       h->raw_bytes <= TW_BLOCK_RAW_MAX &&
	       h->stored_bytes <= LZ4_COMPRESSBOUND(TW_BLOCK_RAW_MAX);
}

static bool is_checksum_right(const struct tw_block_header *h, const uint8_t *stored)
{
	XXH64_hash_t seed = XXH3_64bits(h, offsetof(struct tw_block_header, checksum));

	return XXH3_64bits_withSeed(stored, h->stored_bytes, seed) == h->checksum;
}

/* Unpacks the payload that `stored` holds; false for nonsense. */
static bool unpack(struct tw_tail *tail, const struct tw_block_header *h,
		   struct tw_tail_block *block)
{
	int n;

	block->kind = h->kind;
	block->thread = h->thread;
	block->sequence = h->sequence;
	block->n_bytes = h->raw_bytes;
	block->raw = tail->stored;
	if (h->codec == TW_CODEC_RAW)
		return h->raw_bytes == h->stored_bytes;
	block->raw = tail->raw;
	n = LZ4_decompress_safe((const char *)tail->stored, (char *)tail->raw,
				(int)h->stored_bytes, sizeof(tail->raw));
	return h->codec == TW_CODEC_LZ4 && n >= 0 && (uint32_t)n == h->raw_bytes;
}

/* The next whole block of the open file. */
static int next_here(struct tw_tail *tail, struct tw_tail_block *block)
{
	struct tw_block_header h;

	while (read_header(tail->fd, tail->offset, &h)) {
		bool is_wanted = !tail->is_meta_only || h.kind != TW_BLOCK_EVENTS;

		if (is_wanted && (!read_whole(tail->fd, tail->stored, h.stored_bytes,
					      tail->offset + sizeof(h)) ||
				  !is_checksum_right(&h, tail->stored)))
			return 0;
		tail->offset += sizeof(h) + h.stored_bytes;
		tail->last_checksum = h.checksum;
		if (is_wanted && unpack(tail, &h, block))
			return 1;
	}
	return 0;
}

/* Where reading goes on in a new file: behind the last block of ours that is in it. */
static uint64_t find_last(int fd, uint64_t checksum)
{
	uint64_t at = sizeof(struct tw_file_header), found = at;
	struct tw_block_header h;

	while (checksum && read_header(fd, at, &h)) {
		at += sizeof(h) + h.stored_bytes;
		if (h.checksum == checksum)
			found = at;
	}
	return found;
}

int tw_tail_next(struct tw_tail *tail, struct tw_tail_block *block)
{
	uint64_t inode;
	int fd;

	if (next_here(tail, block))
		return 1;
	inode = inode_of(-1, tail->path);
	if (!inode || inode == tail->inode)
		return 0;
	/* The old file was complete when it was replaced: look once more. */
	if (next_here(tail, block))
		return 1;
	fd = tw_sys_open(tail->path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	tw_sys_close(tail->fd);
	tail->fd = fd;
	tail->inode = inode_of(fd, NULL);
	tail->n_replaced++;
	tail->offset = find_last(fd, tail->last_checksum);
	return next_here(tail, block);
}

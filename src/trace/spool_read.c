/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See spool_read.h; the format is in format.h. A window of the file is kept in memory,
 * large enough for the largest block; everything else is bounds checks.
 */
#define _GNU_SOURCE 1 /* memmem */
#include "trace/spool_read.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lz4.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/spool_private.h"

#define WINDOW_BYTES (2u << 20)
#define STORED_MAX   LZ4_COMPRESSBOUND(TW_BLOCK_RAW_MAX)
#define JUMP_BYTES   (64u << 10) /* about what one block takes */

_Static_assert(WINDOW_BYTES >= sizeof(struct tw_block_header) + STORED_MAX,
	       "a whole block fits into the window");

ssize_t tw_spool_peek(struct tw_spool *s, uint64_t offset, size_t want,
		      const uint8_t **at)
{
	size_t skip;

	if (offset < s->window_offset || offset - s->window_offset > s->window_used ||
	    s->window_used - (size_t)(offset - s->window_offset) < want) {
		size_t room = want > s->read_ahead ? want : s->read_ahead;

		s->window_offset = offset;
		s->window_used = 0;
		while (s->window_used < room) {
			ssize_t got = pread(s->fd, s->window + s->window_used,
					    room - s->window_used,
					    (off_t)(offset + s->window_used));

			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				return -errno;
			if (got == 0)
				break;
			s->window_used += (size_t)got;
		}
	}
	skip = (size_t)(offset - s->window_offset);
	*at = s->window + skip;
	return (ssize_t)(s->window_used - skip);
}

static uint64_t block_checksum(const uint8_t *block, size_t stored_bytes)
{
	XXH64_hash_t seed =
		XXH3_64bits(block, offsetof(struct tw_block_header, checksum));

	return XXH3_64bits_withSeed(block + sizeof(struct tw_block_header),
				    stored_bytes, seed);
}

static bool is_sane(const struct tw_block_header *h)
{
	if (le32toh(h->magic) != TW_BLOCK_MAGIC ||
	    le32toh(h->raw_bytes) > TW_BLOCK_RAW_MAX ||
	    le32toh(h->stored_bytes) > STORED_MAX)
		return false;
	return h->codec == TW_CODEC_LZ4 ||
	       (h->codec == TW_CODEC_RAW && h->raw_bytes == h->stored_bytes);
}

int tw_spool_examine(struct tw_spool *s, uint64_t offset, struct tw_block *block)
{
	struct tw_block_header h;
	const uint8_t *at;
	size_t stored_bytes;
	ssize_t n = tw_spool_peek(s, offset, sizeof(h), &at);

	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(h))
		return TW_SPOOL_CUT;
	memcpy(&h, at, sizeof(h));
	if (!is_sane(&h))
		return TW_SPOOL_BAD;
	stored_bytes = le32toh(h.stored_bytes);
	n = tw_spool_peek(s, offset, sizeof(h) + stored_bytes, &at);
	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(h) + stored_bytes)
		return TW_SPOOL_CUT;
	if (block_checksum(at, stored_bytes) != le64toh(h.checksum)) {
		s->patience -= s->patience < stored_bytes ? s->patience : stored_bytes;
		return TW_SPOOL_BAD;
	}
	block->offset = offset;
	block->kind = h.kind;
	block->codec = h.codec;
	block->thread = le32toh(h.thread);
	block->n_records = le32toh(h.n_records);
	block->sequence = le16toh(h.sequence);
	block->raw_bytes = le32toh(h.raw_bytes);
	block->stored_bytes = (uint32_t)stored_bytes;
	return TW_SPOOL_GOOD;
}

/* Looks for the next good block after `offset`: 1 and *block, 0 for none, -errno. */
static int resync(struct tw_spool *s, uint64_t offset, struct tw_block *block)
{
	const uint32_t magic = htole32(TW_BLOCK_MAGIC);

	while (s->patience > 0) {
		const uint8_t *at, *found;
		int verdict;
		ssize_t n = tw_spool_peek(s, ++offset, sizeof(magic), &at);

		if (n < (ssize_t)sizeof(magic))
			return n < 0 ? (int)n : 0;
		found = memmem(at, (size_t)n, &magic, sizeof(magic));
		if (!found) {
			/* the magic may lie across the window's end */
			offset += (size_t)n - sizeof(magic);
			continue;
		}
		offset += (uint64_t)(found - at);
		if (offset >= s->limit)
			return 0;
		verdict = tw_spool_examine(s, offset, block);
		if (verdict == TW_SPOOL_GOOD || verdict < 0)
			return verdict < 0 ? verdict : 1;
	}
	return 0;
}

int tw_spool_read_failed(struct tw_spool *s, int error, struct tw_fault *fault)
{
	return tw_fault_set(fault, error,
			    "cannot read '%s' near byte %llu: %s; copy it to another "
			    "disk first",
			    s->path, (unsigned long long)s->offset, strerror(-error));
}

static void count_tail(struct tw_spool *s)
{
	struct stat st;

	s->damage.tail_bytes = 0;
	if (fstat(s->fd, &st) == 0 && (uint64_t)st.st_size > s->offset)
		s->damage.tail_bytes = (uint64_t)st.st_size - s->offset;
	/* What was read of a block that is being written must be read anew. */
	s->window_used = 0;
}

int tw_spool_next(struct tw_spool *s, struct tw_block *block, struct tw_fault *fault)
{
	int verdict;

	if (s->offset >= s->limit)
		return 0;
	verdict = tw_spool_examine(s, s->offset, block);
	if (verdict < 0)
		return tw_spool_read_failed(s, verdict, fault);
	if (verdict != TW_SPOOL_GOOD) {
		int found = resync(s, s->offset, block);

		if (found < 0)
			return tw_spool_read_failed(s, found, fault);
		if (found == 0) {
			count_tail(s);
			return 0;
		}
		s->damage.n_places++;
		s->damage.bytes += block->offset - s->offset;
	}
	s->offset =
		block->offset + sizeof(struct tw_block_header) + block->stored_bytes;
	return 1;
}

const uint8_t *tw_spool_unpack(struct tw_spool *s, const struct tw_block *block,
			       uint32_t at_most)
{
	uint32_t wanted = at_most < block->raw_bytes ? at_most : block->raw_bytes;
	const uint8_t *at = NULL;
	ssize_t n = tw_spool_peek(s, block->offset,
				  sizeof(struct tw_block_header) + block->stored_bytes,
				  &at);

	/* tw_spool_next() has just had the whole block in the window. */
	if (n < (ssize_t)(sizeof(struct tw_block_header) + block->stored_bytes))
		return NULL;
	at += sizeof(struct tw_block_header);
	if (block->codec == TW_CODEC_RAW)
		return at;
	if (wanted < block->raw_bytes)
		n = LZ4_decompress_safe_partial((const char *)at, (char *)s->raw,
						(int)block->stored_bytes, (int)wanted,
						TW_BLOCK_RAW_MAX);
	else
		n = LZ4_decompress_safe((const char *)at, (char *)s->raw,
					(int)block->stored_bytes, TW_BLOCK_RAW_MAX);
	if (n < 0 || (uint32_t)n < wanted ||
	    (wanted == block->raw_bytes && (uint32_t)n != wanted)) {
		s->damage.n_places++;
		s->damage.bytes += sizeof(struct tw_block_header) + block->stored_bytes;
		return NULL;
	}
	return s->raw;
}

static int check_kind(struct tw_spool *s, struct tw_fault *fault)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return tw_fault_set(fault, -errno, "cannot look at '%s': %s", s->path,
				    strerror(errno));
	if (S_ISDIR(st.st_mode))
		return tw_fault_set(fault, -EISDIR,
				    "'%s' is a folder: name a .tw file in it", s->path);
	if (!S_ISREG(st.st_mode))
		return tw_fault_set(fault, -ESPIPE,
				    "'%s' is not a regular file: copy it to one first",
				    s->path);
	s->patience_at_first = (256u << 20) + 16 * (uint64_t)st.st_size;
	s->patience = s->patience_at_first;
	return 0;
}

static int open_failed(const char *path, int error, struct tw_fault *fault)
{
	const char *next = error == ENOENT   ? "; 'tracewrap PROGRAM' records one"
			   : error == EACCES ? "; ask its owner for a copy"
					     : "";

	return tw_fault_set(fault, -error, "cannot open '%s': %s%s", path,
			    strerror(error), next);
}

int tw_spool_open(struct tw_spool **out, const char *path, struct tw_fault *fault)
{
	/* O_NONBLOCK: a FIFO without a writer must not hang us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	*out = NULL;
	if (fd < 0)
		return open_failed(path, errno, fault);
	return tw_spool_adopt(out, fd, path, fault);
}

int tw_spool_adopt(struct tw_spool **out, int fd, const char *path,
		   struct tw_fault *fault)
{
	struct tw_spool *s = calloc(1, sizeof(*s));
	int error;

	*out = NULL;
	if (!s) {
		close(fd);
		return tw_fault_no_memory(fault);
	}
	s->limit = UINT64_MAX;
	s->read_ahead = WINDOW_BYTES;
	s->fd = fd;
	s->path = strdup(path);
	s->window = malloc(WINDOW_BYTES);
	s->raw = malloc(TW_BLOCK_RAW_MAX);
	if (!s->path || !s->window || !s->raw) {
		error = tw_fault_no_memory(fault);
		goto fail;
	}
	error = check_kind(s, fault);
	if (!error)
		error = tw_spool_read_header(s, fault);
	if (error)
		goto fail;
	s->offset = s->first;
	*out = s;
	return 0;
fail:
	tw_spool_close(s);
	return error;
}

void tw_spool_close(struct tw_spool *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	free(s->window);
	free(s->raw);
	free(s);
}

void tw_spool_rewind(struct tw_spool *s)
{
	if (s->limit == UINT64_MAX)
		s->limit = s->offset;
	s->offset = s->first;
	s->read_ahead = WINDOW_BYTES;
	s->patience = s->patience_at_first;
	s->damage.n_places = 0;
	s->damage.bytes = 0;
}

int tw_spool_at(struct tw_spool *s, uint64_t offset, struct tw_block *block,
		struct tw_fault *fault)
{
	int verdict;

	s->read_ahead = JUMP_BYTES;
	verdict = tw_spool_examine(s, offset, block);
	if (verdict < 0)
		return tw_spool_read_failed(s, verdict, fault);
	return verdict == TW_SPOOL_GOOD;
}

const struct tw_file_header *tw_spool_header(const struct tw_spool *s)
{
	return &s->header;
}

const struct tw_spool_damage *tw_spool_damage(const struct tw_spool *s)
{
	return &s->damage;
}

const char *tw_spool_path(const struct tw_spool *s)
{
	return s->path;
}

int tw_spool_fd(const struct tw_spool *s)
{
	return s->fd;
}

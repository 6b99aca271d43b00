/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool writer; contract in spool_write.h. A block is written by one pwrite at a
 * known end; when that fails half-way the file is cut back to its last whole block.
 */
#include "trace/spool_write.h"

#include <errno.h>
#include <lz4.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/sys.h"
#include "core/varint.h"
#include "trace/spool_rotate.h"

#define META_RECORD_MAX (16u << 10)

static int write_all(int fd, const void *data, size_t bytes, uint64_t offset)
{
	const char *p = data;

	while (bytes) {
		long n = tw_sys_pwrite(fd, p, bytes, offset);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n ? (int)n : -EIO;
		p += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

int tw_spool_write_header(int fd, uint64_t session)
{
	struct tw_clock_anchor now = tw_clock_anchor_take(TW_CLOCK_KIND_RAW);
	struct tw_file_header h = {
		.major = TW_FORMAT_MAJOR,
		.minor = TW_FORMAT_MINOR,
		.header_bytes = sizeof(h),
		.session = session,
		.created_wall_ns = now.wall_ns,
	};

	memcpy(h.magic, TW_FILE_MAGIC, sizeof(h.magic));
	h.checksum = XXH3_64bits(&h, offsetof(struct tw_file_header, checksum));
	return write_all(fd, &h, sizeof(h), 0);
}

int tw_spool_create(struct tw_spool_writer *spool, const char *path, bool is_forced,
		    uint64_t max_bytes, uint64_t session)
{
	size_t n = strlen(path);
	int error;

	if (n >= sizeof(spool->path) - 8)
		return -ENAMETOOLONG;
	memset(spool, 0, offsetof(struct tw_spool_writer, path));
	memcpy(spool->path, path, n + 1);
	spool->max_bytes = max_bytes;
	spool->session = session;
	spool->fd = tw_sys_open(path, O_RDWR | O_CREAT | (is_forced ? O_TRUNC : O_EXCL),
				0644);
	if (spool->fd < 0)
		return spool->fd;
	error = tw_spool_write_header(spool->fd, session);
	spool->size = sizeof(struct tw_file_header);
	if (error) {
		tw_sys_close(spool->fd);
		tw_sys_unlink(path);
	}
	return error;
}

/* Writes one block; on failure cuts the file back and remembers why. */
static bool write_block(struct tw_spool_writer *s, struct tw_block_header *h,
			const void *payload)
{
	/* Room for the header is kept in front of `stored`: one write a block. */
	uint64_t end = s->size + sizeof(*h) + h->stored_bytes;
	int error;

	h->magic = TW_BLOCK_MAGIC;
	h->checksum = XXH3_64bits_withSeed(
		payload, h->stored_bytes,
		XXH3_64bits(h, offsetof(struct tw_block_header, checksum)));
	error = write_all(s->fd, h, sizeof(*h), s->size);
	if (!error)
		error = write_all(s->fd, payload, h->stored_bytes,
				  s->size + sizeof(*h));
	if (error) {
		tw_sys_ftruncate(s->fd, s->size);
		s->error = error;
		return false;
	}
	s->size = end;
	s->n_blocks++;
	return true;
}

/* Packs and writes; the caller names kind, thread, sequence and n_records. */
static bool write_packed(struct tw_spool_writer *s, struct tw_block_header h,
			 const void *raw, size_t bytes)
{
	int packed = LZ4_compress_fast_extState(s->lz4_state, raw, (char *)s->stored,
						(int)bytes, (int)sizeof(s->stored), 1);
	bool is_packed = packed > 0 && (size_t)packed < bytes;

	h.codec = is_packed ? TW_CODEC_LZ4 : TW_CODEC_RAW;
	h.stored_bytes = is_packed ? (uint32_t)packed : (uint32_t)bytes;
	h.raw_bytes = (uint32_t)bytes;
	return write_block(s, &h, is_packed ? (const void *)s->stored : raw);
}

void tw_spool_flush(struct tw_spool_writer *s)
{
	struct tw_block_header h = {.kind = TW_BLOCK_META, .n_records = s->meta_n};

	if (s->meta_n && s->fd >= 0)
		write_packed(s, h, s->meta, s->meta_used);
	s->meta_n = 0;
	s->meta_used = 0;
}

void tw_spool_meta(struct tw_spool_writer *s, enum tw_meta_tag tag,
		   const uint64_t *numbers, unsigned n, const struct tw_span *texts,
		   unsigned n_texts)
{
	uint8_t body[META_RECORD_MAX];
	uint8_t *p = body, *end = body + sizeof(body) - TW_VARINT_MAX;
	size_t bytes;

	for (unsigned i = 0; i < n && p < end; i++)
		p = tw_varint_put(p, numbers[i]);
	for (unsigned i = 0; i < n_texts && p < end; i++) {
		/* An equal share for each text that is still to come. */
		size_t room = (size_t)(end - p) / (n_texts - i);
		size_t take = texts[i].bytes;

		room = room > TW_VARINT_MAX ? room - TW_VARINT_MAX : 0;
		if (take > room)
			take = room;
		p = tw_varint_put(p, take);
		if (take)
			memcpy(p, texts[i].text, take);
		p += take;
	}
	bytes = (size_t)(p - body);
	if (s->meta_used + bytes + 2 * TW_VARINT_MAX > sizeof(s->meta))
		tw_spool_flush(s);
	p = s->meta + s->meta_used;
	p = tw_varint_put(p, tag);
	p = tw_varint_put(p, bytes);
	memcpy(p, body, bytes);
	s->meta_used = (size_t)(p + bytes - s->meta);
	s->meta_n++;
}

void tw_spool_events(struct tw_spool_writer *s, uint32_t thread,
		     const struct tw_encoder *e)
{
	struct tw_block_header h = {.kind = TW_BLOCK_EVENTS,
				    .thread = thread,
				    .sequence = e->sequence,
				    .n_records = e->n_events};

	if (!e->n_events)
		return;
	if (!s->error)
		tw_spool_flush(s);
	if (s->error || !write_packed(s, h, e->bytes, e->used)) {
		s->n_events_unsaved += e->n_events;
		return;
	}
	s->n_events += e->n_events;
	if (s->max_bytes && s->size > s->max_bytes / 3 * 2)
		tw_spool_rotate(s);
}

void tw_spool_clock(struct tw_spool_writer *s, const struct tw_clock_anchor *a,
		    enum tw_clock_kind kind)
{
	tw_spool_meta(s, TW_META_CLOCK,
		      (uint64_t[]){a->ticks, a->monotonic_ns, a->wall_ns, kind}, 4,
		      NULL, 0);
}

void tw_spool_finish(struct tw_spool_writer *s, uint64_t ticks)
{
	tw_spool_meta(s, TW_META_FINISH, &ticks, 1, NULL, 0);
	tw_spool_flush(s);
	if (s->fd >= 0)
		tw_sys_close(s->fd);
	s->fd = -1;
}

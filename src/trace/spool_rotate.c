/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rotation of a spool: whole blocks, oldest first; see spool_rotate.h. Copies block by
 * block with the spool's own scratch memory, so memory stays bounded.
 */
#include "trace/spool_rotate.h"

#include <errno.h>

#include "core/sys.h"
#include "core/text.h"

struct copy {
	struct tw_spool_writer *spool;
	int to;
	uint64_t written;
	uint64_t n_blocks, n_events; /* of EVENTS blocks left out */
	uint64_t bytes;
};

static int copy_bytes(struct copy *c, uint64_t from, uint64_t bytes)
{
	while (bytes) {
		size_t part = bytes < sizeof(c->spool->stored)
				      ? bytes
				      : sizeof(c->spool->stored);
		long n = tw_sys_pread(c->spool->fd, c->spool->stored, part, from);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n ? (int)n : -EIO;
		for (long done = 0; done < n;) {
			long w = tw_sys_pwrite(c->to, c->spool->stored + done,
					       (size_t)(n - done), c->written);

			if (w == -EINTR)
				continue;
			if (w <= 0)
				return w ? (int)w : -EIO;
			done += w;
			c->written += (uint64_t)w;
		}
		from += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

/* Copies META always and EVENTS from `keep_from` on. */
static int copy_blocks(struct copy *c, uint64_t keep_from)
{
	uint64_t at = sizeof(struct tw_file_header);

	while (at < c->spool->size) {
		struct tw_block_header h;
		uint64_t bytes;
		int error = 0;

		if (tw_sys_pread(c->spool->fd, &h, sizeof(h), at) != (long)sizeof(h) ||
		    h.magic != TW_BLOCK_MAGIC)
			return -EIO;
		bytes = sizeof(h) + h.stored_bytes;
		if (h.kind != TW_BLOCK_EVENTS || at >= keep_from) {
			error = copy_bytes(c, at, bytes);
		} else {
			c->n_blocks++;
			c->n_events += h.n_records;
			c->bytes += bytes;
		}
		if (error)
			return error;
		at += bytes;
		if (c->spool->pulse)
			atomic_fetch_add(c->spool->pulse, 1);
	}
	return 0;
}

void tw_spool_rotate(struct tw_spool_writer *spool)
{
	char path[PATH_MAX + 32];
	struct tw_text name = tw_text_in(path, sizeof(path));
	struct copy c = {.spool = spool, .written = sizeof(struct tw_file_header)};
	int error;

	tw_text_add(&name, spool->path);
	tw_text_add(&name, ".");
	tw_text_add_u64(&name, spool->session & 0xffffffff);
	c.to = tw_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	error = c.to < 0 ? c.to : tw_spool_write_header(c.to, spool->session);
	if (!error)
		error = copy_blocks(&c, spool->size - spool->max_bytes / 3);
	if (!error)
		error = tw_sys_rename(path, spool->path);
	if (error) {
		if (c.to >= 0)
			tw_sys_close(c.to);
		tw_sys_unlink(path);
		spool->error = error;
		return;
	}
	tw_sys_close(spool->fd);
	spool->fd = c.to;
	spool->size = c.written;
	if (c.written > spool->max_bytes / 2)
		spool->error = -EFBIG; /* names and threads alone fill it */
	spool->n_events -= c.n_events;
	spool->n_rotated_blocks += c.n_blocks;
	spool->n_rotated_events += c.n_events;
	spool->n_rotated_bytes += c.bytes;
	tw_spool_meta(spool, TW_META_ROTATED,
		      (uint64_t[]){spool->n_rotated_blocks, spool->n_rotated_events,
				   spool->n_rotated_bytes},
		      3, NULL, 0);
}

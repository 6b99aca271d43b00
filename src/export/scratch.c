/* SPDX-License-Identifier: BSD-3-Clause */
/* See scratch.h. */
#include "export/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tw_scratch_init(struct tw_scratch *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

void tw_scratch_free(struct tw_scratch *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	tw_scratch_init(s);
}

/* A file that nobody sees; /var/tmp before /tmp, which is memory on many machines. */
static int open_nameless(void)
{
	const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int error = -ENOENT;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char name[4096];
		int fd;

		if (!folders[i] || !*folders[i] ||
		    strlen(folders[i]) > sizeof(name) - 32)
			continue;
		fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		/* Some file systems cannot; a name that goes at once does as well. */
		strcpy(name, folders[i]);
		strcat(name, "/tracewrap-XXXXXX");
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
		error = -errno;
	}
	return error;
}

static void spill(struct tw_scratch *s)
{
	size_t done = 0;

	if (s->fd < 0)
		s->fd = open_nameless();
	if (s->fd < 0)
		s->error = s->fd;
	while (!s->error && done < s->used) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			s->error = n < 0 ? -errno : -EIO;
		else
			done += (size_t)n;
	}
	s->used = 0;
}

void tw_scratch_put(struct tw_scratch *s, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	if (!s->buffer && !s->error) {
		s->buffer = malloc(TW_SCRATCH_BUFFER);
		if (!s->buffer)
			s->error = -ENOMEM;
	}
	while (n > 0 && !s->error) {
		size_t part = TW_SCRATCH_BUFFER - s->used;

		if (part > n)
			part = n;
		memcpy(s->buffer + s->used, at, part);
		s->used += part;
		s->n_bytes += part;
		at += part;
		n -= part;
		if (s->used == TW_SCRATCH_BUFFER)
			spill(s);
	}
}

int tw_scratch_get(struct tw_scratch *s, uint64_t offset, void *bytes, size_t n)
{
	uint64_t in_file = s->n_bytes - s->used;
	uint8_t *at = bytes;

	if (s->error)
		return s->error;
	while (n > 0 && offset < in_file) {
		size_t part = n < in_file - offset ? n : (size_t)(in_file - offset);
		ssize_t got = pread(s->fd, at, part, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	if (n > 0)
		memcpy(at, s->buffer + (offset - in_file), n);
	return 0;
}

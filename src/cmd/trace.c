/* SPDX-License-Identifier: BSD-3-Clause */
/* See trace.h. */
#include "cmd/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include "cmd/settle.h"
#include "tracy/file_import.h"

static bool is_tracy(const char *path)
{
	unsigned char start[4];
	/* O_NONBLOCK: a FIFO without a writer must not hang us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, start, sizeof(start), 0); /* of a pipe nothing is taken */
	close(fd);
	return n == sizeof(start) && tw_tracy_is(start);
}

int tw_trace_open(struct tw_timeline **out, const char *path, struct tw_fault *fault)
{
	struct tw_spool *spool;
	int fd, error;

	*out = NULL;
	if (!is_tracy(path)) {
		tw_settle(path);
		return tw_timeline_open(out, path, fault);
	}
	fd = tw_tracy_import(path, fault);
	if (fd < 0)
		return fd;
	error = tw_spool_adopt(&spool, fd, path, fault);
	return error ? error : tw_timeline_adopt(out, spool, fault);
}

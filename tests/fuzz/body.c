/* SPDX-License-Identifier: BSD-3-Clause */
/* See body.h. */
#include "body.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracy/file_in.h"
#include "tracy/file_out.h"

uint8_t *body_unpack(const char *path, size_t *n)
{
	struct tw_tracy_in in;
	struct tw_fault fault;
	uint8_t *body = NULL;
	size_t room = 0;

	*n = 0;
	if (tw_tracy_in_open(&in, path, &fault))
		return NULL;
	while (!tw_tracy_in_is_done(&in) && !in.is_bad) {
		if (*n == room) {
			room = room ? room * 2 : 65536;
			body = realloc(body, room);
			if (!body)
				abort();
		}
		body[(*n)++] = tw_tracy_get_u8(&in);
	}
	tw_tracy_in_close(&in);
	return body;
}

void body_pack(const char *path, const uint8_t *body, size_t n)
{
	static struct tw_writer w;
	struct tw_tracy_out out;
	int fd = open(path, O_WRONLY | O_TRUNC);

	tw_writer_init(&w, fd);
	if (tw_tracy_out_open(&out, &w, TW_TRACY_NUMBER(0u, 10u, 0u), TW_TRACY_LZ4))
		abort();
	tw_tracy_put(&out, body, n);
	tw_tracy_out_close(&out, true);
	if (tw_writer_flush(&w))
		abort();
	close(fd);
}

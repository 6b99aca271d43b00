/* SPDX-License-Identifier: BSD-3-Clause */
/* See writer.h; the escapes are in escape.c. */
#include "export/writer.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

void tw_writer_init(struct tw_writer *w, int fd)
{
	w->fd = fd;
	w->sink = NULL;
	w->context = NULL;
	w->error = 0;
	w->used = 0;
	w->total_bytes = 0;
}

void tw_writer_init_sink(struct tw_writer *w, tw_writer_sink *sink, void *context)
{
	tw_writer_init(w, -1);
	w->sink = sink;
	w->context = context;
}

static void send_out(struct tw_writer *w, const char *bytes, size_t n)
{
	if (w->sink && n > 0 && w->error == 0) {
		w->error = w->sink(w->context, bytes, n);
		w->total_bytes += n;
		return;
	}
	while (n > 0 && w->error == 0) {
		ssize_t written = write(w->fd, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			w->error = written < 0 ? -errno : -EIO;
			return;
		}
		bytes += written;
		n -= (size_t)written;
		w->total_bytes += (uint64_t)written;
	}
}

int tw_writer_flush(struct tw_writer *w)
{
	send_out(w, w->buffer, w->used);
	w->used = 0;
	return w->error;
}

void tw_writer_bytes(struct tw_writer *w, const void *bytes, size_t n)
{
	if (n > TW_WRITER_BYTES - w->used) {
		send_out(w, w->buffer, w->used);
		w->used = 0;
	}
	if (n > TW_WRITER_BYTES) {
		send_out(w, bytes, n);
		return;
	}
	if (n > 0)
		memcpy(w->buffer + w->used, bytes, n);
	w->used += (uint32_t)n;
}

void tw_writer_u64(struct tw_writer *w, uint64_t value)
{
	char digits[20];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	tw_writer_bytes(w, digits + n, sizeof(digits) - n);
}

void tw_writer_us(struct tw_writer *w, uint64_t ns)
{
	char decimals[4] = {'.', (char)('0' + ns / 100 % 10),
			    (char)('0' + ns / 10 % 10), (char)('0' + ns % 10)};

	tw_writer_u64(w, ns / 1000);
	tw_writer_bytes(w, decimals, sizeof(decimals));
}

void tw_writer_vformat(struct tw_writer *w, const char *format, va_list arguments)
{
	char text[1024];
	int n = vsnprintf(text, sizeof(text), format, arguments);

	if (n < 0)
		return;
	tw_writer_bytes(w, text,
			(size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void tw_writer_format(struct tw_writer *w, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tw_writer_vformat(w, format, arguments);
	va_end(arguments);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A buffered writer that remembers its first error, so that a report or an export is
 * written straight on and checked once. After an error nothing more is written. It ends
 * in a file descriptor, or in a function of the caller. Single thread; the command
 * only.
 */
#ifndef TW_WRITER_H
#define TW_WRITER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/cursor.h"

#define TW_WRITER_BYTES 65536u

/* Takes bytes off a writer; returns 0 or a negative errno. */
typedef int tw_writer_sink(void *context, const char *bytes, size_t n);

struct tw_writer {
	int fd;
	tw_writer_sink *sink; /* instead of fd, unless NULL */
	void *context;
	int error; /* 0 or a negative errno */
	uint32_t used;
	uint64_t total_bytes; /* handed on so far */
	char buffer[TW_WRITER_BYTES];
};

/* The descriptor stays the caller's. */
void tw_writer_init(struct tw_writer *writer, int fd);
void tw_writer_init_sink(struct tw_writer *writer, tw_writer_sink *sink, void *context);

/* Sends what is buffered; returns the first error of all, or 0. */
int tw_writer_flush(struct tw_writer *writer) __attribute__((warn_unused_result));

void tw_writer_bytes(struct tw_writer *writer, const void *bytes, size_t n);
void tw_writer_u64(struct tw_writer *writer, uint64_t value);
void tw_writer_format(struct tw_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tw_writer_vformat(struct tw_writer *writer, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Nanoseconds as microseconds with three decimals: 1234567 -> "1234.567". */
void tw_writer_us(struct tw_writer *writer, uint64_t ns);

static inline void tw_writer_text(struct tw_writer *writer, const char *text)
{
	tw_writer_bytes(writer, text, strlen(text));
}

/*
 * Texts of a trace hold any bytes. JSON: a string in quotes, always valid. CSV: a field
 * as RFC 4180 wants it, in quotes where needed. Plain: for a terminal, without anything
 * that could steer it. All write valid UTF-8; bytes that are none become U+FFFD.
 */
void tw_writer_json(struct tw_writer *writer, struct tw_slice text);
void tw_writer_csv(struct tw_writer *writer, struct tw_slice text);
void tw_writer_plain(struct tw_writer *writer, struct tw_slice text);

/* Columns that tw_writer_plain() takes for it; a character is one column. */
uint32_t tw_slice_columns(struct tw_slice text);

/* The first so many columns of it. */
struct tw_slice tw_slice_cut(struct tw_slice text, uint32_t n_columns);

static inline struct tw_slice tw_slice_of(const char *text)
{
	return (struct tw_slice){text, (uint32_t)strlen(text)};
}

#endif

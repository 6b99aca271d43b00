/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text into a fixed buffer without stdio: always terminated, silently cut at the end of
 * the buffer (is_cut tells). For the preload library and the pump, where printf is not
 * welcome. Any thread.
 */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_text {
	char *buffer;
	size_t bytes; /* size of buffer, at least 1 */
	size_t used;  /* without the terminator */
	bool is_cut;
};

static inline struct tw_text tw_text_in(char *buffer, size_t bytes)
{
	buffer[0] = '\0';
	return (struct tw_text){.buffer = buffer, .bytes = bytes};
}

static inline void tw_text_add_bytes(struct tw_text *t, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (t->used + 1 >= t->bytes) {
			t->is_cut = true;
			break;
		}
		t->buffer[t->used++] = text[i];
	}
	t->buffer[t->used] = '\0';
}

static inline void tw_text_add(struct tw_text *t, const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	tw_text_add_bytes(t, text, n);
}

static inline void tw_text_add_u64(struct tw_text *t, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	tw_text_add_bytes(t, digits + i, sizeof(digits) - i);
}

#endif

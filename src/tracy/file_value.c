/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_value.h. */
#include "tracy/file_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Is the last line a number as we print it? *n_rest: the bytes before that line. */
static bool ends_in_number(struct tw_slice text, uint32_t *n_rest, uint64_t *value)
{
	uint32_t at = text.n_bytes;
	uint64_t v = 0;

	while (at > 0 && text.text[at - 1] >= '0' && text.text[at - 1] <= '9')
		at--;
	if (at == text.n_bytes || (at > 0 && text.text[at - 1] != '\n') ||
	    (text.text[at] == '0' && at + 1 != text.n_bytes))
		return false;
	for (uint32_t i = at; i < text.n_bytes; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text.text[i] - '0'), &v))
			return false;
	*n_rest = at;
	*value = v;
	return true;
}

static bool looks_joined(struct tw_slice text)
{
	uint32_t n_rest;
	uint64_t value;

	while (text.n_bytes && text.text[text.n_bytes - 1] == '\n')
		text.n_bytes--;
	return ends_in_number(text, &n_rest, &value);
}

uint32_t tw_tracy_value_join(char *buffer, struct tw_slice text, bool has_value,
			     uint64_t value)
{
	uint32_t n = text.n_bytes < TW_ZONE_TEXT_MAX ? text.n_bytes : TW_ZONE_TEXT_MAX;

	if (n)
		memcpy(buffer, text.text, n);
	if (has_value)
		return n + (uint32_t)snprintf(buffer + n, TW_TRACY_JOINED_MAX - n,
					      "%s%" PRIu64, n ? "\n" : "", value);
	if (looks_joined((struct tw_slice){buffer, n}))
		buffer[n++] = '\n';
	return n;
}

bool tw_tracy_value_split(struct tw_slice *text, uint64_t *value)
{
	uint32_t n_rest;

	if (ends_in_number(*text, &n_rest, value)) {
		text->n_bytes = n_rest ? n_rest - 1 : 0;
		return true;
	}
	if (looks_joined(*text))
		text->n_bytes--;
	return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_ledger.h: records, and the letters that hold them. */
#include "tracy/file_ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define START_BYTES (sizeof(TW_LEDGER_START) - 1)
#define TEXT_MAX    4000u /* of a record; longer ones are cut */

static const char letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* clang-format off */
static const struct { uint8_t n_numbers, n_texts; } shapes[] = {
	[TW_META_PROCESS] = { 5, 2 },
	[TW_META_PROCESS_END] = { 4, 0 },
	[TW_META_THREAD] = { 6, 0 },
	[TW_META_THREAD_NAME] = { 1, 1 },
	[TW_META_THREAD_END] = { 2, 0 },
	[TW_META_CLOCK] = { 4, 0 },
	[TW_META_LOST] = { 3, 0 },
	[TW_META_STALL] = { 3, 0 },
	[TW_META_NOTE] = { 0, 1 },
	[TW_META_SESSION] = { 0, 2 },
	[TW_META_ROTATED] = { 3, 0 },
	[TW_META_FINISH] = { 1, 0 },
	[TW_META_GATE] = { 2, 0 },
	[TW_META_MARK] = { 1, 1 },
	[TW_LEDGER_THREAD_ID] = { 2, 0 },
	[TW_LEDGER_SERIES] = { 2, 2 },
	[TW_LEDGER_OPEN] = { 3, 0 },
};
/* clang-format on */

bool tw_ledger_shape(uint64_t tag, unsigned *n_numbers, unsigned *n_texts)
{
	if (tag >= sizeof(shapes) / sizeof(shapes[0]))
		return false;
	*n_numbers = shapes[tag].n_numbers;
	*n_texts = shapes[tag].n_texts;
	return *n_numbers + *n_texts > 0;
}

void tw_ledger_put(struct tw_ledger *l, uint64_t tag, const uint64_t *numbers,
		   const struct tw_slice *texts)
{
	uint8_t body[TW_LEDGER_NUMBERS_MAX * TW_VARINT_MAX +
		     TW_LEDGER_TEXTS_MAX * (TEXT_MAX + TW_VARINT_MAX)];
	uint8_t *p = body;
	unsigned n_numbers = 0, n_texts = 0;
	size_t n;

	tw_ledger_shape(tag, &n_numbers, &n_texts);
	for (unsigned i = 0; i < n_numbers; i++)
		p = tw_varint_put(p, numbers[i]);
	for (unsigned i = 0; i < n_texts; i++) {
		uint32_t bytes =
			texts[i].n_bytes < TEXT_MAX ? texts[i].n_bytes : TEXT_MAX;

		p = tw_varint_put(p, bytes);
		if (bytes)
			memcpy(p, texts[i].text, bytes);
		p += bytes;
	}
	n = (size_t)(p - body);
	if (l->n_bytes + n + 2 * TW_VARINT_MAX > sizeof(l->bytes))
		tw_ledger_flush(l);
	p = tw_varint_put(l->bytes + l->n_bytes, tag);
	p = tw_varint_put(p, n);
	memcpy(p, body, n);
	l->n_bytes = (uint32_t)(p + n - l->bytes);
}

void tw_ledger_flush(struct tw_ledger *l)
{
	char text[START_BYTES + (sizeof(l->bytes) + 2) / 3 * 4];
	uint32_t n = START_BYTES;

	if (l->n_bytes == 0)
		return;
	memcpy(text, TW_LEDGER_START, START_BYTES);
	for (uint32_t i = 0; i < l->n_bytes; i += 3) {
		uint32_t left = l->n_bytes - i;
		uint32_t v = (uint32_t)l->bytes[i] << 16;

		if (left > 1)
			v |= (uint32_t)l->bytes[i + 1] << 8;
		if (left > 2)
			v |= l->bytes[i + 2];
		text[n++] = letters[v >> 18];
		text[n++] = letters[v >> 12 & 63];
		if (left > 1)
			text[n++] = letters[v >> 6 & 63];
		if (left > 2)
			text[n++] = letters[v & 63];
	}
	tw_tracy_strings_add(l->strings, (struct tw_slice){text, n}, false);
	l->n_bytes = 0;
}

bool tw_ledger_is(struct tw_slice text)
{
	return text.n_bytes > START_BYTES &&
	       memcmp(text.text, TW_LEDGER_START, START_BYTES) == 0;
}

/* The bytes that the letters stand for, up to the first that is none. */
static uint8_t *decode(struct tw_slice text, uint32_t *n)
{
	uint8_t *bytes = malloc((size_t)text.n_bytes + 1);
	uint32_t v = 0, n_bits = 0;

	*n = 0;
	for (uint32_t i = START_BYTES; bytes && i < text.n_bytes; i++) {
		const char *letter =
			text.text[i] ? strchr(letters, text.text[i]) : NULL;

		if (!letter)
			break;
		v = v << 6 | (uint32_t)(letter - letters);
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			bytes[(*n)++] = (uint8_t)(v >> n_bits);
		}
	}
	return bytes;
}

static int read_record(struct tw_slice record, uint64_t tag, tw_ledger_reader *reader,
		       void *context)
{
	struct tw_cursor body = {(const uint8_t *)record.text,
				 (const uint8_t *)record.text + record.n_bytes, false};
	uint64_t numbers[TW_LEDGER_NUMBERS_MAX] = {0};
	struct tw_slice texts[TW_LEDGER_TEXTS_MAX] = {{"", 0}, {"", 0}};
	unsigned n_numbers, n_texts;

	if (!tw_ledger_shape(tag, &n_numbers, &n_texts))
		return 0;
	for (unsigned i = 0; i < n_numbers; i++)
		numbers[i] = tw_cursor_u64(&body);
	for (unsigned i = 0; i < n_texts; i++)
		texts[i] = tw_cursor_text(&body);
	return body.is_bad ? 0 : reader(context, tag, numbers, texts);
}

int tw_ledger_read(struct tw_slice text, tw_ledger_reader *reader, void *context)
{
	uint32_t n;
	uint8_t *bytes = decode(text, &n);
	struct tw_cursor all = {bytes, bytes ? bytes + n : NULL, false};
	int result = bytes ? 0 : -ENOMEM;

	while (result == 0 && all.at < all.end) {
		uint64_t tag = tw_cursor_u64(&all);
		struct tw_slice record = tw_cursor_text(&all);

		if (all.is_bad)
			break;
		result = read_record(record, tag, reader, context);
	}
	free(bytes);
	return result;
}

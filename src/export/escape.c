/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of a trace in the forms that output needs (contracts in writer.h). One decoder
 * of UTF-8 serves all: runs of harmless bytes are copied whole, the rest goes one by
 * one.
 */
#include "export/writer.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Length of the well-formed UTF-8 sequence at p (RFC 3629: no surrogates, shortest
 * form, at most U+10FFFF), or 0. */
static size_t sequence(const unsigned char *p, size_t n)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (n < length)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Is the character at p, a whole sequence, not to be copied as it is? */
typedef bool is_special(const unsigned char *p);

/* Writes something else for it. */
typedef void special(struct tw_writer *w, unsigned char first);

static inline void escape(struct tw_writer *w, struct tw_slice text, is_special *is,
			  special *write)
{
	const unsigned char *p = (const unsigned char *)text.text;
	const unsigned char *end = p + text.n_bytes;

	while (p < end) {
		const unsigned char *run = p;
		size_t n = 1;

		while (p < end && (n = sequence(p, (size_t)(end - p))) != 0 && !is(p))
			p += n;
		tw_writer_bytes(w, run, (size_t)(p - run));
		if (p == end)
			break;
		if (n == 0)
			tw_writer_bytes(w, REPLACEMENT, sizeof(REPLACEMENT) - 1);
		else
			write(w, *p);
		p += n ? n : 1;
	}
}

static bool is_special_json(const unsigned char *p)
{
	return *p < 0x20 || *p == '"' || *p == '\\' || *p == 0x7f;
}

static void special_json(struct tw_writer *w, unsigned char byte)
{
	static const char letters[0x20] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
	static const char digits[] = "0123456789abcdef";
	char text[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};

	if (byte == '"' || byte == '\\')
		text[1] = (char)byte;
	else if (byte < 0x20 && letters[byte])
		text[1] = letters[byte];
	tw_writer_bytes(w, text, text[1] == 'u' ? 6 : 2);
}

void tw_writer_json(struct tw_writer *w, struct tw_slice text)
{
	tw_writer_bytes(w, "\"", 1);
	escape(w, text, is_special_json, special_json);
	tw_writer_bytes(w, "\"", 1);
}

static bool is_special_csv(const unsigned char *p)
{
	return *p == '"' || *p == '\0';
}

static void special_csv(struct tw_writer *w, unsigned char byte)
{
	/* Most readers of CSV end at a NUL. */
	tw_writer_text(w, byte == '"' ? "\"\"" : REPLACEMENT);
}

void tw_writer_csv(struct tw_writer *w, struct tw_slice text)
{
	bool is_quoted = false;

	for (uint32_t i = 0; i < text.n_bytes && !is_quoted; i++)
		is_quoted = text.text[i] != '\0' && strchr(",\"\r\n", text.text[i]);
	if (is_quoted)
		tw_writer_bytes(w, "\"", 1);
	escape(w, text, is_special_csv, special_csv);
	if (is_quoted)
		tw_writer_bytes(w, "\"", 1);
}

static bool is_special_plain(const unsigned char *p)
{
	/* U+0080 to U+009F: a terminal may take them for escape sequences */
	return *p < 0x20 || *p == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

static void special_plain(struct tw_writer *w, unsigned char byte)
{
	tw_writer_bytes(w, byte == '\n' || byte == '\t' || byte == '\0' ? " " : "?", 1);
}

void tw_writer_plain(struct tw_writer *w, struct tw_slice text)
{
	escape(w, text, is_special_plain, special_plain);
}

/* Bytes that the first `n_columns` characters take; *n_columns becomes their number. */
static uint32_t measure(struct tw_slice text, uint32_t *n_columns)
{
	const unsigned char *p = (const unsigned char *)text.text;
	uint32_t at = 0, n = 0;

	while (at < text.n_bytes && n < *n_columns) {
		size_t length = sequence(p + at, text.n_bytes - at);

		at += length ? (uint32_t)length : 1;
		n++;
	}
	*n_columns = n;
	return at;
}

uint32_t tw_slice_columns(struct tw_slice text)
{
	uint32_t n_columns = UINT32_MAX;

	measure(text, &n_columns);
	return n_columns;
}

struct tw_slice tw_slice_cut(struct tw_slice text, uint32_t n_columns)
{
	text.n_bytes = measure(text, &n_columns);
	return text;
}

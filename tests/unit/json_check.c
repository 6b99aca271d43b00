/* SPDX-License-Identifier: BSD-3-Clause */
/* See json_check.h. A strict checker, written for the tests: no shared code with src.
 */
#include "json_check.h"

#include <string.h>

struct state {
	const unsigned char *p, *end;
	const char *wrong;
};

static void value(struct state *s);

static int fail(struct state *s, const char *what)
{
	if (!s->wrong)
		s->wrong = what;
	return 0;
}

static int peek(struct state *s)
{
	while (s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p)
		s->p++;
	return s->p < s->end ? *s->p : -1;
}

static int take(struct state *s, int c)
{
	if (s->wrong || peek(s) != c)
		return 0;
	s->p++;
	return 1;
}

/* One character beyond ASCII. */
static void utf8(struct state *s)
{
	static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char lead = *s->p;
	int n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	unsigned long c = lead & (0xff >> (n + 1));

	if (lead < 0xc0 || lead > 0xf7 || s->end - s->p < n) {
		fail(s, "wrong UTF-8");
		return;
	}
	for (int i = 1; i < n; i++) {
		if ((s->p[i] & 0xc0) != 0x80)
			fail(s, "wrong UTF-8");
		c = c << 6 | (s->p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		fail(s, "wrong character");
	s->p += n;
}

static void string(struct state *s)
{
	if (!take(s, '"')) {
		fail(s, "no string");
		return;
	}
	while (!s->wrong && s->p < s->end && *s->p != '"') {
		if (*s->p < 0x20) {
			fail(s, "control byte in a string");
		} else if (*s->p == '\\' && s->end - s->p > 6 && s->p[1] == 'u') {
			for (int i = 2; i < 6; i++)
				if (!strchr("0123456789abcdefABCDEF", s->p[i]))
					fail(s, "wrong \\u");
			s->p += 6;
		} else if (*s->p == '\\' && s->end - s->p > 2) {
			if (!strchr("\"\\/bfnrt", s->p[1]))
				fail(s, "wrong escape");
			s->p += 2;
		} else if (*s->p >= 0x80) {
			utf8(s);
		} else {
			s->p++;
		}
	}
	if (!s->wrong && s->p++ >= s->end)
		fail(s, "string without an end");
}

static void number(struct state *s)
{
	const unsigned char *start = s->p;

	while (s->p < s->end && strchr("+-.eE0123456789", *s->p) && *s->p)
		s->p++;
	if (s->p == start)
		fail(s, "no value");
}

static void list(struct state *s, char open, char close, int has_keys)
{
	take(s, open);
	if (take(s, close))
		return;
	do {
		if (has_keys) {
			string(s);
			if (!take(s, ':'))
				fail(s, "no colon");
		}
		value(s);
	} while (take(s, ','));
	if (!take(s, close))
		fail(s, "list without an end");
}

static void value(struct state *s)
{
	static const char *const words[] = {"true", "false", "null"};
	int c = peek(s);

	if (s->wrong)
		return;
	if (c == '{' || c == '[') {
		list(s, (char)c, c == '{' ? '}' : ']', c == '{');
		return;
	}
	if (c == '"') {
		string(s);
		return;
	}
	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
			s->p += n;
			return;
		}
	}
	number(s);
}

const char *json_check(const char *text, size_t n, size_t *at)
{
	struct state s = {(const unsigned char *)text, (const unsigned char *)text + n,
			  NULL};

	value(&s);
	if (!s.wrong && peek(&s) != -1)
		fail(&s, "something after the end");
	*at = (size_t)((const char *)s.p - text);
	return s.wrong;
}

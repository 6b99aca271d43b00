/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pattern matching; contract in glob.h. Only the last star ever has to be tried again,
 * so the time is at most pattern times text.
 */
#include "core/glob.h"

/*
 * A [...] at glob: whether c is in it, and how many bytes it takes; 0 = it has no end
 * and is an ordinary character.
 */
static size_t set_matches(const char *glob, size_t n, char c, bool *is_in)
{
	bool is_negated = n > 1 && (glob[1] == '!' || glob[1] == '^');
	size_t i = is_negated ? 2 : 1, first = i;

	*is_in = false;
	for (; i < n && (glob[i] != ']' || i == first); i++) {
		if (i + 2 < n && glob[i + 1] == '-' && glob[i + 2] != ']') {
			*is_in |= c >= glob[i] && c <= glob[i + 2];
			i += 2;
		} else {
			*is_in |= c == glob[i];
		}
	}
	*is_in ^= is_negated;
	return i < n ? i + 1 : 0;
}

/* Bytes of glob that one character c uses up; 0 = it does not match. */
static size_t step(const char *glob, size_t n, char c)
{
	bool is_in;
	size_t bytes;

	if (!n)
		return 0;
	if (glob[0] == '?')
		return 1;
	if (glob[0] == '[') {
		bytes = set_matches(glob, n, c, &is_in);
		if (bytes)
			return is_in ? bytes : 0;
	}
	return glob[0] == c;
}

bool tw_glob_matches(const char *glob, size_t glob_bytes, const char *text)
{
	const char *end = glob + glob_bytes;
	const char *star = NULL, *retry = NULL;

	while (*text) {
		size_t used;

		if (glob < end && *glob == '*') {
			star = ++glob;
			retry = text;
			continue;
		}
		used = step(glob, (size_t)(end - glob), *text);
		if (used) {
			glob += used;
			text++;
		} else if (star) {
			glob = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (glob < end && *glob == '*')
		glob++;
	return glob == end;
}

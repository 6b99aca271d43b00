/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pattern matching; contract in glob.h. Only the last star ever has to be tried again,
 * so the time is at most pattern times text.
 */
#include "core/glob.h"

bool tw_glob_matches(const char *pattern, size_t n, const char *text)
{
	const char *end = pattern + n;
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			/* The last star takes one more byte. */
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching of library and function names; contract in pattern.h.
 */
#include "core/pattern.h"

#include <string.h>

#include "core/glob.h"

/* One LIB:GLOB of a list. */
struct part {
	const char *library;
	size_t library_bytes;
	const char *function;
	size_t function_bytes;
};

/* Takes the part at *at and moves *at behind it; false for a part without a colon. */
static bool take_part(const char **at, struct part *part)
{
	size_t n = strcspn(*at, ",");
	const char *colon = memchr(*at, ':', n);

	part->library = *at;
	part->library_bytes = colon ? (size_t)(colon - *at) : 0;
	part->function = colon ? colon + 1 : *at;
	part->function_bytes = colon ? n - part->library_bytes - 1 : 0;
	*at += n;
	if (**at == ',')
		++*at;
	return colon != NULL;
}

static bool starts_with(const char *text, size_t n, const char *start)
{
	return n >= strlen(start) && strncmp(text, start, strlen(start)) == 0;
}

/* What a process cannot be without: traced only when asked for by name. */
static const char *const reserved[] = {"libc.so", "ld-linux", "ld.so", "ld64.so"};

static bool is_reserved(const char *text, size_t n)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (starts_with(text, n, reserved[i]))
			return true;
	return n == 4 && strncmp(text, "libc", 4) == 0;
}

static bool has_wildcard(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("*?[", text[i]))
			return true;
	return false;
}

static bool library_matches(const char *pattern, size_t n, const char *library)
{
	if (is_reserved(library, strlen(library)) && !is_reserved(pattern, n))
		return false;
	if (tw_glob_matches(pattern, n, library))
		return true;
	return !has_wildcard(pattern, n) && strncmp(library, pattern, n) == 0 &&
	       strncmp(library + n, ".so", 3) == 0;
}

bool tw_pattern_is_valid(const char *patterns)
{
	struct part part;
	size_t n = strlen(patterns);

	if (!n || patterns[n - 1] == ',')
		return false;
	while (*patterns)
		if (!take_part(&patterns, &part) || !part.library_bytes ||
		    !part.function_bytes)
			return false;
	return true;
}

uint64_t tw_pattern_hits(const char *patterns, const char *library,
			 const char *function)
{
	uint64_t hits = 0;
	struct part part;

	for (unsigned n = 0; *patterns; n += n < 63)
		if (take_part(&patterns, &part) &&
		    tw_glob_matches(part.function, part.function_bytes, function) &&
		    library_matches(part.library, part.library_bytes, library))
			hits |= UINT64_C(1) << n;
	return hits;
}

bool tw_pattern_matches(const char *patterns, const char *library, const char *function)
{
	return tw_pattern_hits(patterns, library, function) != 0;
}

const char *tw_pattern_part(const char *patterns, unsigned n, size_t *bytes)
{
	while (n-- && *patterns) {
		patterns += strcspn(patterns, ",");
		patterns += *patterns == ',';
	}
	*bytes = strcspn(patterns, ",");
	return *patterns ? patterns : NULL;
}

bool tw_pattern_knows(const char *patterns, const char *function)
{
	struct part part;

	while (*patterns)
		if (take_part(&patterns, &part) &&
		    tw_glob_matches(part.function, part.function_bytes, function))
			return true;
	return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which functions of which libraries: "LIB:GLOB[,LIB:GLOB]...", as -t and -T take it.
 * LIB and GLOB may hold *, ? and [...]. LIB stands for a library's file name; without a
 * wildcard its ending may be left out ("libz" is libz.so.1). The C library and the
 * loader only match a LIB that names them: "*:*" is not meant for malloc. Used by the
 * command and inside the traced process: no malloc, no locale. Any thread.
 */
#ifndef TW_PATTERN_H
#define TW_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is it a list of LIB:GLOB, none of them empty on either side? */
bool tw_pattern_is_valid(const char *patterns);

/* Is the function of the library (a file name without folder) in the list? */
bool tw_pattern_matches(const char *patterns, const char *library,
			const char *function);

/* Which parts of the list match: bit n for the n-th; parts past 63 share the last. */
uint64_t tw_pattern_hits(const char *patterns, const char *library,
			 const char *function);

/* The n-th part and its length, or NULL. */
const char *tw_pattern_part(const char *patterns, unsigned n, size_t *bytes);

/* The same before the library is known: false only when no library would do. */
bool tw_pattern_knows(const char *patterns, const char *function);

#endif

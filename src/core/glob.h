/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns of '*' (any text) and '?' (any byte), as in options that choose by name. No
 * locale, no malloc: used inside the traced process. Any thread.
 */
#ifndef TW_GLOB_H
#define TW_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Does the whole text match the pattern of n bytes? */
bool tw_glob_matches(const char *pattern, size_t n, const char *text);

#endif

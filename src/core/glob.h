/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns of '*' (any text), '?' (any byte) and '[a-z]' or '[!a-z]' (one byte of a
 * set), as in options that choose by name. No locale, no malloc: used inside the traced
 * process. Any thread.
 */
#ifndef TW_GLOB_H
#define TW_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Does the whole text match the pattern of so many bytes? */
bool tw_glob_matches(const char *glob, size_t glob_bytes, const char *text);

#endif

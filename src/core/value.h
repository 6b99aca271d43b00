/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what a user types to values: sizes, seconds, counts, signals, words. Used by
 * options.c, so also in the constructor of a stranger's process: no malloc, no stdio,
 * no locale. All return 0 (or what they say), -EINVAL for text of another kind, -ERANGE
 * for a value that does not fit; *out is written only on success.
 */
#ifndef TW_VALUE_H
#define TW_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* "64K", "1.5G", "4GiB": binary units whatever the spelling. */
int tw_value_bytes(const char *text, uint64_t *out) __attribute__((warn_unused_result));

/* "2", "0.5", "200ms", "5min", into nanoseconds. */
int tw_value_seconds(const char *text, uint64_t *out)
	__attribute__((warn_unused_result));

/* A whole number. */
int tw_value_count(const char *text, uint64_t *out) __attribute__((warn_unused_result));

/* "USR2", "SIGUSR2", "RTMIN+3", "12"; none that stops, kills or reports a fault. */
int tw_value_signal(const char *text, int *out) __attribute__((warn_unused_result));

/* Position of `text` among the words of "all|fork|none", or -EINVAL. */
int tw_value_choice(const char *choices, const char *text)
	__attribute__((warn_unused_result));

/* "", "0", "no", "off", "false", in any case of letters. */
bool tw_value_is_off(const char *text);

/* ASCII only: the program's locale must not decide what an option means. */
static inline char tw_value_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for the many small texts of a timeline: taken in pieces, given back all at
 * once. Single thread.
 */
#ifndef TW_NAMES_H
#define TW_NAMES_H

#include <stddef.h>

struct tw_names;

struct tw_names *tw_names_new(void); /* NULL without memory */
void tw_names_free(struct tw_names *names);

/* Room for n bytes, aligned for any struct and zeroed; NULL without memory. */
void *tw_names_take(struct tw_names *names, size_t n);

/* A copy with a NUL after it; NULL without memory. */
char *tw_names_copy(struct tw_names *names, const char *text, size_t n);

#endif

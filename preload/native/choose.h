/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls are wrapped: the user's choice (core/choice.h) less the functions that
 * cannot be wrapped at all. Called while the loader's list is locked (objects.h), so
 * one thread at a time.
 */
#ifndef TW_CHOOSE_H
#define TW_CHOOSE_H

#include <stdbool.h>

#include "core/choice.h"

/* Takes a copy of the user's words. False: nothing is chosen. */
bool tw_choose_start(const struct tw_choice *choice);

/* Could this function be chosen, whatever its library? Any thread. */
bool tw_choose_knows(const char *function);

/* Is it? The library is a file name without folder. */
bool tw_choose_has(const char *library, const char *function);

/* A hook was made: for the summary and for the list that the user asked for. */
void tw_choose_made(const char *library, const char *function);

/* Writes the list to its file; after the last of several hooks. */
void tw_choose_list_end(void);

#endif

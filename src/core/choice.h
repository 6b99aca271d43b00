/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user chose to see of native calls: -t, -T, --hooks-from and --list-hooks as
 * plain text, so that it fits into the arena and reaches every process of a run. Made
 * by whoever makes the arena; read in the traced processes. No malloc.
 */
#ifndef TW_CHOICE_H
#define TW_CHOICE_H

#include <stdbool.h>

#include "core/options.h"

#define TW_CHOICE_PATH_MAX 1024u

struct tw_choice {
	char traced[TW_PATTERNS_BYTES];	  /* pattern.h; "" = nothing */
	char untraced[TW_PATTERNS_BYTES]; /* beats traced */
	char hooks_from[TW_CHOICE_PATH_MAX];
	char list_hooks[TW_CHOICE_PATH_MAX];
};

/* Copies the settings; file names become absolute, processes may live elsewhere. */
void tw_choice_fill(struct tw_choice *choice, const struct tw_config *config);

/* Is there anything to hook at all? */
bool tw_choice_is_any(const struct tw_choice *choice);

/* Is this function of this library (file name without folder) chosen by patterns? */
bool tw_choice_has(const struct tw_choice *choice, const char *library,
		   const char *function);

#endif

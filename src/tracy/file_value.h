/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracy has no values of zones: viewers show them as one more line of the zone's text,
 * and so does a `.tracy` file. Both ways: what file_gather.c joins, file_import_zones.c
 * takes apart again, to the byte. Pure functions.
 */
#ifndef TW_TRACY_FILE_VALUE_H
#define TW_TRACY_FILE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/walk.h"

#define TW_TRACY_JOINED_MAX (TW_ZONE_TEXT_MAX + 32)

/*
 * Writes text, newline, value into buffer[TW_TRACY_JOINED_MAX] and returns the length.
 * A text without a value that looks as if it had one gets a newline behind it.
 */
uint32_t tw_tracy_value_join(char *buffer, struct tw_slice text, bool has_value,
			     uint64_t value);

/* Takes a joined text apart: cuts *text; true when there was a value. */
bool tw_tracy_value_split(struct tw_slice *text, uint64_t *value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The string table of a `.tracy` file that is being made. Equal texts are stored once
 * (as far as memory for knowing them goes), in the form in which the file wants them.
 * Command only, one thread.
 */
#ifndef TW_TRACY_FILE_STRINGS_H
#define TW_TRACY_FILE_STRINGS_H

#include <stdbool.h>

#include "export/scratch.h"
#include "trace/cursor.h"

struct tw_tracy_string_slot;

struct tw_tracy_strings {
	struct tw_scratch table; /* u64 id, u64 length, bytes; for each */
	uint32_t n;
	uint64_t n_left_out; /* no index was left for them */
	struct tw_tracy_string_slot *slots;
	uint32_t n_slots, n_known;
};

void tw_tracy_strings_init(struct tw_tracy_strings *strings);
void tw_tracy_strings_free(struct tw_tracy_strings *strings);

/*
 * Returns the text's index + 1, which is also its id in the file, or 0 when there are
 * too many (counted). Texts of zones and messages (`is_text`) leave some indexes to
 * names. Errors, of the scratch file or of memory, are in strings->table.error.
 */
uint32_t tw_tracy_strings_add(struct tw_tracy_strings *strings, struct tw_slice text,
			      bool is_text);

/* The same, printf-like, for names that are put together. Cut at 1 KiB. */
uint32_t tw_tracy_strings_format(struct tw_tracy_strings *strings, const char *format,
				 ...) __attribute__((format(printf, 2, 3)));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ledger of a `.tracy` file of ours: what a trace knows and Tracy has no place for
 * (processes with their ends, threads that did nothing, losses, stalls, the session),
 * so that a report of the file equals one of the trace. It lies in the file's table of
 * strings, in texts that nothing refers to: viewers keep them and show them nowhere.
 *
 *   text   = TW_LEDGER_START, base64 of record*
 *   record = varint tag, varint bytes, body
 *
 * Tags below TW_LEDGER_OWN are those of enum tw_meta_tag with the bodies that format.h
 * gives them; ticks are nanoseconds since the trace's start, plus one, so that 0 stays
 * "unknown". Written by file_ledger_write.c, read by file_import_people.c, which trusts
 * nothing of it. Command only, one thread.
 */
#ifndef TW_TRACY_FILE_LEDGER_H
#define TW_TRACY_FILE_LEDGER_H

#include "trace/cursor.h"
#include "trace/format.h"
#include "tracy/file_plan.h"

#define TW_LEDGER_START "tracewrap ledger 1 "

enum tw_ledger_tag {
	TW_LEDGER_OWN = 200,
	/* thread number, its id in this file */
	TW_LEDGER_THREAD_ID = 200,
	/* 1 = frames, 0 = plot; process number; text name in this file, text name */
	TW_LEDGER_SERIES = 201,
	/* thread number, its zones, how many of the last of them to end are open */
	TW_LEDGER_OPEN = 202,
};

/* What a body is made of: so many numbers, then so many texts; false: unknown tag. */
bool tw_ledger_shape(uint64_t tag, unsigned *n_numbers, unsigned *n_texts);
#define TW_LEDGER_NUMBERS_MAX 6u
#define TW_LEDGER_TEXTS_MAX   2u

/* A ledger that is being written into the strings of a file. */
struct tw_ledger {
	struct tw_tracy_strings *strings;
	uint32_t n_bytes;
	uint8_t bytes[12288];
};

/* Appends a record; as many numbers and texts as its shape says. Texts may be cut. */
void tw_ledger_put(struct tw_ledger *ledger, uint64_t tag, const uint64_t *numbers,
		   const struct tw_slice *texts);
void tw_ledger_flush(struct tw_ledger *ledger);

/* Everything that the plan's timeline knows. 0 or a negative errno, fault worded. */
int tw_ledger_write(struct tw_tracy_plan *plan) __attribute__((warn_unused_result));

/* Is this text of a file a part of its ledger? */
bool tw_ledger_is(struct tw_slice text);

/*
 * Hands out the records of such a text, numbers and texts taken apart; those with
 * unknown tags or bodies are passed over. Returns 0, -ENOMEM, or a callback's result.
 */
typedef int tw_ledger_reader(void *context, uint64_t tag, const uint64_t *numbers,
			     const struct tw_slice *texts);
int tw_ledger_read(struct tw_slice text, tw_ledger_reader *reader, void *context)
	__attribute__((warn_unused_result));

#endif

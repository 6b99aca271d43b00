/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that are collected before they can be written: kept in memory while they are
 * few, else in a file without a name. So a trace of any length is exported in bounded
 * memory. Command only, one thread.
 */
#ifndef TW_SCRATCH_H
#define TW_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#define TW_SCRATCH_BUFFER (1u << 20)

struct tw_scratch {
	int fd; /* -1 = all is in the buffer yet */
	int error;
	uint8_t *buffer; /* the last bytes; of TW_SCRATCH_BUFFER */
	size_t used;
	uint64_t n_bytes; /* in all */
};

void tw_scratch_init(struct tw_scratch *scratch);
void tw_scratch_free(struct tw_scratch *scratch);

/* Remembers the first error, like a writer; a negative errno in ->error. */
void tw_scratch_put(struct tw_scratch *scratch, const void *bytes, size_t n);

/* Reads n bytes at `offset`, all of which have been put. 0 or a negative errno. */
int tw_scratch_get(struct tw_scratch *scratch, uint64_t offset, void *bytes, size_t n)
	__attribute__((warn_unused_result));

#endif

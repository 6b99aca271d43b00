/* SPDX-License-Identifier: BSD-3-Clause */
/* What spool_read.c and spool_header.c share; nobody else includes this. */
#ifndef TW_SPOOL_PRIVATE_H
#define TW_SPOOL_PRIVATE_H

#include <stddef.h>
#include <sys/types.h>

#include "trace/spool_read.h"

struct tw_spool {
	int fd;
	char *path;
	struct tw_file_header header;
	struct tw_spool_damage damage;
	uint64_t first;	 /* offset of the first block */
	uint64_t offset; /* where the next block should start */
	uint64_t limit;	 /* no block starts at or after this one */
	/*
	 * Bytes that may still be hashed in vain while looking for the next block. A
	 * file made of nothing but false block headers would otherwise cost its size
	 * squared.
	 */
	uint64_t patience;
	uint64_t patience_at_first;
	uint64_t window_offset;
	size_t window_used;
	size_t read_ahead; /* bytes to read at once: less when jumping about */
	uint8_t *window;
	uint8_t *raw;
};

enum tw_spool_verdict { TW_SPOOL_GOOD, TW_SPOOL_BAD, TW_SPOOL_CUT };

/*
 * Makes *at point to the file's bytes at `offset`; returns how many there are: `want`,
 * more, or fewer at the end of the file; or a negative errno.
 */
ssize_t tw_spool_peek(struct tw_spool *s, uint64_t offset, size_t want,
		      const uint8_t **at);

/* Is there a whole block at `offset`? Returns a verdict or a negative errno. */
int tw_spool_examine(struct tw_spool *s, uint64_t offset, struct tw_block *block);

/* Reads the file header and sets `first`; 0 or a negative errno, fault worded. */
int tw_spool_read_header(struct tw_spool *s, struct tw_fault *fault);

/* Words a failed read; returns `error`. */
int tw_spool_read_failed(struct tw_spool *s, int error, struct tw_fault *fault);

#endif

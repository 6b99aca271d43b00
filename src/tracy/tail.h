/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Follows a spool that is being written (trace/format.h), block by block, for the live
 * client. Malloc-free, raw system calls; one thread. When --max-size made the writer
 * replace the file, reading ends the old one first and goes on in the new one behind
 * the last block it had, so that no block is seen twice.
 */
#ifndef TW_TAIL_H
#define TW_TAIL_H

#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/format.h"

struct tw_tail {
	int fd; /* -1 = not open */
	bool is_meta_only;
	const char *path;
	uint64_t inode;
	uint64_t offset;	/* where the next block starts */
	uint64_t last_checksum; /* of the last block handed out; 0 = none */
	uint64_t n_replaced;	/* files that took another's place */
	uint8_t stored[LZ4_COMPRESSBOUND(TW_BLOCK_RAW_MAX)];
	uint8_t raw[TW_BLOCK_RAW_MAX];
};

struct tw_tail_block {
	uint32_t kind; /* enum tw_block_kind, or one of a later version */
	uint32_t thread;
	uint16_t sequence;  /* of the block in its thread */
	const uint8_t *raw; /* valid until the next call */
	uint32_t n_bytes;
};

/*
 * Starts at the first block of `path`, which must outlive the tail; or of `fd`, when it
 * is not -1 (it then belongs to the tail). Returns 0 or -errno.
 */
int tw_tail_open(struct tw_tail *tail, const char *path, int fd)
	__attribute__((warn_unused_result));

/*
 * The next whole block: 1 and *block, or 0 when there is none for now. With
 * is_meta_only, EVENTS blocks are stepped over unread.
 */
int tw_tail_next(struct tw_tail *tail, struct tw_tail_block *block);

/* Back to the first block. */
void tw_tail_rewind(struct tw_tail *tail);

void tw_tail_close(struct tw_tail *tail);

#endif

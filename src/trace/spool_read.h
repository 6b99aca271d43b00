/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the blocks of a spool `.tw` (format.h) and trusts none of its bytes. Used by
 * the command only (report, exporters), one thread per reader. The file is read with
 * pread into a buffer, never mapped: it may be cut under us, and a map would turn that
 * into SIGBUS. It may also still grow: tw_spool_next() says "no more for now" and may
 * be asked again.
 */
#ifndef TW_SPOOL_READ_H
#define TW_SPOOL_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/fault.h"
#include "trace/format.h"

struct tw_spool;

/* What could not be read so far. */
struct tw_spool_damage {
	uint64_t n_places;   /* stretches without a readable block, mid-file */
	uint64_t bytes;	     /* in those stretches */
	uint64_t tail_bytes; /* after the last whole block: cut, or still being written
			      */
	bool is_header;	     /* the file header is damaged; blocks were found anyway */
};

struct tw_block {
	uint64_t offset; /* of its header in the file */
	uint32_t kind;	 /* enum tw_block_kind, or one of a later minor version */
	uint32_t codec;
	uint32_t thread;
	uint32_t n_records;
	uint16_t sequence; /* in its thread */
	uint32_t raw_bytes;
	uint32_t stored_bytes;
};

/*
 * Opens `path` and checks its header. Returns 0 and *out, or a negative errno with the
 * fault worded: not a spool, empty, a directory, of a later major version, ...
 */
int tw_spool_open(struct tw_spool **out, const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/* The same for a descriptor, which is taken over; `path` is what users call it. */
int tw_spool_adopt(struct tw_spool **out, int fd, const char *path,
		   struct tw_fault *fault) __attribute__((warn_unused_result));

void tw_spool_close(struct tw_spool *spool);

/*
 * Steps to the next whole block with a right checksum, past damage if there is any.
 * Returns 1 and *block, 0 when there is no (further) whole block for now, or a negative
 * errno when the file cannot be read.
 */
int tw_spool_next(struct tw_spool *spool, struct tw_block *block,
		  struct tw_fault *fault) __attribute__((warn_unused_result));

/*
 * The payload of the block that tw_spool_next() returned last, unpacked; valid until
 * the next call of either. NULL when it does not unpack to raw_bytes: counted as
 * damage. With `at_most` < raw_bytes only that many bytes are unpacked.
 */
const uint8_t *tw_spool_unpack(struct tw_spool *spool, const struct tw_block *block,
			       uint32_t at_most);

/*
 * Back to the first block. Reading then ends where it ended so far, so that two passes
 * over a growing file see the same blocks; damage is counted anew.
 */
void tw_spool_rewind(struct tw_spool *spool);

/*
 * The block at `offset`, where an earlier pass has seen one; reading on with
 * tw_spool_next() is not affected but needs a rewind to be fast again. Returns 1 and
 * *block, 0 when there is no whole block any more, or a negative errno.
 */
int tw_spool_at(struct tw_spool *spool, uint64_t offset, struct tw_block *block,
		struct tw_fault *fault) __attribute__((warn_unused_result));

const struct tw_file_header *tw_spool_header(const struct tw_spool *spool);
const struct tw_spool_damage *tw_spool_damage(const struct tw_spool *spool);
const char *tw_spool_path(const struct tw_spool *spool);

/* The open file, for fstat() and copies; owned by the reader. */
int tw_spool_fd(const struct tw_spool *spool);

#endif

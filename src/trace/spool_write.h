/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a spool `.tw` (format.h). Owned by the pump, one thread. Uses raw system
 * calls and no malloc: it also runs inside the traced process. An error (full disk,
 * size limit) makes it stop writing and count; it never blocks recording.
 */
#ifndef TW_SPOOL_WRITE_H
#define TW_SPOOL_WRITE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "trace/encode.h"
#include "trace/format.h"

#define TW_META_BYTES (64u << 10)

struct tw_spool_writer {
	int fd;
	int error; /* 0, or the -errno that stopped writing */
	uint64_t size;
	uint64_t max_bytes; /* 0 = no cap */
	uint64_t n_blocks;
	uint64_t n_events;	   /* events in the file */
	uint64_t n_events_unsaved; /* events lost to an error */
	uint64_t n_rotated_blocks, n_rotated_events, n_rotated_bytes;
	uint64_t session;
	_Atomic uint32_t *pulse; /* grows during long work; may be NULL */
	size_t meta_used;
	uint32_t meta_n;
	char path[PATH_MAX];
	uint8_t meta[TW_META_BYTES];
	uint8_t stored[TW_ENCODE_BYTES + TW_ENCODE_BYTES / 200 + 64];
	uint64_t lz4_state[(16u << 10) / 8 + 64];
};

/*
 * Creates the file: -EEXIST when it exists and is_forced is not set. The spool's memory
 * (large) is the caller's. Returns 0 or -errno.
 */
int tw_spool_create(struct tw_spool_writer *spool, const char *path, bool is_forced,
		    uint64_t max_bytes, uint64_t session)
	__attribute__((warn_unused_result));

/*
 * Appends a META record: `n` numbers, then texts. Buffered; tw_spool_events and
 * tw_spool_flush write it out. Texts too long for a record are cut.
 */
struct tw_span {
	const char *text;
	size_t bytes;
};
void tw_spool_meta(struct tw_spool_writer *spool, enum tw_meta_tag tag,
		   const uint64_t *numbers, unsigned n, const struct tw_span *texts,
		   unsigned n_texts);

/* Appends what the encoder holds as one EVENTS block, META first. */
void tw_spool_events(struct tw_spool_writer *spool, uint32_t thread,
		     const struct tw_encoder *encoder);

/* Writes buffered META. */
void tw_spool_flush(struct tw_spool_writer *spool);

void tw_spool_clock(struct tw_spool_writer *spool, const struct tw_clock_anchor *anchor,
		    enum tw_clock_kind kind);

/* Writes FINISH and closes. */
void tw_spool_finish(struct tw_spool_writer *spool, uint64_t ticks);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes one thread's events into a spool, for those who have events but no ring: the
 * import of other formats. The pump has encode.c for ring slots; the bytes are the same
 * (format.h). Command only, one thread.
 */
#ifndef TW_SPOOL_STREAM_H
#define TW_SPOOL_STREAM_H

#include "trace/spool_write.h"

#define TW_STREAM_PAYLOAD_MAX 16384u /* a longer one is cut by the caller */

struct tw_spool_stream {
	struct tw_spool_writer *spool;
	uint32_t thread; /* number */
	uint64_t last_ticks;
	uint32_t depth;
	uint8_t *at; /* NULL = no block has begun */
	struct tw_encoder block;
	uint8_t bytes[TW_ENCODE_BYTES];
};

/* Goes on with this thread: block `sequence`, `depth` 0. */
void tw_stream_open(struct tw_spool_stream *stream, struct tw_spool_writer *spool,
		    uint32_t thread);

/* Time never runs back: earlier ticks than the last become those. */
void tw_stream_begin(struct tw_spool_stream *stream, uint64_t ticks, uint32_t location);
void tw_stream_end(struct tw_spool_stream *stream, uint64_t ticks);
void tw_stream_event(struct tw_spool_stream *stream, uint64_t ticks,
		     enum tw_event_kind kind, uint32_t id, const void *payload,
		     uint32_t n);

/* Writes what is left. */
void tw_stream_close(struct tw_spool_stream *stream);

#endif

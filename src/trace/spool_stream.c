/* SPDX-License-Identifier: BSD-3-Clause */
/* See spool_stream.h. */
#include "trace/spool_stream.h"

#include <endian.h>
#include <string.h>

#include "core/varint.h"

#define EVENT_MAX 64u /* bytes of an event but for its payload, rounded up */

_Static_assert(TW_STREAM_PAYLOAD_MAX + 2 * EVENT_MAX < TW_ENCODE_BYTES,
	       "a block has room for any event");

void tw_stream_open(struct tw_spool_stream *s, struct tw_spool_writer *spool,
		    uint32_t thread)
{
	s->spool = spool;
	s->thread = thread;
	s->last_ticks = 0;
	s->depth = 0;
	s->at = NULL;
	memset(&s->block, 0, sizeof(s->block));
	s->block.bytes = s->bytes;
}

void tw_stream_close(struct tw_spool_stream *s)
{
	if (!s->at)
		return;
	s->block.used = (size_t)(s->at - s->bytes);
	tw_spool_events(s->spool, s->thread, &s->block);
	s->block.sequence++;
	s->block.n_events = 0;
	s->at = NULL;
}

/* Room for an event; writes its head: how long after the last one it happened. */
static void put_head(struct tw_spool_stream *s, uint64_t ticks, bool is_end, uint32_t n)
{
	size_t room;

	if (ticks < s->last_ticks)
		ticks = s->last_ticks;
	room = s->at ? (size_t)(s->bytes + TW_ENCODE_BYTES - s->at) : 0;
	if (s->at && (room < n + EVENT_MAX || s->at >= s->bytes + TW_ENCODE_TARGET))
		tw_stream_close(s);
	if (!s->at) {
		uint64_t le = htole64(ticks);

		memcpy(s->bytes, &le, sizeof(le));
		s->at = tw_varint_put(s->bytes + sizeof(le), s->depth);
		s->last_ticks = ticks;
	}
	s->at = tw_varint_put(s->at, (ticks - s->last_ticks) << 1 | !is_end);
	s->last_ticks = ticks;
	s->block.n_events++;
}

void tw_stream_begin(struct tw_spool_stream *s, uint64_t ticks, uint32_t location)
{
	put_head(s, ticks, false, 0);
	s->at = tw_varint_put(s->at, location);
	s->depth++;
}

void tw_stream_end(struct tw_spool_stream *s, uint64_t ticks)
{
	put_head(s, ticks, true, 0);
	s->depth--;
}

void tw_stream_event(struct tw_spool_stream *s, uint64_t ticks, enum tw_event_kind kind,
		     uint32_t id, const void *payload, uint32_t n)
{
	put_head(s, ticks, false, n);
	*s->at++ = 0;
	*s->at++ = (uint8_t)kind;
	s->at = tw_varint_put(s->at, id);
	s->at = tw_varint_put(s->at, n);
	if (n)
		memcpy(s->at, payload, n);
	s->at += n;
}

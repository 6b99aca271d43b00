/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pass 2 of the timeline (timeline.h): decodes EVENTS blocks and hands every event to a
 * visitor. This is the loop that a report of ten million zones lives in.
 */
#include <endian.h>
#include <string.h>

#include "trace/timeline_private.h"

/* Same contract as tw_varint_get; most numbers of a trace take one or two bytes. */
static inline const uint8_t *get(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
	if (end - p >= 2) {
		if (p[0] < 0x80) {
			*out = p[0];
			return p + 1;
		}
		if (p[1] < 0x80) {
			*out = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
			return p + 2;
		}
	}
	return tw_varint_get(p, end, out);
}

/* After the 0x00 of a long event: kind, id, payload. NULL for nonsense. */
static const uint8_t *get_long(const uint8_t *p, const uint8_t *end,
			       struct tw_event *event)
{
	uint64_t id, n;

	if (p == end)
		return NULL;
	event->kind = *p++;
	p = tw_varint_get(p, end, &id);
	if (p)
		p = tw_varint_get(p, end, &n);
	if (!p || n > (uint64_t)(end - p))
		return NULL;
	event->id = id <= UINT32_MAX ? (uint32_t)id : 0;
	event->payload = p;
	event->n_bytes = (uint32_t)n;
	return p + n;
}

/* What follows a head whose low bit is set: a zone begins, or any other kind. */
static inline const uint8_t *get_begin(const uint8_t *p, const uint8_t *end,
				       struct tw_event *event)
{
	uint64_t id;

	p = get(p, end, &id);
	if (!p)
		return NULL;
	if (id == 0)
		return get_long(p, end, event);
	event->kind = TW_EVENT_ZONE_BEGIN;
	event->id = id <= UINT32_MAX ? (uint32_t)id : 0;
	event->n_bytes = 0;
	return p;
}

/* What is left of an EVENTS payload. */
struct rest {
	const uint8_t *at; /* NULL after nonsense */
	const uint8_t *end;
	uint64_t ticks;
	uint64_t n; /* events read */
};

static int visit(struct tw_timeline *t, struct tw_thread *thread, struct rest *rest,
		 const struct tw_visitor *visitor)
{
	const uint8_t *p = rest->at, *end = rest->end;
	uint64_t ticks = rest->ticks;
	struct tw_event event = {.thread = thread, .payload = p};

	while (p < end) {
		uint64_t head;
		int result;

		p = get(p, end, &head);
		if (p && head & 1) {
			p = get_begin(p, end, &event);
		} else {
			event.kind = TW_EVENT_ZONE_END;
			event.id = 0;
			event.n_bytes = 0;
		}
		rest->at = p;
		if (!p)
			return 0;
		ticks += head >> 1;
		if (ticks < head >> 1)
			ticks = UINT64_MAX;
		event.ns = tw_clock_map_ns(&t->clock, ticks);
		if (event.ns < thread->last_ns)
			event.ns = thread->last_ns;
		thread->last_ns = event.ns;
		rest->n++;
		result = visitor->event(visitor->context, &event);
		if (result)
			return result;
	}
	return 0;
}

int tw_timeline_visit_block(struct tw_timeline *t, const struct tw_block *block,
			    const struct tw_visitor *visitor)
{
	struct tw_thread *thread = tw_table_get(&t->threads, block->thread);
	const uint8_t *raw;
	struct rest rest = {0};
	uint64_t depth;
	bool has_gap;
	int result = 0;

	if (!visitor->event && !visitor->block)
		return 0;
	raw = tw_spool_unpack(t->spool, block, UINT32_MAX);
	if (!raw)
		return 0; /* counted as damage */
	rest.end = raw + block->raw_bytes;
	if (thread && block->raw_bytes > sizeof(rest.ticks))
		rest.at = tw_varint_get(raw + sizeof(rest.ticks), rest.end, &depth);
	if (!rest.at) {
		t->n_bad_blocks++;
		return 0;
	}
	has_gap = thread->has_block &&
		  block->sequence != (uint16_t)(thread->last_block + 1);
	thread->has_block = true;
	thread->last_block = block->sequence;
	if (visitor->block)
		result = visitor->block(visitor->context, thread, depth, has_gap);
	if (result || !visitor->event)
		return result;
	memcpy(&rest.ticks, raw, sizeof(rest.ticks));
	rest.ticks = le64toh(rest.ticks);
	result = visit(t, thread, &rest, visitor);
	if (result == 0 && (!rest.at || rest.n != block->n_records))
		t->n_bad_blocks++;
	return result;
}

/* Marks and gates are META records, but belong to the stream of events. */
static int visit_meta(struct tw_timeline *t, const struct tw_block *block,
		      const struct tw_visitor *visitor)
{
	const uint8_t *raw;
	struct tw_cursor payload, body;
	uint64_t tag;
	bool is_bad;
	int result = 0;

	if (!visitor->mark && !visitor->gate)
		return 0;
	raw = tw_spool_unpack(t->spool, block, UINT32_MAX);
	if (!raw)
		return 0;
	payload = (struct tw_cursor){raw, raw + block->raw_bytes, false};
	while (result == 0 && tw_meta_next(&payload, &tag, &body, &is_bad)) {
		uint64_t ns;

		if (tag != TW_META_MARK && tag != TW_META_GATE)
			continue;
		ns = tw_clock_map_ns(&t->clock, tw_cursor_u64(&body));
		if (tag == TW_META_MARK) {
			struct tw_slice text = tw_cursor_text(&body);

			if (!body.is_bad && visitor->mark)
				result = visitor->mark(visitor->context, ns, text);
		} else {
			bool is_on = tw_cursor_u64(&body) != 0;

			if (!body.is_bad && visitor->gate)
				result = visitor->gate(visitor->context, ns, is_on);
		}
	}
	return result;
}

int tw_timeline_each(struct tw_timeline *t, const struct tw_visitor *visitor,
		     struct tw_fault *fault)
{
	struct tw_block block;
	int more;

	tw_spool_rewind(t->spool);
	t->n_bad_blocks = 0;
	for (uint32_t i = 0; i < t->threads.n; i++)
		if (t->threads.items[i])
			tw_thread_rewind(t->threads.items[i]);
	while ((more = tw_spool_next(t->spool, &block, fault)) > 0) {
		int result = 0;

		if (block.kind == TW_BLOCK_EVENTS)
			result = tw_timeline_visit_block(t, &block, visitor);
		else if (block.kind == TW_BLOCK_META)
			result = visit_meta(t, &block, visitor);
		if (result)
			return result;
	}
	return more;
}

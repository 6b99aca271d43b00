/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The viewer's questions. Each is answered once, in the order in which they came: an
 * answer to SourceLocation does not say which question it belongs to, and a viewer
 * counts what is outstanding. A number that is no question ends the connection.
 */
#include <endian.h>
#include <string.h>

#include "tracy/live_private.h"

#define ANSWERS_AT_ONCE TW_QUERIES_MAX /* then events have their turn again */

struct query {
	enum tw_tracy_query kind;
	uint64_t key;
	uint32_t extra;
};

static void answer_text(struct tw_live_session *s, enum tw_tracy_item item,
			uint64_t key, struct tw_feed_text text)
{
	tw_wire_string(&s->wire, item, key, text.text, text.bytes);
}

static void on_terminate(struct tw_live_session *s, const struct query *q)
{
	(void)q;
	s->has_terminated = true;
	s->is_gone = true;
}

static void on_string(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_STRING_DATA, q->key,
		    tw_feed_string(&s->feed, q->key, name, sizeof(name)));
}

static void on_thread(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_THREAD_NAME, q->key,
		    tw_feed_thread_name(&s->feed, q->key, name, sizeof(name)));
}

static void on_location(struct tw_live_session *s, const struct query *q)
{
	struct tw_wire_location location =
		tw_feed_location(&s->feed, tw_wire_location_key(q->key));

	tw_wire_location(&s->wire, &location);
}

static void on_plot(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_PLOT_NAME, q->key,
		    tw_feed_series_name(&s->feed, q->key, TW_FEED_PLOT, name,
					sizeof(name)));
}

static void on_frame(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_FRAME_NAME, q->key,
		    tw_feed_series_name(&s->feed, q->key, TW_FEED_FRAMES, name,
					sizeof(name)));
}

static void on_fiber(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_FIBER_NAME, q->key,
		    tw_feed_thread_name(&s->feed, q->key, name, sizeof(name)));
}

static void on_external(struct tw_live_session *s, const struct query *q)
{
	char name[512];

	answer_text(s, TW_TRACY_EXTERNAL_THREAD_NAME, q->key,
		    tw_feed_thread_name(&s->feed, q->key, name, sizeof(name)));
	answer_text(s, TW_TRACY_EXTERNAL_NAME, q->key,
		    tw_feed_process_name(&s->feed, q->key, name, sizeof(name)));
}

/* Nothing to upload, no parameters: said and done. */
static void on_nothing(struct tw_live_session *s, const struct query *q)
{
	(void)q;
	tw_wire_item(&s->wire, TW_TRACY_ACK_SERVER_QUERY_NOOP, NULL, 0);
}

static void on_disconnect(struct tw_live_session *s, const struct query *q)
{
	(void)q;
	tw_wire_item(&s->wire, TW_TRACY_TERMINATE, NULL, 0);
}

/* One frame for each address: nothing is known of what was inlined. No symbol, so that
 * nothing more is asked. */
static void on_callstack_frame(struct tw_live_session *s, const struct query *q)
{
	struct {
		uint64_t key;
		uint8_t n;
	} __attribute__((packed)) size = {htole64(q->key), 1};
	struct tw_feed_frame f;
	uint32_t line;

	tw_feed_frame(&s->feed, q->key, &f);
	line = htole32(f.line);
	tw_wire_single(&s->wire, f.image.text, f.image.bytes, false);
	tw_wire_item(&s->wire, TW_TRACY_CALLSTACK_FRAME_SIZE, &size, sizeof(size));
	tw_wire_single(&s->wire, f.function.text, f.function.bytes, false);
	tw_wire_single(&s->wire, f.file.text, f.file.bytes, true);
	tw_wire_item(&s->wire, TW_TRACY_CALLSTACK_FRAME, &line, sizeof(line));
}

static void on_symbol(struct tw_live_session *s, const struct query *q)
{
	struct {
		uint32_t line;
		uint64_t key;
	} __attribute__((packed)) fields = {0, htole64(q->key)};

	tw_wire_single(&s->wire, "???", 3, false);
	tw_wire_item(&s->wire, TW_TRACY_SYMBOL_INFORMATION, &fields, sizeof(fields));
}

static void on_symbol_code(struct tw_live_session *s, const struct query *q)
{
	(void)q;
	tw_wire_item(&s->wire, TW_TRACY_ACK_SYMBOL_CODE_NOT_AVAILABLE, NULL, 0);
}

static void on_source_code(struct tw_live_session *s, const struct query *q)
{
	uint32_t id = htole32((uint32_t)q->key);

	tw_wire_item(&s->wire, TW_TRACY_ACK_SOURCE_CODE_NOT_AVAILABLE, &id, sizeof(id));
}

static void (*const rows[TW_TRACY_QUERY_COUNT])(struct tw_live_session *s,
						const struct query *q) = {
	[TW_TRACY_QUERY_TERMINATE] = on_terminate,
	[TW_TRACY_QUERY_STRING] = on_string,
	[TW_TRACY_QUERY_THREAD_STRING] = on_thread,
	[TW_TRACY_QUERY_SOURCE_LOCATION] = on_location,
	[TW_TRACY_QUERY_PLOT_NAME] = on_plot,
	[TW_TRACY_QUERY_FRAME_NAME] = on_frame,
	[TW_TRACY_QUERY_PARAMETER] = on_nothing,
	[TW_TRACY_QUERY_FIBER_NAME] = on_fiber,
	[TW_TRACY_QUERY_EXTERNAL_NAME] = on_external,
	[TW_TRACY_QUERY_DISCONNECT] = on_disconnect,
	[TW_TRACY_QUERY_CALLSTACK_FRAME] = on_callstack_frame,
	[TW_TRACY_QUERY_SYMBOL] = on_symbol,
	[TW_TRACY_QUERY_SYMBOL_CODE] = on_symbol_code,
	[TW_TRACY_QUERY_SOURCE_CODE] = on_source_code,
	[TW_TRACY_QUERY_DATA_TRANSFER] = on_nothing,
	[TW_TRACY_QUERY_DATA_TRANSFER_PART] = on_nothing,
};

void tw_live_answer(struct tw_live_session *s)
{
	uint32_t at = 0;

	/* An answer may fill a frame, and sending it may add questions at the end. */
	for (unsigned n = 0; n < ANSWERS_AT_ONCE && !s->has_terminated; n++) {
		const uint8_t *p = s->queries + at;
		struct query q;
		int kind;

		if (at + TW_QUERY_BYTES > s->queries_used)
			break;
		kind = tw_tracy_query_of(s->wire.protocol, p[0]);
		if (kind < 0) {
			s->is_gone = true;
			break;
		}
		q.kind = (enum tw_tracy_query)kind;
		memcpy(&q.key, p + 1, sizeof(q.key));
		memcpy(&q.extra, p + 9, sizeof(q.extra));
		q.key = le64toh(q.key);
		q.extra = le32toh(q.extra);
		rows[q.kind](s, &q);
		at += TW_QUERY_BYTES;
	}
	s->queries_used -= at;
	memmove(s->queries, s->queries + at, s->queries_used);
}

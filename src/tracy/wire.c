/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder; contract in wire.h. Numbers are little endian, nothing is aligned. */
#include "tracy/wire_private.h"

#include <errno.h>
#include <string.h>

/* Short forms: what the next longer one no longer has to count. */
#define SHORT_END  (UINT64_C(1) << 16)
#define MIDDLE_END (SHORT_END + (UINT64_C(1) << 32))

#define SINGLE_HEAD_MAX 3u /* type byte, 16-bit length */

void tw_wire_init(struct tw_wire *wire, const struct tw_tracy_protocol *protocol,
		  int (*send)(void *context, const void *bytes, size_t n),
		  void *context)
{
	memset(wire, 0, offsetof(struct tw_wire, lz4));
	wire->protocol = protocol;
	wire->send = send;
	wire->context = context;
	LZ4_initStream(&wire->lz4, sizeof(wire->lz4));
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t n)
{
	if (n)
		memcpy(p, bytes, n);
	return p + n;
}

/* On the wire blue comes first. */
static uint8_t *put_rgb(uint8_t *p, uint32_t rgb)
{
	*p++ = (uint8_t)rgb;
	*p++ = (uint8_t)(rgb >> 8);
	*p++ = (uint8_t)(rgb >> 16);
	return p;
}

void tw_wire_flush(struct tw_wire *wire)
{
	int packed;

	if (!wire->used)
		return;
	packed = LZ4_compress_fast_continue(
		&wire->lz4, (const char *)wire->ring + wire->start,
		(char *)wire->packed + 4, (int)wire->used, sizeof(wire->packed) - 4, 1);
	if (packed <= 0 && !wire->error)
		wire->error = -EIO;
	tw_put32(wire->packed, (uint32_t)packed);
	if (!wire->error)
		wire->error =
			wire->send(wire->context, wire->packed, 4 + (size_t)packed);
	wire->n_frames++;
	wire->n_raw_bytes += wire->used;
	wire->n_packed_bytes += 4 + (size_t)packed;
	/* The server's ring turns round at the same place. */
	wire->start += wire->used;
	if (wire->start > 2 * TW_WIRE_FRAME_BYTES)
		wire->start = 0;
	wire->used = 0;
}

static uint8_t *put_single(const struct tw_wire *wire, uint8_t *p, const char *text,
			   size_t bytes, bool is_second)
{
	bool is_short = wire->protocol->has_short_strings;

	if (is_short && bytes <= UINT8_MAX) {
		p = tw_put_type(wire, p,
				is_second ? TW_TRACY_SECOND_STRING_DATA_8
					  : TW_TRACY_SINGLE_STRING_DATA_8);
		*p++ = (uint8_t)bytes;
	} else {
		p = tw_put_type(wire, p,
				is_second ? TW_TRACY_SECOND_STRING_DATA
					  : TW_TRACY_SINGLE_STRING_DATA);
		p = tw_put16(p, (uint16_t)(is_short ? bytes - 256 : bytes));
	}
	return put_bytes(p, text, bytes);
}

static size_t cut(size_t bytes)
{
	return bytes < TW_WIRE_TEXT_MAX ? bytes : TW_WIRE_TEXT_MAX;
}

uint8_t *tw_wire_stage(struct tw_wire *wire, const char *text, size_t bytes,
		       size_t size)
{
	bytes = cut(bytes);
	return put_single(wire, tw_wire_reserve(wire, SINGLE_HEAD_MAX + bytes + size),
			  text, bytes, false);
}

void tw_wire_single(struct tw_wire *wire, const char *text, size_t bytes,
		    bool is_second)
{
	uint8_t *p;

	bytes = cut(bytes);
	p = tw_wire_reserve(wire, SINGLE_HEAD_MAX + bytes);
	tw_wire_commit(wire, put_single(wire, p, text, bytes, is_second));
}

void tw_wire_item(struct tw_wire *wire, enum tw_tracy_item item, const void *fields,
		  size_t n)
{
	size_t bytes = wire->protocol->items[item].bytes;
	uint8_t *p;

	if (!bytes)
		return;
	p = tw_wire_reserve(wire, bytes);
	memset(p, 0, bytes);
	tw_put_type(wire, p, item);
	put_bytes(p + 1, fields, n < bytes - 1 ? n : bytes - 1);
	tw_wire_commit(wire, p + bytes);
}

void tw_wire_thread(struct tw_wire *wire, uint32_t thread)
{
	uint8_t *p;

	if (wire->has_thread && wire->thread == thread)
		return;
	p = tw_wire_reserve(wire, wire->protocol->items[TW_TRACY_THREAD_CONTEXT].bytes);
	tw_wire_commit(wire,
		       tw_put32(tw_put_type(wire, p, TW_TRACY_THREAD_CONTEXT), thread));
	wire->thread = thread;
	wire->has_thread = true;
	wire->thread_ticks = 0;
}

/* Type byte and time of a zone's begin or end; `item` has its short forms behind it. */
static uint8_t *put_zone_time(const struct tw_wire *wire, uint8_t *p,
			      enum tw_tracy_item item, uint64_t delta)
{
	bool is_short = wire->protocol->has_short_zones && !(delta >> 63);

	if (is_short && delta < SHORT_END)
		return tw_put16(tw_put_type(wire, p, item + 2), (uint16_t)delta);
	if (is_short && delta < MIDDLE_END)
		return tw_put32(tw_put_type(wire, p, item + 1),
				(uint32_t)(delta - SHORT_END));
	return tw_put64(tw_put_type(wire, p, item),
			is_short ? delta - MIDDLE_END : delta);
}

_Static_assert(TW_TRACY_ZONE_BEGIN_32 == TW_TRACY_ZONE_BEGIN + 1 &&
		       TW_TRACY_ZONE_BEGIN_16 == TW_TRACY_ZONE_BEGIN + 2 &&
		       TW_TRACY_ZONE_BEGIN_CALLSTACK_32 ==
			       TW_TRACY_ZONE_BEGIN_CALLSTACK + 1 &&
		       TW_TRACY_ZONE_BEGIN_CALLSTACK_16 ==
			       TW_TRACY_ZONE_BEGIN_CALLSTACK + 2 &&
		       TW_TRACY_ZONE_END_32 == TW_TRACY_ZONE_END + 1 &&
		       TW_TRACY_ZONE_END_16 == TW_TRACY_ZONE_END + 2,
	       "short forms follow the full one");

void tw_wire_zone_begin(struct tw_wire *wire, uint64_t ticks, uint64_t location)
{
	uint8_t *p =
		tw_wire_reserve(wire, wire->protocol->items[TW_TRACY_ZONE_BEGIN].bytes);

	p = put_zone_time(wire, p, TW_TRACY_ZONE_BEGIN, tw_wire_delta(wire, ticks));
	tw_wire_commit(wire, tw_put64(p, tw_wire_location_key(location)));
}

void tw_wire_zone_begin_stack(struct tw_wire *wire, uint64_t ticks, uint64_t location,
			      const uint64_t *addresses, size_t n)
{
	const struct tw_tracy_form *items = wire->protocol->items;
	uint16_t bytes = (uint16_t)(n * sizeof(*addresses));
	uint8_t *p =
		tw_wire_reserve(wire, items[TW_TRACY_CALLSTACK_PAYLOAD].bytes + 2u +
					      bytes + items[TW_TRACY_CALLSTACK].bytes +
					      items[TW_TRACY_ZONE_BEGIN].bytes);

	p = tw_put64(tw_put_type(wire, p, TW_TRACY_CALLSTACK_PAYLOAD), 0);
	p = tw_put16(p, bytes);
	for (size_t i = 0; i < n; i++)
		p = tw_put64(p, addresses[i]);
	p = tw_put_type(wire, p, TW_TRACY_CALLSTACK);
	p = put_zone_time(wire, p, TW_TRACY_ZONE_BEGIN_CALLSTACK,
			  tw_wire_delta(wire, ticks));
	tw_wire_commit(wire, tw_put64(p, tw_wire_location_key(location)));
}

void tw_wire_zone_end(struct tw_wire *wire, uint64_t ticks)
{
	uint8_t *p =
		tw_wire_reserve(wire, wire->protocol->items[TW_TRACY_ZONE_END].bytes);

	tw_wire_commit(wire, put_zone_time(wire, p, TW_TRACY_ZONE_END,
					   tw_wire_delta(wire, ticks)));
}

void tw_wire_zone_text(struct tw_wire *wire, const char *text, size_t bytes)
{
	tw_wire_commit(wire, tw_put_type(wire, tw_wire_stage(wire, text, bytes, 1),
					 TW_TRACY_ZONE_TEXT));
}

void tw_wire_zone_name(struct tw_wire *wire, const char *text, size_t bytes)
{
	tw_wire_commit(wire, tw_put_type(wire, tw_wire_stage(wire, text, bytes, 1),
					 TW_TRACY_ZONE_NAME));
}

void tw_wire_zone_colour(struct tw_wire *wire, uint32_t rgb)
{
	uint8_t *p = tw_wire_reserve(wire,
				     wire->protocol->items[TW_TRACY_ZONE_COLOUR].bytes);

	tw_wire_commit(wire, put_rgb(tw_put_type(wire, p, TW_TRACY_ZONE_COLOUR), rgb));
}

void tw_wire_zone_value(struct tw_wire *wire, uint64_t value)
{
	uint8_t *p =
		tw_wire_reserve(wire, wire->protocol->items[TW_TRACY_ZONE_VALUE].bytes);

	tw_wire_commit(wire,
		       tw_put64(tw_put_type(wire, p, TW_TRACY_ZONE_VALUE), value));
}

void tw_wire_message(struct tw_wire *wire, uint64_t ticks, const char *text,
		     size_t bytes, uint32_t rgb, enum tw_wire_severity severity)
{
	enum tw_tracy_item item = rgb ? TW_TRACY_MESSAGE_COLOUR : TW_TRACY_MESSAGE;
	uint8_t *p =
		tw_wire_stage(wire, text, bytes, wire->protocol->items[item].bytes);

	p = tw_put64(tw_put_type(wire, p, item), ticks);
	if (rgb)
		p = put_rgb(p, rgb);
	if (wire->protocol->has_message_metadata)
		*p++ = (uint8_t)(severity << 4); /* source 0: the user */
	tw_wire_commit(wire, p);
}

void tw_wire_plot(struct tw_wire *wire, uint64_t ticks, uint64_t name, double value)
{
	enum tw_tracy_item item = TW_TRACY_PLOT_DATA_DOUBLE;
	uint8_t *p = tw_wire_reserve(wire, wire->protocol->items[item].bytes);
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	p = tw_put64(tw_put_type(wire, p, item), name);
	p = tw_put64(p, tw_wire_delta(wire, ticks));
	tw_wire_commit(wire, tw_put64(p, bits));
}

void tw_wire_frame(struct tw_wire *wire, uint64_t ticks, uint64_t name,
		   enum tw_wire_frame_part part)
{
	static const enum tw_tracy_item items[] = {
		[TW_WIRE_FRAME_MARK] = TW_TRACY_FRAME_MARK_MSG,
		[TW_WIRE_FRAME_START] = TW_TRACY_FRAME_MARK_MSG_START,
		[TW_WIRE_FRAME_END] = TW_TRACY_FRAME_MARK_MSG_END,
	};
	uint8_t *p = tw_wire_start(wire, items[part]);

	tw_wire_commit(wire, tw_put64(tw_put64(p, ticks), name));
}

void tw_wire_app_info(struct tw_wire *wire, uint64_t ticks, const char *text,
		      size_t bytes)
{
	enum tw_tracy_item item = TW_TRACY_MESSAGE_APP_INFO;
	uint8_t *p =
		tw_wire_stage(wire, text, bytes, wire->protocol->items[item].bytes);

	tw_wire_commit(wire, tw_put64(tw_put_type(wire, p, item), ticks));
}

void tw_wire_group_hint(struct tw_wire *wire, uint32_t thread, int32_t group)
{
	enum tw_tracy_item item = TW_TRACY_THREAD_GROUP_HINT;
	uint8_t *p;

	if (!tw_tracy_has(wire->protocol, item))
		return;
	p = tw_wire_reserve(wire, wire->protocol->items[item].bytes);
	tw_wire_commit(wire, tw_put32(tw_put32(tw_put_type(wire, p, item), thread),
				      (uint32_t)group));
}

void tw_wire_fiber_enter(struct tw_wire *wire, uint64_t ticks, uint64_t fiber,
			 int32_t group)
{
	enum tw_tracy_item item = TW_TRACY_FIBER_ENTER;
	bool has_group = tw_tracy_has(wire->protocol, TW_TRACY_THREAD_GROUP_HINT);
	uint8_t *p = tw_wire_start(wire, item);

	p = tw_put64(p, tw_wire_delta(wire, ticks));
	p = tw_put32(tw_put64(p, fiber), wire->thread);
	tw_wire_commit(wire, has_group ? tw_put32(p, (uint32_t)group) : p);
}

void tw_wire_fiber_leave(struct tw_wire *wire, uint64_t ticks)
{
	uint8_t *p = tw_wire_start(wire, TW_TRACY_FIBER_LEAVE);

	p = tw_put64(p, tw_wire_delta(wire, ticks));
	tw_wire_commit(wire, tw_put32(p, wire->thread));
}

void tw_wire_crash(struct tw_wire *wire, uint64_t ticks, uint64_t text)
{
	enum tw_tracy_item item = TW_TRACY_CRASH_REPORT;
	uint8_t *p = tw_wire_reserve(wire, wire->protocol->items[item].bytes);

	tw_wire_commit(wire,
		       tw_put64(tw_put64(tw_put_type(wire, p, item), ticks), text));
	tw_wire_item(wire, TW_TRACY_CRASH, NULL, 0);
}

void tw_wire_string(struct tw_wire *wire, enum tw_tracy_item item, uint64_t key,
		    const char *text, size_t bytes)
{
	uint8_t *p;

	bytes = cut(bytes);
	p = tw_wire_reserve(wire, wire->protocol->items[item].bytes + 2u + bytes);
	p = tw_put64(tw_put_type(wire, p, item), key);
	tw_wire_commit(wire, put_bytes(tw_put16(p, (uint16_t)bytes), text, bytes));
}

void tw_wire_location(struct tw_wire *wire, const struct tw_wire_location *location)
{
	enum tw_tracy_item item = TW_TRACY_SOURCE_LOCATION;
	uint8_t *p = tw_wire_reserve(wire, wire->protocol->items[item].bytes);

	p = tw_put64(tw_put_type(wire, p, item), location->name);
	p = tw_put64(tw_put64(p, location->function), location->file);
	tw_wire_commit(wire, put_rgb(tw_put32(p, location->line), location->rgb));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder, byte by byte: frames are unpacked as a server does it, and compared. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/intern.h"
#include "tracy/feed.h"
#include "tracy/layer_colour.h"
#include "tracy/wire.h"

/* The other side: a server's ring, and all bytes that came. */
struct sink {
	uint8_t ring[3 * TW_WIRE_FRAME_BYTES];
	uint32_t at;
	uint8_t *raw;
	size_t used, room;
	unsigned n_frames;
	size_t largest;
	LZ4_streamDecode_t lz4;
	int error;
};

static int take(void *context, const void *bytes, size_t n)
{
	struct sink *sink = context;
	uint32_t packed;
	int raw;

	if (sink->error)
		return sink->error;
	memcpy(&packed, bytes, 4);
	cr_assert_eq(n, packed + 4u);
	raw = LZ4_decompress_safe_continue(&sink->lz4, (const char *)bytes + 4,
					   (char *)sink->ring + sink->at, (int)packed,
					   TW_WIRE_FRAME_BYTES);
	cr_assert_gt(raw, 0, "the block unpacks to at most a frame");
	if (sink->used + (size_t)raw > sink->room) {
		sink->room = (sink->used + (size_t)raw) * 2;
		sink->raw = realloc(sink->raw, sink->room);
	}
	memcpy(sink->raw + sink->used, sink->ring + sink->at, (size_t)raw);
	sink->used += (size_t)raw;
	sink->n_frames++;
	if ((size_t)raw > sink->largest)
		sink->largest = (size_t)raw;
	sink->at += (uint32_t)raw;
	if (sink->at > 2 * TW_WIRE_FRAME_BYTES)
		sink->at = 0;
	return 0;
}

static struct tw_wire wire;
static struct sink sink;

static void start(uint32_t protocol)
{
	memset(&sink, 0, sizeof(sink));
	tw_wire_init(&wire, tw_tracy_protocol_find(protocol, false), take, &sink);
}

/* Flushes and compares everything that came since the start. */
static void expect(const char *what, const void *bytes, size_t n)
{
	tw_wire_flush(&wire);
	cr_assert_eq(sink.used, n, "%s: %zu bytes, not %zu", what, sink.used, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(sink.raw[i], ((const uint8_t *)bytes)[i], "%s: byte %zu",
			     what, i);
}

#define EXPECT(what, bytes) expect(what, bytes, sizeof(bytes) - 1)

Test(tracy_wire, zones_before_the_short_forms)
{
	start(66);
	tw_wire_thread(&wire, 0x01020304);
	tw_wire_zone_begin(&wire, 1000, 7);
	tw_wire_zone_colour(&wire, 0x112233);
	tw_wire_zone_value(&wire, 258);
	tw_wire_zone_end(&wire, 1300);
	EXPECT("66", "\x3b\x04\x03\x02\x01"			  /* context */
		     "\x0f\xe8\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\x07" /* begin */
		     "\x41\x33\x22\x11"				  /* colour */
		     "\x42\x02\x01\0\0\0\0\0\0"			  /* value */
		     "\x11\x2c\x01\0\0\0\0\0\0" /* end, 300 later */);
}

Test(tracy_wire, a_thread_context_starts_its_time_anew)
{
	start(63);
	tw_wire_thread(&wire, 1);
	tw_wire_zone_begin(&wire, 5, 1);
	tw_wire_thread(&wire, 1);
	tw_wire_thread(&wire, 2);
	tw_wire_zone_begin(&wire, 6, 1);
	EXPECT("two threads", "\x3b\x01\0\0\0"
			      "\x0f\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
			      "\x3b\x02\0\0\0"
			      "\x0f\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01");
}

Test(tracy_wire, short_forms_and_their_bias)
{
	uint64_t t = 0;

	start(82);
	tw_wire_thread(&wire, 9);
	tw_wire_zone_begin(&wire, t += 0xffff, 7); /* 16 bits */
	tw_wire_zone_end(&wire, t += 0x10000);	   /* 32 bits: 0 */
	tw_wire_zone_begin(&wire, t += 0x1ffffffffull - 0xffffffffull, 7); /* 32 bits */
	tw_wire_zone_end(&wire, t += 0x10000ffffull);	   /* its last */
	tw_wire_zone_begin(&wire, t += 0x100010000ull, 7); /* full: 0 */
	tw_wire_zone_end(&wire, t - 1);			   /* backwards */
	EXPECT("82", "\x4b\x09\0\0\0"
		     "\x15\xff\xff\0\0\0\0\0\0\0\x07"
		     "\x1a\0\0\0\0"
		     "\x14\0\0\xff\xff\0\0\0\0\0\0\0\x07"
		     "\x1a\xff\xff\xff\xff"
		     "\x13\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07"
		     "\x19\xff\xff\xff\xff\xff\xff\xff\xff");
}

Test(tracy_wire, texts_of_a_zone)
{
	start(63);
	tw_wire_zone_text(&wire, "abc", 3);
	tw_wire_zone_name(&wire, "", 0);
	EXPECT("63", "\x5e\x03\0"
		     "abc\0"
		     "\x5e\0\0\x01");
	start(82);
	tw_wire_zone_text(&wire, "abc", 3);
	EXPECT("82", "\x72\x03"
		     "abc\0");
}

Test(tracy_wire, lengths_of_strings_at_82)
{
	static char text[300];
	uint8_t expected[2 + 255 + 3 + 256];

	memset(text, 'x', sizeof(text));
	memset(expected, 'x', sizeof(expected));
	memcpy(expected, "\x73\xff", 2);
	memcpy(expected + 257, "\x70\0\0", 3); /* 256 counts as 0 */
	start(82);
	tw_wire_single(&wire, text, 255, true);
	tw_wire_single(&wire, text, 256, false);
	expect("255 and 256", expected, sizeof(expected));
}

Test(tracy_wire, messages_with_and_without_metadata)
{
	start(76);
	tw_wire_message(&wire, 1, "m", 1, 0, TW_WIRE_INFO);
	tw_wire_message(&wire, 2, "n", 1, 0xff8001, TW_WIRE_ERROR);
	EXPECT("76", "\x63\x01\0m"
		     "\x02\x01\0\0\0\0\0\0\0"
		     "\x63\x01\0n"
		     "\x03\x02\0\0\0\0\0\0\0\x01\x80\xff");
	start(82);
	tw_wire_message(&wire, 1, "m", 1, 0, TW_WIRE_INFO);
	tw_wire_message(&wire, 2, "n", 1, 0xff8001, TW_WIRE_ERROR);
	EXPECT("82", "\x72\x01m"
		     "\x02\x01\0\0\0\0\0\0\0\x20"
		     "\x72\x01n"
		     "\x03\x02\0\0\0\0\0\0\0\x01\x80\xff\x40");
}

Test(tracy_wire, plots_frames_and_app_info)
{
	start(74);
	tw_wire_thread(&wire, 1);
	tw_wire_zone_begin(&wire, 100, 1);
	tw_wire_plot(&wire, 130, 5, 1.0);		  /* shares the zones' time */
	tw_wire_frame(&wire, 200, 6, TW_WIRE_FRAME_MARK); /* absolute */
	tw_wire_app_info(&wire, 3, "a", 1);
	EXPECT("74", "\x3d\x01\0\0\0"
		     "\x0f\x64\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
		     "\x2f\x05\0\0\0\0\0\0\0\x1e\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f"
		     "\x45\xc8\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0"
		     "\x62\x01\0a"
		     "\x06\x03\0\0\0\0\0\0\0");
}

Test(tracy_wire, answers)
{
	struct tw_wire_location location = {1, 2, 3, 4, 0x050607};

	start(72);
	tw_wire_location(&wire, &location);
	tw_wire_string(&wire, TW_TRACY_STRING_DATA, 9, "hey", 3);
	tw_wire_string(&wire, TW_TRACY_THREAD_NAME, 8, "", 0);
	tw_wire_group_hint(&wire, 7, -2);
	EXPECT("72", "\x49\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
		     "\x04\0\0\0\x07\x06\x05"
		     "\x66\x09\0\0\0\0\0\0\0\x03\0hey"
		     "\x67\x08\0\0\0\0\0\0\0\0\0"
		     "\x65\x07\0\0\0\xfe\xff\xff\xff");
	start(66);
	tw_wire_group_hint(&wire, 7, 1); /* there is no such item */
	cr_assert_eq(wire.used, 0);
}

Test(tracy_wire, call_stacks)
{
	static const uint64_t addresses[] = {0x0102, 0x03};

	start(66);
	tw_wire_thread(&wire, 1);
	tw_wire_zone_begin_stack(&wire, 9, 7, addresses, 2);
	EXPECT("66", "\x3b\x01\0\0\0"
		     "\x67\0\0\0\0\0\0\0\0\x10\0"
		     "\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
		     "\x0a"
		     "\x10\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07");
	start(82);
	tw_wire_thread(&wire, 1);
	tw_wire_zone_begin_stack(&wire, 9, 7, addresses, 1);
	tw_wire_zone_begin_stack(&wire, 9 + 0x10001, 7, addresses, 1);
	EXPECT("82", "\x4b\x01\0\0\0"
		     "\x7b\0\0\0\0\0\0\0\0\x08\0\x02\x01\0\0\0\0\0\0\x0a"
		     "\x18\x09\0\0\0\0\0\0\0\0\x07"
		     "\x7b\0\0\0\0\0\0\0\0\x08\0\x02\x01\0\0\0\0\0\0\x0a"
		     "\x17\x01\0\0\0\0\0\0\0\0\0\0\x07");
}

Test(tracy_wire, fibers_with_and_without_groups)
{
	start(66);
	tw_wire_thread(&wire, 5);
	tw_wire_fiber_enter(&wire, 10, 8, 3);
	tw_wire_fiber_leave(&wire, 12);
	EXPECT("66", "\x3b\x05\0\0\0"
		     "\x37\x0a\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x05\0\0\0"
		     "\x38\x02\0\0\0\0\0\0\0\x05\0\0\0");
	start(69);
	tw_wire_thread(&wire, 5);
	tw_wire_fiber_enter(&wire, 10, 8, 3);
	EXPECT("69", "\x3b\x05\0\0\0"
		     "\x37\x0a\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x05\0\0\0\x03\0\0\0");
}

Test(tracy_wire, locks)
{
	start(63);
	tw_wire_lock_announce(&wire, 5, 3, 7, true);
	tw_wire_lock_name(&wire, 3, "n", 1);
	tw_wire_lock(&wire, TW_TRACY_LOCK_WAIT, 6, 9, 3);
	tw_wire_lock(&wire, TW_TRACY_LOCK_OBTAIN, 8, 9, 3);
	tw_wire_lock(&wire, TW_TRACY_LOCK_RELEASE, 9, 9, 3);
	tw_wire_lock(&wire, TW_TRACY_LOCK_SHARED_RELEASE, 9, 9, 3);
	tw_wire_lock_terminate(&wire, 10, 3);
	EXPECT("63", "\x47\x03\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\x01"
		     "\x5e\x01\0n\x18\x03\0\0\0"
		     "\x12\x09\0\0\0\x03\0\0\0\x06\0\0\0\0\0\0\0"
		     "\x13\x09\0\0\0\x03\0\0\0\x02\0\0\0\0\0\0\0"
		     "\x14\x03\0\0\0\x01\0\0\0\0\0\0\0"
		     "\x17\x03\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0"
		     "\x48\x03\0\0\0\x0a\0\0\0\0\0\0\0");
}

Test(tracy_wire, memory)
{
	start(66);
	tw_wire_alloc(&wire, 5, 9, 0, 0x10, 0x010203040506);
	tw_wire_free(&wire, 6, 9, 4, 0x10);
	tw_wire_alloc(&wire, 6, 9, 0, 1, UINT64_MAX); /* cut to 48 bits */
	EXPECT("66", "\x19\x05\0\0\0\0\0\0\0\x09\0\0\0\x10\0\0\0\0\0\0\0"
		     "\x06\x05\x04\x03\x02\x01"
		     "\x62\x04\0\0\0\0\0\0\0"
		     "\x1c\x01\0\0\0\0\0\0\0\x09\0\0\0\x10\0\0\0\0\0\0\0"
		     "\x19\0\0\0\0\0\0\0\0\x09\0\0\0\x01\0\0\0\0\0\0\0"
		     "\xff\xff\xff\xff\xff\xff");
}

static void send_device(void)
{
	tw_wire_device(&wire, 5, 3);
	tw_wire_device_name(&wire, 3, "d", 1);
	tw_wire_device_zone(&wire, 6, 9, 3, 258, 7, 100);
	tw_wire_device_zone(&wire, 8, 9, 3, 259, 0, 90);
	tw_wire_introduce(&wire);
}

Test(tracy_wire, devices)
{
	start(66);
	send_device();
	EXPECT("66",
	       "\x4f\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\x03\0\x03"
	       "\x60\x01\0d\x31\x03"
	       "\x26\x06\0\0\0\0\0\0\0\x09\0\0\0\x02\x01\x03\0\0\0\0\0\0\0\x07"
	       "\x30\x64\0\0\0\0\0\0\0\x02\x01\x03"
	       "\x2a\x02\0\0\0\0\0\0\0\x09\0\0\0\x03\x01\x03"
	       "\x30\xf6\xff\xff\xff\xff\xff\xff\xff\x03\x01\x03"
	       "\x40\0\0\0\0");
	memset(&sink, 0, sizeof(sink));
	tw_wire_init(&wire, tw_tracy_protocol_find(66, true), take, &sink);
	send_device();
	EXPECT("66 of the fork",
	       "\x4f\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\x03\0\0\x03"
	       "\x60\x01\0d\x31\x03\0"
	       "\x26\x06\0\0\0\0\0\0\0\x09\0\0\0\x02\x01\x03\0\0\0\0\0\0\0\0\x07"
	       "\x30\x64\0\0\0\0\0\0\0\x02\x01\x03\0"
	       "\x2a\x02\0\0\0\0\0\0\0\x09\0\0\0\x03\x01\x03\0"
	       "\x30\xf6\xff\xff\xff\xff\xff\xff\xff\x03\x01\x03\0"
	       "\x40\0\0\0\0");
	start(72); /* knows a type for devices that are none of the others */
	tw_wire_device(&wire, 5, 3);
	tw_wire_flush(&wire);
	cr_assert_eq(sink.raw[27], 7);
}

Test(tracy_wire, the_end)
{
	start(69);
	tw_wire_crash(&wire, 1, 2);
	tw_wire_item(&wire, TW_TRACY_KEEP_ALIVE, NULL, 0);
	tw_wire_item(&wire, TW_TRACY_ACK_SOURCE_CODE_NOT_AVAILABLE, "\x05\0\0\0", 4);
	tw_wire_item(&wire, TW_TRACY_SECTION_ENTER, NULL, 0); /* not at 69 */
	tw_wire_item(&wire, TW_TRACY_TERMINATE, NULL, 0);
	EXPECT("69", "\x3f\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x3e"
		     "\x3a"
		     "\x5d\x05\0\0\0"
		     "\x39");
}

Test(tracy_wire, frames_are_bounded_and_hold_whole_items)
{
	static char text[TW_WIRE_TEXT_MAX];
	size_t n = 0;

	/* Text that does not pack, then zones that do: both kinds of frames. */
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)rand();
	start(66);
	for (unsigned i = 0; i < 40; i++)
		tw_wire_string(&wire, TW_TRACY_STRING_DATA, i, text, sizeof(text));
	for (unsigned i = 0; i < 100000; i++)
		tw_wire_zone_begin(&wire, i * 10, 1 + i % 5);
	tw_wire_flush(&wire);
	cr_assert_leq(sink.largest, TW_WIRE_FRAME_BYTES);
	cr_assert_gt(sink.n_frames, 10);
	cr_assert_eq(sink.used, 40 * (11 + sizeof(text)) + 100000u * 17);
	for (unsigned i = 0; i < 40; i++, n += 11 + sizeof(text)) {
		cr_assert_eq(sink.raw[n], 99);
		cr_assert_eq(sink.raw[n + 1], i);
		cr_assert_eq(memcmp(sink.raw + n + 11, text, sizeof(text)), 0);
	}
	for (unsigned i = 0; i < 100000; i++, n += 17)
		cr_assert(sink.raw[n] == 15 && sink.raw[n + 16] == 1 + i % 5);
	cr_assert_lt(wire.n_packed_bytes, wire.n_raw_bytes);
}

/* Short zones one after another: what a viewer gets most of.
 */
Test(tracy_wire, a_zone_packs_into_few_bytes)
{
	uint64_t t = 0;
	uint32_t news = 1;

	start(72);
	tw_wire_thread(&wire, 1);
	for (unsigned i = 0; i < 100000; i++) {
		news = news * 1664525u + 1013904223u;
		tw_wire_zone_begin(&wire, t += 30 + (news >> 27),
				   1 + (news >> 10) % 32);
		news = news * 1664525u + 1013904223u;
		tw_wire_zone_end(&wire, t += 30 + (news >> 27));
	}
	tw_wire_flush(&wire);
	cr_assert_eq(wire.n_raw_bytes, 5 + 100000u * 26);
	cr_assert_lt(wire.n_packed_bytes, 100000u * 7, "%.2f bytes a zone",
		     (double)wire.n_packed_bytes / 100000);
}

Test(tracy_wire, text_past_the_limit_is_cut)
{
	static char text[TW_WIRE_TEXT_MAX + 100];

	start(82);
	tw_wire_zone_text(&wire, text, sizeof(text));
	tw_wire_flush(&wire);
	cr_assert_eq(sink.used, 3 + TW_WIRE_TEXT_MAX + 1);
	cr_assert_eq(sink.raw[sink.used - 1], 0);
}

Test(tracy_wire, nothing_is_sent_after_an_error)
{
	start(66);
	sink.error = -EPIPE;
	tw_wire_zone_end(&wire, 1);
	tw_wire_flush(&wire);
	cr_assert_eq(wire.error, -EPIPE);
	sink.error = 0;
	for (unsigned i = 0; i < 100000; i++)
		tw_wire_zone_end(&wire, i);
	tw_wire_flush(&wire);
	cr_assert_eq(sink.n_frames, 0);
}

/* A viewer and a file show a location in the same colour, and both tell its layer. */
Test(tracy_wire, a_location_on_the_wire_has_the_colour_of_a_file)
{
	static struct tw_feed feed;
	struct tw_config config;
	struct tw_view view;

	tw_config_init(&config);
	config.buffer_bytes = 0;
	cr_assert_eq(tw_arena_create_private(&view, &config), 0);
	feed.arena = view.arena;
	for (unsigned layer = 0; layer < TW_LAYER_COUNT; layer++)
		for (uint32_t colour = 0; colour < 0x300000; colour += 0x123457) {
			struct tw_location l = {
				.line = 7, .colour = colour, .layer = (uint8_t)layer};
			uint32_t id = tw_intern_location(view.arena, &l);

			cr_expect_eq(tw_feed_location(&feed, id).rgb,
				     tw_layer_colour(colour, layer));
		}
	tw_view_unmap(&view);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder: from ring slots to block bytes, whatever is in the slots. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/varint.h"
#include "rig.h"
#include "trace/encode.h"

#define SLOTS 4096u

static struct tw_record slots[SLOTS];
static uint8_t bytes[TW_ENCODE_BYTES];

static uint32_t same_name(void *context, uint32_t id, enum tw_id_role role)
{
	(void)context;
	(void)role;
	return id;
}

static struct tw_encoder encoder(void)
{
	memset(slots, 0, sizeof(slots));
	return (struct tw_encoder){.bytes = bytes, .name = same_name};
}

static void put(uint64_t at, uint64_t ticks, uint8_t kind, uint32_t id, uint16_t n)
{
	slots[at].id = id;
	slots[at].bytes = n;
	slots[at].kind = kind;
	atomic_store(&slots[at].ticks, ticks);
}

/* Reads the block's base and depth; returns where its events start. */
static const uint8_t *prologue(const struct tw_encoder *e, uint64_t *base,
			       uint64_t *depth)
{
	memcpy(base, e->bytes, 8);
	return tw_varint_get(e->bytes + 8, e->bytes + e->used, depth);
}

Test(encode, writes_begin_and_end_as_the_format_says)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};
	uint64_t base, depth, v;
	const uint8_t *p, *end;

	put(0, 1000, TW_EVENT_ZONE_BEGIN, 300, 0);
	put(1, 1010, TW_EVENT_ZONE_END, 0, 0);
	cr_assert_not(tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false));
	cr_assert_eq(e.n_events, 2);
	cr_assert_eq(e.n_slots, 2);
	end = e.bytes + e.used;
	p = prologue(&e, &base, &depth);
	cr_assert_eq(base, 1000);
	cr_assert_eq(depth, 0);
	p = tw_varint_get(p, end, &v);
	cr_assert_eq(v, 1);
	p = tw_varint_get(p, end, &v);
	cr_assert_eq(v, 300);
	p = tw_varint_get(p, end, &v);
	cr_assert_eq(v, 20);
	cr_assert_eq(p, end);
}

Test(encode, stops_at_a_slot_that_is_not_committed)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};

	put(0, 1000, TW_EVENT_ZONE_BEGIN, 1, 0);
	put(2, 1010, TW_EVENT_ZONE_END, 0, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false);
	cr_assert_eq(s.tail, 1);
	cr_assert_eq(e.n_events, 1);
}

Test(encode, steps_over_what_a_dead_writer_left_unfinished)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};

	put(0, 1000, TW_EVENT_ZONE_BEGIN, 1, 0);
	/* Claimed for 40 bytes of text, of which some look like a record; no ticks. */
	put(1, 0, TW_EVENT_ZONE_TEXT, 0, 40);
	put(2, 99, TW_EVENT_ZONE_BEGIN, 77, 0);
	put(5, 1010, TW_EVENT_ZONE_END, 0, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, 64, true);
	cr_assert_eq(e.n_events, 2, "begin and end, not what looked like one");
	cr_assert_eq(s.depth, 0);
	cr_assert_eq(s.tail, 64);
}

Test(encode, time_never_runs_backwards)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};
	uint64_t base, depth, v;
	const uint8_t *p;

	put(0, 1000, TW_EVENT_ZONE_BEGIN, 1, 0);
	put(1, 500, TW_EVENT_ZONE_END, 0, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false);
	p = prologue(&e, &base, &depth);
	p = tw_varint_get(p, e.bytes + e.used, &v);
	p = tw_varint_get(p, e.bytes + e.used, &v);
	tw_varint_get(p, e.bytes + e.used, &v);
	cr_assert_eq(v, 0, "an end with no time in between");
	cr_assert_eq(s.last_ticks, 1000);
}

Test(encode, an_end_without_begin_does_not_reach_the_file)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};

	put(0, 1000, TW_EVENT_ZONE_END, 0, 0);
	put(1, 1001, TW_EVENT_ZONE_BEGIN, 1, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false);
	cr_assert_eq(e.n_events, 1);
	cr_assert_eq(s.n_damaged, 1);
	cr_assert_eq(s.depth, 1);
}

Test(encode, survives_slots_that_the_program_scribbled_on)
{
	uint64_t seed = 1;

	for (int round = 0; round < 2000; round++) {
		struct tw_encoder e = encoder();
		struct tw_stream_state s = {.last_ticks = 1000};

		for (size_t i = 0; i < 256; i++) {
			uint64_t *words = (uint64_t *)&slots[i];

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			words[0] = seed >> (seed % 60);
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			words[1] = seed >> (seed % 40);
		}
		while (tw_encode(&e, &s, slots, SLOTS - 1, 256, true))
			cr_assert_leq(e.used, sizeof(bytes));
		cr_assert_leq(e.used, sizeof(bytes));
		cr_assert_geq(s.tail, 256);
	}
}

Test(encode, a_block_says_how_deep_it_begins)
{
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};
	uint64_t base, depth;

	for (uint64_t i = 0; i < 5; i++)
		put(i, 100 + i, TW_EVENT_ZONE_BEGIN, 1, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false);
	put(5, 200, TW_EVENT_ZONE_END, 0, 0);
	tw_encode(&e, &s, slots, SLOTS - 1, SLOTS, false);
	prologue(&e, &base, &depth);
	cr_assert_eq(depth, 5);
	cr_assert_eq(base, 200);
}

Test(encode, long_texts_fill_a_block_and_the_rest_follows)
{
	static struct tw_record big[65536];
	struct tw_encoder e = encoder();
	struct tw_stream_state s = {0};
	uint64_t at = 0;
	uint32_t n_written = 0, n_read = 0;

	while (at + 257 < 65536) {
		big[at].kind = TW_EVENT_MESSAGE;
		big[at].bytes = TW_PAYLOAD_MAX;
		atomic_store(&big[at].ticks, 1000 + at);
		at += tw_record_slots(TW_PAYLOAD_MAX);
		n_written++;
	}
	while (tw_encode(&e, &s, big, 65535, at, false)) {
		cr_assert_leq(e.used, sizeof(bytes));
		n_read += e.n_events;
	}
	n_read += e.n_events;
	cr_assert_eq(n_read, n_written);
}

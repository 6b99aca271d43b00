/* SPDX-License-Identifier: BSD-3-Clause */
/* See feed_story.h. Written apart from the encoder: it reads what a server reads. */
#include "feed_story.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "rig.h"

static struct rig rig;
static struct tw_feed *feed;
static struct tw_wire wire;
static LZ4_streamDecode_t lz4;
static uint8_t ring[3 * TW_WIRE_FRAME_BYTES];
static uint32_t at;
static uint64_t thread_time, serial_time, gpu_time;
static uint16_t sequences[64];
static char *words;
static size_t n_words;
static size_t words_room;

static void say(const char *format, ...)
{
	char text[256];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (n_words + (size_t)n + 3 > words_room) {
		words_room = (n_words + (size_t)n + 3) * 2;
		words = realloc(words, words_room);
	}
	n_words += (size_t)sprintf(words + n_words, "%s%s", n_words ? "; " : "", text);
}

static uint64_t number(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static uint64_t u32(const uint8_t *p)
{
	return number(p, 4);
}

static uint64_t u64(const uint8_t *p)
{
	return number(p, 8);
}

/* Locations have their bytes turned round. */
static uint64_t place(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static uint64_t after(uint64_t *reference, const uint8_t *p)
{
	return *reference += u64(p);
}

/* Big keys by their first letters. */
static const char *key(uint64_t k)
{
	static char texts[4][32];
	static unsigned i;
	const char *letter = k & TW_FEED_POOL	      ? "pool "
			     : k & TW_FEED_FOLD	      ? "fold "
			     : k & TW_FEED_FIBER      ? "fiber "
			     : k & TW_FEED_CODE	      ? "code "
			     : k == TW_FEED_LOST_LOCK ? "lost "
						      : "";

	i = (i + 1) % 4;
	snprintf(texts[i], sizeof(texts[i]), "%s%" PRIu64, letter,
		 *letter ? (k & 0xff) | (k >> 32 & 0xff) << 8 : k);
	return texts[i];
}

static void say_threads_item(enum tw_tracy_item item, const uint8_t *p)
{
	if (item == TW_TRACY_THREAD_CONTEXT) {
		thread_time = 0;
		say("thread %" PRIu64, u32(p));
	} else if (item == TW_TRACY_ZONE_BEGIN ||
		   item == TW_TRACY_ZONE_BEGIN_CALLSTACK) {
		uint64_t t = after(&thread_time, p);

		say("%s %s@%" PRIu64,
		    item == TW_TRACY_ZONE_BEGIN ? "begin" : "begin-stack",
		    key(place(p + 8)), t);
	} else if (item == TW_TRACY_ZONE_END) {
		say("end@%" PRIu64, after(&thread_time, p));
	} else if (item == TW_TRACY_FIBER_ENTER) {
		uint64_t t = after(&thread_time, p);

		say("enter %s on %" PRIu64 "@%" PRIu64, key(u64(p + 8)), u32(p + 16),
		    t);
	} else if (item == TW_TRACY_FIBER_LEAVE) {
		say("leave on %" PRIu64 "@%" PRIu64, u32(p + 8),
		    after(&thread_time, p));
	} else {
		say("%s", tw_tracy_item_names[item]);
	}
}

static void say_lock(enum tw_tracy_item item, const uint8_t *p)
{
	const char *name = tw_tracy_item_names[item] + 4;

	if (item == TW_TRACY_LOCK_ANNOUNCE)
		say("lock %" PRIu64 " at %s type %u@%" PRIu64, u32(p),
		    key(place(p + 12)), p[20], u64(p + 4));
	else if (item == TW_TRACY_LOCK_TERMINATE)
		say("gone %" PRIu64 "@%" PRIu64, u32(p), u64(p + 4));
	else if (item == TW_TRACY_LOCK_NAME)
		say("named %" PRIu64, u32(p));
	else if (item == TW_TRACY_LOCK_RELEASE)
		say("Release %" PRIu64 "@%" PRIu64, u32(p), after(&serial_time, p + 4));
	else if (item == TW_TRACY_LOCK_SHARED_RELEASE)
		say("SharedRelease %" PRIu64 " by %" PRIu64 "@%" PRIu64, u32(p),
		    u32(p + 12), after(&serial_time, p + 4));
	else
		say("%s %" PRIu64 " by %" PRIu64 "@%" PRIu64, name, u32(p + 4), u32(p),
		    after(&serial_time, p + 8));
}

static void say_memory(enum tw_tracy_item item, const uint8_t *p)
{
	bool is_alloc = item == TW_TRACY_MEM_ALLOC || item == TW_TRACY_MEM_ALLOC_NAMED;
	uint64_t t;

	if (item == TW_TRACY_MEM_NAME_PAYLOAD) {
		say("in %s", key(u64(p)));
		return;
	}
	t = after(&serial_time, p);
	say("%s %" PRIx64 " by %" PRIu64 "@%" PRIu64, is_alloc ? "alloc" : "free",
	    u64(p + 12), u32(p + 8), t);
}

static void say_device(enum tw_tracy_item item, const uint8_t *p)
{
	uint64_t t;

	if (item == TW_TRACY_GPU_NEW_CONTEXT) {
		say("context %u type %u@%" PRIu64, p[24], p[26], u64(p));
	} else if (item == TW_TRACY_GPU_CONTEXT_NAME) {
		say("named context %u", p[0]);
	} else if (item == TW_TRACY_GPU_TIME) {
		t = gpu_time += u64(p);
		say("#%" PRIu64 " of %u=%" PRIu64, number(p + 8, 2), p[10], t);
	} else {
		after(&serial_time, p);
		say("%s row %" PRIu64 " #%" PRIu64 " of %u",
		    item == TW_TRACY_GPU_ZONE_BEGIN_SERIAL ? "zone" : "end", u32(p + 8),
		    number(p + 12, 2), p[14]);
	}
}

static void say_stack(const uint8_t *p, size_t n)
{
	char text[200] = "";
	size_t used = 0;

	for (size_t i = 0; i + 8 <= n && used < sizeof(text) - 20; i += 8)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PRIu64,
					 u64(p + i) & ~TW_FEED_CODE);
	say("stack%s", text);
}

/* One item; returns its bytes. */
static size_t say_item(const uint8_t *p)
{
	enum tw_tracy_item item = 0;
	size_t n;

	while (item < TW_TRACY_ITEM_COUNT &&
	       (!wire.protocol->items[item].bytes ||
		wire.protocol->items[item].number != p[0]))
		item++;
	cr_assert_lt(item, TW_TRACY_ITEM_COUNT, "item %u", p[0]);
	n = wire.protocol->items[item].bytes;
	if (item == TW_TRACY_SINGLE_STRING_DATA) {
		say("\"%.*s\"", (int)number(p + 1, 2), (const char *)p + 3);
		return 3 + number(p + 1, 2);
	}
	if (item == TW_TRACY_CALLSTACK_PAYLOAD) {
		say_stack(p + 11, number(p + 9, 2));
		return 11 + number(p + 9, 2);
	}
	if (item >= TW_TRACY_LOCK_WAIT && item <= TW_TRACY_LOCK_NAME)
		say_lock(item, p + 1);
	else if (item == TW_TRACY_LOCK_ANNOUNCE || item == TW_TRACY_LOCK_TERMINATE)
		say_lock(item, p + 1);
	else if ((item >= TW_TRACY_MEM_ALLOC && item <= TW_TRACY_MEM_DISCARD) ||
		 item == TW_TRACY_MEM_NAME_PAYLOAD)
		say_memory(item, p + 1);
	else if ((item >= TW_TRACY_GPU_ZONE_BEGIN &&
		  item <= TW_TRACY_GPU_ZONE_END_SERIAL) ||
		 item == TW_TRACY_GPU_NEW_CONTEXT || item == TW_TRACY_GPU_TIME ||
		 item == TW_TRACY_GPU_CONTEXT_NAME)
		say_device(item, p + 1);
	else if (item >= TW_TRACY_FRAME_MARK_MSG && item <= TW_TRACY_FRAME_MARK_MSG_END)
		say("%s %s@%" PRIu64, tw_tracy_item_names[item] + 5, key(u64(p + 9)),
		    u64(p + 1));
	else
		say_threads_item(item, p + 1);
	return n;
}

static int take(void *context, const void *bytes, size_t n)
{
	int raw = LZ4_decompress_safe_continue(&lz4, (const char *)bytes + 4,
					       (char *)ring + at, (int)n - 4,
					       TW_WIRE_FRAME_BYTES);

	(void)context;
	cr_assert_gt(raw, 0);
	for (size_t i = 0; i < (size_t)raw;)
		i += say_item(ring + at + i);
	at += (uint32_t)raw;
	if (at > 2 * TW_WIRE_FRAME_BYTES)
		at = 0;
	return 0;
}

static void meet(void)
{
	struct payload p = {0};

	put_process(&p, 1, 100, 1, 0, 0, "/bin/prog", "prog", 4);
	put_process(&p, 2, 200, 100, 0, 1, "/bin/more", "more", 4);
	PUT_NUMBERS(&p, TW_META_THREAD, 1, 1, 101, 1, TW_THREAD_MAIN, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 1, 102, 1, TW_THREAD_PLAIN, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 3, 2, 103, 1, TW_THREAD_MAIN, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 11, 1, 111, 1, TW_THREAD_FIBER, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 12, 1, 112, 1, TW_THREAD_FIBER, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 21, 1, 121, 1, TW_THREAD_DEVICE, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 22, 1, 122, 1, TW_THREAD_DEVICE_TRACK, 21);
	PUT_NUMBERS(&p, TW_META_THREAD, 23, 1, 123, 1, TW_THREAD_DEVICE_TRACK, 21);
	put_thread_name(&p, 11, "fib");
	put_thread_name(&p, 21, "dev");
	put_thread_name(&p, 22, "queue");
	tw_feed_meta(feed, p.bytes.at, p.bytes.n);
}

struct tw_feed *story_begin(void)
{
	rig_open(&rig, 1 << 20, false);
	cr_assert_eq(rig_location(&rig, "two"), 2);
	cr_assert_eq(rig_location(&rig, "three"), 3);
	feed = mmap(NULL, sizeof(*feed), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	feed->arena = rig.view.arena;
	feed->tick_ns = 1;
	meet();
	feed->first_ticks = 1;
	tw_wire_init(&wire, tw_tracy_protocol_find(66, false), take, NULL);
	feed->wire = &wire;
	return feed;
}

void story_block(struct payload *p, uint32_t thread)
{
	tw_feed_events(feed, thread, sequences[thread]++, p->bytes.at, p->bytes.n);
	p->bytes.n = 0;
	p->n_records = 0;
}

void story_skip(uint32_t thread)
{
	sequences[thread]++;
}

void story_horizon(uint64_t ticks)
{
	struct payload p = {0};

	PUT_NUMBERS(&p, TW_META_HORIZON, ticks);
	tw_feed_meta(feed, p.bytes.at, p.bytes.n);
}

const char *story_words(void)
{
	static char *copy;

	tw_wire_flush(&wire);
	free(copy);
	copy = strdup(n_words ? words : "");
	n_words = 0;
	return copy;
}

void story_expect(const char *expected)
{
	const char *got = story_words();

	cr_assert_str_eq(got, expected, "\n  sent:     %s\n  expected: %s", got,
			 expected);
}

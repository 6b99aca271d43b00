/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks and memory: in order of time across threads, and never what breaks a viewer. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed_story.h"

static void put_lock(struct payload *p, uint64_t delta, uint8_t kind, uint32_t id)
{
	put_event(p, delta, kind, id, "", 0);
}

static void put_birth(struct payload *p, uint32_t id, uint32_t type)
{
	struct tw_lock_birth birth = {2, type};

	put_event(p, 0, TW_EVENT_LOCK_NEW, id, &birth, sizeof(birth));
}

static void put_alloc(struct payload *p, uint32_t pool, uint64_t address)
{
	struct tw_memory_block block = {address, 10};

	put_event(p, 1, TW_EVENT_MEMORY_ALLOC, pool, &block, sizeof(block));
}

static void put_free(struct payload *p, uint32_t pool, uint64_t address)
{
	put_event(p, 1, TW_EVENT_MEMORY_FREE, pool, &address, sizeof(address));
}

Test(tracy_serial, a_horizon_lets_go_in_order)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_birth(&p, 5, TW_LOCK_EXCLUSIVE);
	put_lock(&p, 10, TW_EVENT_LOCK_WAIT, 5);
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN, 5);
	put_lock(&p, 20, TW_EVENT_LOCK_RELEASE, 5);
	story_block(&p, 1);
	put_start(&p, 125, 0);
	put_lock(&p, 0, TW_EVENT_LOCK_WAIT, 5);
	put_lock(&p, 20, TW_EVENT_LOCK_OBTAIN, 5);
	story_block(&p, 2);
	story_expect("");
	story_horizon(140);
	story_expect("lock 5 at 2 type 0@100; \"two\"; named 5; Wait 5 by 101@110; "
		     "Obtain 5 by 101@120; Wait 5 by 102@125");
	story_horizon(141);
	story_expect("Release 5@140");
	tw_feed_close_all(feed);
	story_expect("Obtain 5 by 102@145");
}

Test(tracy_serial, a_lock_that_was_never_announced)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_lock(&p, 0, TW_EVENT_LOCK_RELEASE, 6);
	put_lock(&p, 1, TW_EVENT_LOCK_OBTAIN_SHARED, 6);
	put_lock(&p, 1, TW_EVENT_LOCK_GONE, 6);
	put_lock(&p, 1, TW_EVENT_LOCK_WAIT, 6); /* after its end */
	put_lock(&p, 1, TW_EVENT_LOCK_GONE, 7);
	put_lock(&p, 1, TW_EVENT_LOCK_WAIT, 0);
	put_lock(&p, 1, TW_EVENT_LOCK_WAIT, UINT32_MAX);
	story_block(&p, 1);
	tw_feed_close_all(feed);
	story_expect("lock 6 at lost 0 type 1@100; SharedWait 6 by 101@101; "
		     "SharedObtain 6 by 101@101; gone 6@102");
	cr_assert_eq(feed->lost[TW_FEED_LOSS_LOCKS], 3);
}

Test(tracy_serial, in_a_fiber_it_is_the_thread_that_locks)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_event(&p, 0, TW_EVENT_FIBER_ENTER, 2, "", 0);
	put_birth(&p, 5, TW_LOCK_EXCLUSIVE);
	put_lock(&p, 1, TW_EVENT_LOCK_WAIT, 5);
	put_event(&p, 1, TW_EVENT_FIBER_LEAVE, 0, "", 0);
	story_block(&p, 11);
	story_words();
	tw_feed_close_all(feed);
	story_expect("lock 5 at 2 type 0@100; \"two\"; named 5; Wait 5 by 102@101");
}

Test(tracy_serial, pools_and_addresses)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();

	put_start(&p, 100, 0);
	put_alloc(&p, 0, 0xa);
	put_alloc(&p, 7, 0xa); /* another pool */
	put_alloc(&p, 0, 0xa); /* its free was lost */
	put_free(&p, 0, 0xa);
	put_free(&p, 0, 0xa); /* unknown */
	put_free(&p, 0, 0);
	put_alloc(&p, 0, 0);
	put_free(&p, 7, 0xa);
	story_block(&p, 1);
	put_start(&p, 200, 0);
	put_alloc(&p, 0, 0xa); /* another process */
	put_free(&p, 7, 0xa);  /* whose pool has none */
	story_block(&p, 3);
	tw_feed_close_all(feed);
	story_expect("alloc a by 101@101; in 7; alloc a by 101@102; free a by 101@103; "
		     "alloc a by 101@103; free a by 101@104; in 7; "
		     "free a by 101@108; in pool 512; alloc a by 103@201");
}

Test(tracy_serial, more_than_can_be_held_back)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();
	const char *words;

	for (unsigned block = 0; block < 200; block++) {
		put_start(&p, 1000 + block * 1000, 0);
		for (unsigned i = 0; i < 1000; i++)
			put_alloc(&p, 0, 16 + block * 1000 + i);
		story_block(&p, 1);
	}
	cr_assert_eq(feed->n_serials, TW_FEED_SERIALS);
	cr_assert_eq(feed->lost[TW_FEED_LOSS_ORDER], 0);
	story_words();
	put_start(&p, 500, 0); /* too late: the first 68,928 are gone */
	put_alloc(&p, 0, 0xfffff);
	story_block(&p, 2);
	tw_feed_close_all(feed);
	words = story_words();
	cr_assert_not_null(strstr(words, "alloc fffff by 102@"));
	cr_assert_null(strstr(words, "alloc fffff by 102@501"));
	cr_assert_eq(feed->lost[TW_FEED_LOSS_ORDER], 1);
}

Test(tracy_serial, more_addresses_than_there_is_room_for)
{
	struct payload p = {0};
	struct tw_feed *feed = story_begin();
	unsigned n = TW_FEED_ADDRESSES;

	for (unsigned i = 0; i < n;) {
		put_start(&p, 1000 + i, 0);
		for (unsigned k = 0; k < 4096; k++, i++)
			put_alloc(&p, 0, 16 + i);
		story_block(&p, 1);
		story_horizon(UINT64_MAX);
		if (i % 65536 == 0)
			story_words();
	}
	cr_assert_eq(feed->lost[TW_FEED_LOSS_ADDRESSES], n / 8);
	story_words();
	put_start(&p, 9000000, 0);
	put_free(&p, 0, 16 + n - 1); /* was left out, and so is its end */
	put_free(&p, 0, 16);
	story_block(&p, 1);
	tw_feed_close_all(feed);
	story_expect("free 10 by 101@9000002");
}

/* What a server asserts, for one lock. */
struct checker {
	struct tw_lock_state *lock;
	uint64_t waiting, waiting_shared, sharing;
	unsigned depth, n_shown;
	uint32_t owner;
};

static void check_shown(void *context, enum tw_event_kind kind, uint32_t thread)
{
	struct checker *c = context;
	uint64_t bit = UINT64_C(1) << thread;

	cr_assert_lt(thread, 64u);
	c->n_shown++;
	switch (kind) {
	case TW_EVENT_LOCK_WAIT:
		c->waiting |= bit;
		break;
	case TW_EVENT_LOCK_OBTAIN:
		cr_assert(c->waiting & bit);
		cr_assert(!c->depth || c->owner == thread);
		cr_assert(!c->sharing && c->depth < 255);
		c->waiting &= ~bit;
		c->owner = thread;
		c->depth++;
		break;
	case TW_EVENT_LOCK_RELEASE:
		cr_assert(c->depth);
		c->depth--;
		break;
	case TW_EVENT_LOCK_WAIT_SHARED:
		c->waiting_shared |= bit;
		break;
	case TW_EVENT_LOCK_OBTAIN_SHARED:
		cr_assert(c->waiting_shared & bit);
		cr_assert(!(c->sharing & bit) && !c->depth);
		c->waiting_shared &= ~bit;
		c->sharing |= bit;
		break;
	default:
		cr_assert_eq(kind, TW_EVENT_LOCK_RELEASE_SHARED);
		cr_assert(c->sharing & bit);
		c->sharing &= ~bit;
	}
}

Test(lock_state, any_events_make_a_story_that_holds)
{
	static struct tw_lock_state lock;
	struct checker c = {.lock = &lock};
	struct tw_lock_sink sink = {check_shown, &c};

	for (unsigned round = 0; round < 200; round++) {
		memset(&lock, 0, sizeof(lock));
		c = (struct checker){.lock = &lock};
		lock.is_shared = round % 2;
		srand(round);
		for (unsigned i = 0; i < 5000; i++)
			tw_lock_step(&lock, TW_EVENT_LOCK_WAIT + (unsigned)rand() % 6,
				     (unsigned)rand() % (round % 7 ? 3 : 64), &sink);
		cr_assert_gt(c.n_shown, 100);
	}
}

Test(lock_state, a_whole_story_is_told_as_it_is)
{
	static const uint8_t kinds[] = {
		TW_EVENT_LOCK_WAIT,	      TW_EVENT_LOCK_OBTAIN,
		TW_EVENT_LOCK_WAIT,	      TW_EVENT_LOCK_OBTAIN, /* again */
		TW_EVENT_LOCK_RELEASE,	      TW_EVENT_LOCK_RELEASE,
		TW_EVENT_LOCK_WAIT_SHARED,    TW_EVENT_LOCK_OBTAIN_SHARED,
		TW_EVENT_LOCK_RELEASE_SHARED,
	};
	static struct tw_lock_state lock = {.is_shared = true};
	struct checker c = {.lock = &lock};

	for (unsigned i = 0; i < sizeof(kinds); i++)
		cr_assert(tw_lock_step(&lock, kinds[i], 1,
				       &(struct tw_lock_sink){check_shown, &c}));
	cr_assert_eq(c.n_shown, sizeof(kinds));
}

Test(lock_state, a_late_release_is_not_the_next_ones)
{
	static struct tw_lock_state lock;
	struct checker c = {.lock = &lock};
	struct tw_lock_sink sink = {check_shown, &c};

	tw_lock_step(&lock, TW_EVENT_LOCK_OBTAIN, 1, &sink);
	tw_lock_step(&lock, TW_EVENT_LOCK_OBTAIN, 2, &sink); /* cuts the first */
	tw_lock_step(&lock, TW_EVENT_LOCK_RELEASE, 1, &sink);
	cr_assert_eq(c.depth, 1, "the second still has it");
	tw_lock_step(&lock, TW_EVENT_LOCK_RELEASE, 2, &sink);
	cr_assert_eq(c.depth, 0);
	tw_lock_step(&lock, TW_EVENT_LOCK_OBTAIN, 1, &sink);
	tw_lock_step(&lock, TW_EVENT_LOCK_RELEASE, 3, &sink);
	cr_assert_eq(c.depth, 0, "another thread may give it back");
}

Test(lock_state, a_lock_has_64_threads_at_most)
{
	static struct tw_lock_state lock;
	struct checker c = {.lock = &lock};
	struct tw_lock_sink sink = {check_shown, &c};

	for (unsigned i = 0; i < 64; i++)
		cr_assert(tw_lock_step(&lock, TW_EVENT_LOCK_WAIT, i, &sink));
	cr_assert_not(tw_lock_step(&lock, TW_EVENT_LOCK_WAIT, 64, &sink));
	cr_assert_not(tw_lock_step(&lock, TW_EVENT_LOCK_WAIT_SHARED, 1, &sink),
		      "a lock of the other kind");
	cr_assert_eq(c.n_shown, 64);
}

Test(address_table, holds_what_was_put_in)
{
	static struct tw_address entries[1024];
	static bool is_there[3][2000];
	struct tw_address_table table = {entries, 1024, 0};
	uint32_t n = 0;

	for (unsigned i = 0; i < 200000; i++) {
		uint32_t pool = 1 + (unsigned)rand() % 3;
		uint64_t address = (unsigned)rand() % 2000;
		bool *mine = &is_there[pool - 1][address];

		if (rand() % 2) {
			enum tw_address_result result =
				tw_address_add(&table, pool, address * 16);

			cr_assert_eq(result, *mine	? TW_ADDRESS_TWICE
					     : n == 896 ? TW_ADDRESS_FULL
							: TW_ADDRESS_ADDED);
			n += result == TW_ADDRESS_ADDED;
			*mine |= result == TW_ADDRESS_ADDED;
		} else {
			cr_assert_eq(tw_address_remove(&table, pool, address * 16),
				     *mine);
			n -= *mine;
			*mine = false;
		}
		cr_assert_eq(table.n_used, n);
	}
}

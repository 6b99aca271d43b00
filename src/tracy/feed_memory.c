/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory onto the wire, in pools by process. An address that is allocated again was
 * freed without our seeing it; one that is freed unknown was allocated so. See feed.h.
 */
#include "tracy/feed_private.h"

static uint64_t key_of(const struct tw_feed_series *pool)
{
	return pool->key >> 32 ? TW_FEED_POOL | pool->key : pool->key;
}

void tw_feed_memory_event(struct tw_feed *feed, const struct tw_feed_serial *s,
			  uint64_t ticks)
{
	struct tw_feed_series *pool =
		tw_feed_series(feed, s->process, s->id, TW_FEED_MEMORY);
	uint32_t number;

	if (!s->address)
		return; /* free(NULL), or no memory: nothing happened */
	if (!pool) {
		feed->lost[TW_FEED_LOSS_POOLS]++;
		return;
	}
	number = (uint32_t)(pool - feed->series) + 1;
	feed->addresses.entries = feed->address_entries;
	feed->addresses.n_entries = TW_FEED_ADDRESSES;
	if (s->kind == TW_EVENT_MEMORY_FREE) {
		if (tw_address_remove(&feed->addresses, number, s->address))
			tw_wire_free(feed->wire, ticks, s->thread, key_of(pool),
				     s->address);
		return;
	}
	switch (tw_address_add(&feed->addresses, number, s->address)) {
	case TW_ADDRESS_FULL:
		feed->lost[TW_FEED_LOSS_ADDRESSES]++;
		return;
	case TW_ADDRESS_TWICE:
		tw_wire_free(feed->wire, ticks, s->thread, key_of(pool), s->address);
		break;
	case TW_ADDRESS_ADDED:
		break;
	}
	tw_wire_alloc(feed->wire, ticks, s->thread, key_of(pool), s->address, s->bytes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks onto the wire: announced once, named, and then only events that a viewer can
 * follow (lock_state.h). A lock whose birth is not in the file is announced when it is
 * first met, as one of both kinds. See feed.h.
 */
#include "tracy/feed_private.h"

#define PROBES 16u

struct show {
	struct tw_feed *feed;
	uint64_t ticks;
	uint32_t lock;
};

static void show(void *context, enum tw_event_kind kind, uint32_t thread)
{
	static const enum tw_tracy_item items[TW_EVENT_COUNT] = {
		[TW_EVENT_LOCK_WAIT] = TW_TRACY_LOCK_WAIT,
		[TW_EVENT_LOCK_OBTAIN] = TW_TRACY_LOCK_OBTAIN,
		[TW_EVENT_LOCK_RELEASE] = TW_TRACY_LOCK_RELEASE,
		[TW_EVENT_LOCK_WAIT_SHARED] = TW_TRACY_LOCK_SHARED_WAIT,
		[TW_EVENT_LOCK_OBTAIN_SHARED] = TW_TRACY_LOCK_SHARED_OBTAIN,
		[TW_EVENT_LOCK_RELEASE_SHARED] = TW_TRACY_LOCK_SHARED_RELEASE,
	};
	const struct show *s = context;

	tw_wire_lock(s->feed->wire, items[kind], s->ticks, thread, s->lock);
}

/* The entry of this lock, or with id 0 a free one in reach of it; or NULL. */
static struct tw_feed_lock *find(struct tw_feed *feed, uint32_t id, uint32_t wanted)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct tw_feed_lock *lock = &feed->locks[(id + i) % TW_FEED_LOCKS];

		if (lock->id == wanted)
			return lock;
	}
	return NULL;
}

/* Makes the lock known; NULL when there is no room for it or it has been before. */
static struct tw_feed_lock *announce(struct tw_feed *feed, uint32_t id, uint64_t ticks,
				     const struct tw_lock_birth *birth)
{
	struct tw_feed_lock *lock = find(feed, id, 0);
	const struct tw_location *l = NULL;
	uint64_t place = TW_FEED_LOST_LOCK;
	bool is_folded;

	if (!lock || !tw_feed_mark(feed->locks_announced, id))
		return NULL;
	*lock = (struct tw_feed_lock){.id = id, .state.is_shared = true};
	if (birth) {
		lock->state.is_shared = birth->type == TW_LOCK_SHARED;
		place = tw_feed_place(feed, birth->location, &is_folded);
		l = tw_location_get(feed->arena, birth->location);
	}
	tw_wire_lock_announce(feed->wire, ticks, id, place, lock->state.is_shared);
	if (l && l->name) {
		struct tw_feed_text name = tw_feed_string(feed, l->name, NULL, 0);

		tw_wire_lock_name(feed->wire, id, name.text, name.bytes);
	}
	return lock;
}

void tw_feed_lock_event(struct tw_feed *feed, const struct tw_feed_serial *s,
			uint64_t ticks)
{
	struct tw_lock_birth birth = {(uint32_t)s->bytes, (uint32_t)(s->bytes >> 32)};
	struct show to = {feed, ticks, s->id};
	struct tw_feed_lock *lock = NULL;
	bool is_new = s->kind == TW_EVENT_LOCK_NEW;

	if (s->id && s->id < TW_FEED_LOCK_IDS) {
		lock = find(feed, s->id, s->id);
		if (!lock && s->kind != TW_EVENT_LOCK_GONE)
			lock = announce(feed, s->id, ticks, is_new ? &birth : NULL);
	}
	if (!lock) {
		feed->lost[TW_FEED_LOSS_LOCKS] += s->kind != TW_EVENT_LOCK_GONE;
		return;
	}
	if (is_new)
		return;
	if (s->kind == TW_EVENT_LOCK_GONE) {
		tw_wire_lock_terminate(feed->wire, ticks, s->id);
		*lock = (struct tw_feed_lock){0};
		return;
	}
	if (!tw_lock_step(&lock->state, (enum tw_event_kind)s->kind, s->thread,
			  &(struct tw_lock_sink){show, &to}))
		feed->lost[TW_FEED_LOSS_LOCK_THREADS]++;
}

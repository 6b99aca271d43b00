/* SPDX-License-Identifier: BSD-3-Clause */
/* See lock_state.h. */
#include "tracy/lock_state.h"

static void show(const struct tw_lock_state *lock, const struct tw_lock_sink *sink,
		 enum tw_event_kind kind, unsigned index)
{
	sink->show(sink->context, kind, lock->threads[index]);
}

/* The thread's index, or -1: there is no room for it. */
static int find_thread(struct tw_lock_state *lock, uint32_t thread)
{
	for (unsigned i = 0; i < lock->n_threads; i++)
		if (lock->threads[i] == thread)
			return (int)i;
	if (lock->n_threads >= TW_LOCK_THREADS_MAX)
		return -1;
	lock->threads[lock->n_threads] = thread;
	return lock->n_threads++;
}

/* Somebody else has it now: the owner's release was lost, or is told late. */
static void cut_owner(struct tw_lock_state *lock, const struct tw_lock_sink *sink)
{
	if (lock->depth)
		lock->cut |= UINT64_C(1) << lock->owner;
	for (; lock->depth; lock->depth--)
		show(lock, sink, TW_EVENT_LOCK_RELEASE, lock->owner);
}

static void cut_sharers(struct tw_lock_state *lock, const struct tw_lock_sink *sink)
{
	for (unsigned i = 0; lock->sharing && i < lock->n_threads; i++) {
		uint64_t bit = UINT64_C(1) << i;

		if (!(lock->sharing & bit))
			continue;
		lock->sharing &= ~bit;
		lock->cut |= bit;
		lock->sharing_depth[i] = 0;
		show(lock, sink, TW_EVENT_LOCK_RELEASE_SHARED, i);
	}
}

static bool wait(uint64_t *waiting, uint64_t bit)
{
	bool is_new = !(*waiting & bit);

	*waiting |= bit;
	return is_new;
}

static bool obtain(struct tw_lock_state *lock, unsigned i, uint64_t bit,
		   const struct tw_lock_sink *sink)
{
	if (lock->depth && lock->owner != i)
		cut_owner(lock, sink);
	if (lock->depth >= TW_LOCK_DEPTH_MAX)
		return false;
	cut_sharers(lock, sink);
	if (!(lock->waiting & bit))
		show(lock, sink, TW_EVENT_LOCK_WAIT, i);
	lock->waiting &= ~bit;
	lock->cut &= ~bit;
	lock->owner = (uint8_t)i;
	lock->depth++;
	return true;
}

/* Whoever releases: a lock may be given back by another than took it. */
static bool release(struct tw_lock_state *lock, unsigned i, uint64_t bit)
{
	if (lock->cut & bit && (!lock->depth || lock->owner != i)) {
		lock->cut &= ~bit;
		return false;
	}
	if (!lock->depth)
		return false;
	lock->depth--;
	return true;
}

static bool obtain_shared(struct tw_lock_state *lock, unsigned i, uint64_t bit,
			  const struct tw_lock_sink *sink)
{
	/* Viewers know of one share for each thread: the outermost is shown. */
	if (lock->sharing & bit) {
		lock->waiting_shared &= ~bit;
		lock->sharing_depth[i] += lock->sharing_depth[i] < UINT8_MAX;
		return false;
	}
	cut_owner(lock, sink);
	if (!(lock->waiting_shared & bit))
		show(lock, sink, TW_EVENT_LOCK_WAIT_SHARED, i);
	lock->waiting_shared &= ~bit;
	lock->cut &= ~bit;
	lock->sharing |= bit;
	lock->sharing_depth[i] = 1;
	return true;
}

static bool release_shared(struct tw_lock_state *lock, unsigned i, uint64_t bit)
{
	if (!(lock->sharing & bit)) {
		lock->cut &= ~bit;
		return false;
	}
	if (--lock->sharing_depth[i])
		return false;
	lock->sharing &= ~bit;
	return true;
}

bool tw_lock_step(struct tw_lock_state *lock, enum tw_event_kind kind, uint32_t thread,
		  const struct tw_lock_sink *sink)
{
	int i = find_thread(lock, thread);
	uint64_t bit = UINT64_C(1) << (i & 63);
	bool is_shown = false;

	if (i < 0 || (kind >= TW_EVENT_LOCK_WAIT_SHARED && !lock->is_shared))
		return false;
	switch (kind) {
	case TW_EVENT_LOCK_WAIT:
		is_shown = wait(&lock->waiting, bit);
		break;
	case TW_EVENT_LOCK_OBTAIN:
		is_shown = obtain(lock, (unsigned)i, bit, sink);
		break;
	case TW_EVENT_LOCK_RELEASE:
		is_shown = release(lock, (unsigned)i, bit);
		break;
	case TW_EVENT_LOCK_WAIT_SHARED:
		is_shown = !(lock->sharing & bit) && wait(&lock->waiting_shared, bit);
		break;
	case TW_EVENT_LOCK_OBTAIN_SHARED:
		is_shown = obtain_shared(lock, (unsigned)i, bit, sink);
		break;
	case TW_EVENT_LOCK_RELEASE_SHARED:
		is_shown = release_shared(lock, (unsigned)i, bit);
		break;
	default:
		break;
	}
	if (is_shown)
		show(lock, sink, kind, (unsigned)i);
	return true;
}

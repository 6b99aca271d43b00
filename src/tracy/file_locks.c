/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks in a `.tracy` file that is being made. Viewers follow a lock's state event by
 * event and take it for granted that nobody obtains without waiting, releases what is
 * not held, or is the 65th thread. Traces have gaps and threads have clocks, so the
 * state is followed here first: what is missing is put in, what cannot be is left out,
 * and both are counted.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"

#define THREADS_MAX 64u	       /* of a lock */
#define LOCKS_MAX   (1u << 24) /* 64 bytes each */
#define NOBODY	    UINT32_MAX

/* As the file numbers them: those of enum tw_event_kind from LOCK_WAIT on. */
enum what { WAIT, OBTAIN, RELEASE, WAIT_SHARED, OBTAIN_SHARED, RELEASE_SHARED };

_Static_assert(TW_EVENT_LOCK_RELEASE_SHARED - TW_EVENT_LOCK_WAIT == RELEASE_SHARED,
	       "the file numbers a lock's events as we do");

struct tw_tracy_lock_slot {
	uint32_t id;
	uint32_t number; /* index + 1; 0 = free */
};

/* The slot of that id, or the free one where it belongs. */
static struct tw_tracy_lock_slot *look_up(const struct tw_tracy_locks *l, uint32_t id)
{
	uint32_t at = (id * 2654435761u) & (l->n_slots - 1);

	while (l->slots[at].number && l->slots[at].id != id)
		at = (at + 1) & (l->n_slots - 1);
	return &l->slots[at];
}

static int grow(struct tw_tracy_locks *l)
{
	struct tw_tracy_locks bigger = *l;
	struct tw_tracy_lock *list;

	bigger.room = l->room ? l->room * 2 : 64;
	bigger.n_slots = bigger.room * 2;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	list = realloc(l->list, bigger.room * sizeof(*list));
	if (list)
		l->list = bigger.list = list;
	if (!bigger.slots || !list) {
		free(bigger.slots);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < l->n; i++)
		*look_up(&bigger, list[i].id) =
			(struct tw_tracy_lock_slot){list[i].id, i + 1};
	free(l->slots);
	*l = bigger;
	return 0;
}

/* The lock of that id, made if need be: 0, -ENOMEM, or -ENOSPC for too many. */
static int find_lock(struct tw_tracy_locks *l, uint32_t id, uint32_t *index)
{
	struct tw_tracy_lock_slot *slot;

	if (l->n == l->room && l->n < LOCKS_MAX && grow(l) < 0)
		return -ENOMEM;
	slot = look_up(l, id);
	if (!slot->number) {
		if (l->n == LOCKS_MAX)
			return -ENOSPC;
		l->list[l->n] = (struct tw_tracy_lock){.id = id};
		*slot = (struct tw_tracy_lock_slot){id, ++l->n};
	}
	*index = slot->number - 1;
	return 0;
}

int tw_tracy_lock_add(struct tw_tracy_plan *plan, const struct tw_event *event,
		      const struct tw_lock_birth *birth)
{
	struct tw_tracy_lock *lock;
	uint32_t index = 0;
	int error = find_lock(&plan->locks, event->id, &index);

	if (error == -ENOSPC) {
		plan->n_left_out++;
		return 0;
	}
	if (error)
		return error;
	lock = &plan->locks.list[index];
	if (event->kind == TW_EVENT_LOCK_NEW) {
		lock->is_announced = true;
		lock->is_shared |= birth->type == TW_LOCK_SHARED;
		lock->announce_ns = tw_tracy_time(event->ns);
		lock->location = birth->location;
		return 0;
	}
	if (event->kind == TW_EVENT_LOCK_GONE) {
		lock->is_gone = true;
		lock->gone_ns = tw_tracy_time(event->ns);
		return 0;
	}
	lock->is_shared |= event->kind >= TW_EVENT_LOCK_WAIT_SHARED;
	return tw_sorter_add(
		&plan->locks.events,
		(struct tw_sort_item){.key = index,
				      .ns = tw_tracy_time(event->ns),
				      .value = event->kind - TW_EVENT_LOCK_WAIT,
				      .from = event->thread->number});
}

/* The lock that is being followed. Threads are bits, by their place in `threads`. */
struct state {
	struct tw_tracy_plan *plan;
	struct tw_tracy_lock *lock;
	uint32_t threads[THREADS_MAX]; /* numbers */
	uint64_t waits, waits_shared, holds_shared;
	uint32_t owner; /* NOBODY = none */
	uint32_t n_held;
	uint64_t ns; /* times are differences to the one before */
};

/* The bit of a thread; NOBODY when there are too many. */
static uint32_t bit_of(struct state *s, uint32_t thread)
{
	uint32_t n = s->lock->n_threads;

	for (uint32_t i = 0; i < n; i++)
		if (s->threads[i] == thread)
			return i;
	if (n == THREADS_MAX)
		return NOBODY;
	s->threads[n] = thread;
	s->plan->threads[thread].is_referred_to = true;
	return s->lock->n_threads++;
}

static void put(struct state *s, uint64_t ns, uint32_t bit, enum what what)
{
	uint8_t bytes[12] = {0}; /* i64 time, i16 location, u8 thread, u8 what */
	uint64_t delta = htole64(ns - s->ns);

	memcpy(bytes, &delta, sizeof(delta));
	bytes[10] = (uint8_t)bit;
	bytes[11] = (uint8_t)what;
	tw_scratch_put(&s->plan->locks.bytes, bytes, sizeof(bytes));
	s->lock->n_events++;
	s->ns = ns;
}

static void mend(struct state *s, uint64_t ns, uint32_t bit, enum what what)
{
	s->plan->n_mended++;
	put(s, ns, bit, what);
}

/* Somebody else has it now, so releases of these must have been lost (or are late). */
static void release_all(struct state *s, uint64_t ns, uint32_t bit, bool is_exclusive)
{
	while (s->n_held && s->owner != bit) {
		mend(s, ns, s->owner, RELEASE);
		s->n_held--;
	}
	for (uint32_t i = 0; is_exclusive && i < s->lock->n_threads; i++) {
		if (!(s->holds_shared & UINT64_C(1) << i))
			continue;
		mend(s, ns, i, RELEASE_SHARED);
		s->holds_shared &= ~(UINT64_C(1) << i);
	}
}

static void obtain(struct state *s, uint64_t ns, uint32_t bit)
{
	uint64_t mask = UINT64_C(1) << bit;

	if (s->n_held == UINT8_MAX && s->owner == bit) {
		s->plan->n_left_out++;
		return;
	}
	if (!(s->waits & mask))
		mend(s, ns, bit, WAIT);
	release_all(s, ns, bit, true);
	s->waits &= ~mask;
	s->owner = bit;
	s->n_held++;
	put(s, ns, bit, OBTAIN);
}

static void obtain_shared(struct state *s, uint64_t ns, uint32_t bit)
{
	uint64_t mask = UINT64_C(1) << bit;

	if (!(s->waits_shared & mask))
		mend(s, ns, bit, WAIT_SHARED);
	if (s->holds_shared & mask)
		mend(s, ns, bit, RELEASE_SHARED);
	release_all(s, ns, NOBODY, false);
	s->waits_shared &= ~mask;
	s->holds_shared |= mask;
	put(s, ns, bit, OBTAIN_SHARED);
}

/* Is this event possible now? What it needs in front of it is put in. */
static void follow(struct state *s, uint64_t ns, uint32_t bit, enum what what)
{
	uint64_t mask = UINT64_C(1) << bit;
	bool is_possible = true;

	switch (what) {
	case OBTAIN:
		obtain(s, ns, bit);
		return;
	case OBTAIN_SHARED:
		obtain_shared(s, ns, bit);
		return;
	case WAIT:
		is_possible = !(s->waits & mask);
		s->waits |= mask;
		break;
	case WAIT_SHARED:
		is_possible = !(s->waits_shared & mask);
		s->waits_shared |= mask;
		break;
	case RELEASE:
		is_possible = s->n_held && s->owner == bit;
		s->n_held -= is_possible;
		break;
	case RELEASE_SHARED:
		is_possible = (s->holds_shared & mask) != 0;
		s->holds_shared &= ~mask;
		break;
	}
	if (is_possible)
		put(s, ns, bit, what);
	else
		s->plan->n_left_out++;
}

/* A lock's events are followed by its threads, which are known only then. */
static void end_lock(struct state *s)
{
	for (uint32_t i = 0; s->lock && i < s->lock->n_threads; i++) {
		uint64_t id = htole64(s->plan->threads[s->threads[i]].id);

		tw_scratch_put(&s->plan->locks.bytes, &id, sizeof(id));
	}
}

static void begin_lock(struct state *s, struct tw_tracy_lock *lock, uint64_t ns)
{
	end_lock(s);
	s->lock = lock;
	s->waits = s->waits_shared = s->holds_shared = 0;
	s->owner = NOBODY;
	s->n_held = 0;
	if (!lock->is_announced || lock->announce_ns > ns)
		lock->announce_ns = ns;
	lock->offset = s->plan->locks.bytes.n_bytes;
	s->ns = lock->announce_ns;
}

static int name_locks(struct tw_tracy_plan *plan)
{
	for (uint32_t i = 0; i < plan->locks.n; i++) {
		struct tw_tracy_lock *lock = &plan->locks.list[i];

		lock->place = tw_tracy_place_use(plan, lock->location);
		if (lock->place == 0)
			return -ENOMEM;
		lock->name =
			lock->is_announced
				? tw_tracy_strings_add(&plan->strings,
						       tw_timeline_place(plan->timeline,
									 lock->location)
							       ->name,
						       false)
				: tw_tracy_strings_format(&plan->strings, "lock %u",
							  lock->id);
	}
	return plan->strings.table.error;
}

int tw_tracy_locks_finish(struct tw_tracy_plan *plan)
{
	struct tw_tracy_locks *l = &plan->locks;
	struct state s = {.plan = plan};
	struct tw_sort_item item;
	int more, error = tw_sorter_sort(&l->events);

	if (error)
		return error;
	while ((more = tw_sorter_next(&l->events, &item)) > 0) {
		uint32_t bit;

		if (s.lock != &l->list[item.key])
			begin_lock(&s, &l->list[item.key], item.ns);
		bit = bit_of(&s, item.from);
		if (bit == NOBODY)
			plan->n_left_out++;
		else
			follow(&s, item.ns, bit, (enum what)item.value);
	}
	end_lock(&s);
	if (more < 0)
		return more;
	return l->bytes.error ? l->bytes.error : name_locks(plan);
}

int tw_tracy_write_locks(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_locks *l = &plan->locks;
	int error = 0;

	tw_tracy_u64(out, l->n);
	for (uint32_t i = 0; i < l->n && !error; i++) {
		const struct tw_tracy_lock *lock = &l->list[i];
		uint64_t n_bytes = 12 * lock->n_events;

		tw_tracy_u32(out, lock->id);
		tw_tracy_u24(out, lock->name);
		tw_tracy_u16(out, (uint16_t)lock->place);
		tw_tracy_u8(out, lock->is_shared);
		tw_tracy_u8(out, 1); /* valid */
		tw_tracy_u64(out, lock->announce_ns);
		tw_tracy_u64(out, lock->is_gone ? lock->gone_ns : 0);
		tw_tracy_u64(out, lock->n_threads);
		error = tw_tracy_copy(&l->bytes, lock->offset + n_bytes,
				      8 * (uint64_t)lock->n_threads, out);
		tw_tracy_u64(out, lock->n_events);
		if (!error)
			error = tw_tracy_copy(&l->bytes, lock->offset, n_bytes, out);
	}
	return error;
}

void tw_tracy_locks_free(struct tw_tracy_locks *l)
{
	free(l->list);
	free(l->slots);
	tw_sorter_free(&l->events);
	tw_scratch_free(&l->bytes);
}

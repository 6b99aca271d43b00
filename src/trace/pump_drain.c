/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From rings to spool blocks: the part of the pump that costs time. Names are written
 * when an event first uses them, so the spool holds what it needs and no more.
 */
#include <string.h>

#include "core/intern.h"
#include "core/ring.h"
#include "trace/pump_internal.h"

#define DRAIN_AGE_NS 50000000u /* a few events wait at most so long */

static bool mark_seen(uint64_t *map, uint32_t id)
{
	uint64_t bit = 1ull << id % 64;

	if (map[id / 64] & bit)
		return false;
	map[id / 64] |= bit;
	return true;
}

/* Returns the id, 0 for one that is nobody's. */
static uint32_t name_string(struct tw_pump *pump, uint32_t id)
{
	struct tw_span text;
	uint32_t bytes;

	text.text = tw_string_get(pump->view.arena, id, &bytes);
	if (!text.text)
		return 0;
	text.bytes = bytes;
	if (mark_seen(pump->strings_seen, id))
		tw_spool_meta(&pump->spool, TW_META_STRING, (uint64_t[]){id}, 1, &text,
			      1);
	return id;
}

static uint32_t name_location(struct tw_pump *pump, uint32_t id)
{
	const struct tw_location *l;
	struct tw_location copy;

	if (id >= pump->view.arena->locations_n)
		id = TW_LOCATION_OVERFLOW;
	if (pump->locations_seen[id / 64] & 1ull << id % 64)
		return id;
	l = tw_location_get(pump->view.arena, id);
	if (!l) {
		id = TW_LOCATION_OVERFLOW;
		l = tw_location_get(pump->view.arena, id);
	}
	if (!l || !mark_seen(pump->locations_seen, id))
		return id;
	memcpy(&copy, l, sizeof(copy));
	tw_spool_meta(&pump->spool, TW_META_LOCATION,
		      (uint64_t[]){id, name_string(pump, copy.name),
				   name_string(pump, copy.function),
				   name_string(pump, copy.file), copy.line, copy.colour,
				   copy.layer, copy.is_code},
		      8, NULL, 0);
	return id;
}

/* The number of a slot that an event names as slot + 1; 0 when it is nobody's. */
static uint32_t name_thread(struct tw_pump *pump, uint32_t id)
{
	struct tw_ring *ring;
	uint32_t state;

	if (id > TW_THREADS_MAX)
		return 0;
	ring = tw_arena_thread(pump->view.arena, id - 1);
	state = atomic_load_explicit(&ring->state, memory_order_acquire);
	if (state == TW_SLOT_LIVE || state == TW_SLOT_DEAD)
		tw_pump_meet_thread(pump, id - 1);
	return pump->threads[id - 1].number;
}

static uint32_t name_id(void *context, uint32_t id, enum tw_id_role role)
{
	struct tw_pump *pump = context;

	switch (role) {
	case TW_ID_LOCATION:
		return name_location(pump, id);
	case TW_ID_THREAD:
		return name_thread(pump, id);
	default:
		return name_string(pump, id);
	}
}

/*
 * A fiber's runs are taken in their order, whatever rings they are in. A run that never
 * comes (it was lost) is not waited for longer than a slot that is never committed.
 */
static struct tw_stream_state *enter_fiber(void *context, struct tw_stream_state *self,
					   uint32_t id, uint32_t run)
{
	struct tw_pump *pump = context;
	struct tw_pump_thread *t = tw_pump_owner(self), *fiber;
	uint64_t now = tw_clock_raw_ns();

	if (!id || !name_thread(pump, id))
		return self;
	fiber = &pump->threads[id - 1];
	if (fiber->kind != TW_THREAD_FIBER || fiber->process != t->process)
		return self;
	if ((int32_t)(run - fiber->n_runs) > 0 && !pump->is_burying) {
		if (!t->waiting_ns)
			t->waiting_ns = now;
		if (now - t->waiting_ns < TW_PUMP_STUCK_NS)
			return NULL;
	}
	t->waiting_ns = 0;
	fiber->n_runs = run + 1;
	if (tw_pump_is_running(fiber))
		fiber->carrier->fiber = NULL;
	fiber->carrier = self;
	return &fiber->stream;
}

/* The ring's memory, checked once; the header is the traced program's to scribble on.
 */
static bool find_units(struct tw_pump *pump, struct tw_pump_thread *t,
		       struct tw_ring *ring)
{
	uint32_t first = atomic_load_explicit(&ring->first_unit, memory_order_acquire);
	uint32_t n = ring->n_units;

	if (t->n_units)
		return true;
	if (!first)
		return false;
	if ((n != 1 && n != 4 && n != 16) || (first - 1) % n ||
	    first - 1 + n > pump->view.n_units)
		return false;
	t->first_unit = first - 1;
	t->n_units = n;
	return true;
}

static void wipe(struct tw_record *slots, uint64_t mask, uint64_t from, uint64_t n)
{
	uint64_t at = from & mask;
	uint64_t first = n < mask + 1 - at ? n : mask + 1 - at;

	memset(&slots[at], 0, first * sizeof(*slots));
	memset(&slots[0], 0, (n - first) * sizeof(*slots));
}

/* Is an eighth of the ring waiting? Its last slot tells, without the producer's head.
 */
static bool has_plenty(const struct tw_record *slots, uint64_t mask, uint64_t tail,
		       uint64_t bound)
{
	uint64_t probe = tail + (mask + 1) / 8;
	const struct tw_record *r = &slots[probe & mask];

	/* Not past the bound: looking at a page that nobody used would make it. */
	return probe < bound &&
	       atomic_load_explicit(&r->ticks, memory_order_relaxed) != 0;
}

/*
 * A slot that was claimed and never committed, with later ones committed behind it: its
 * writer left by longjmp out of a signal handler. Waiting for it for ever would stop
 * the thread, so after a while it is stepped over and counted.
 */
static void step_over_stuck(struct tw_pump_thread *t, struct tw_record *slots,
			    uint64_t mask, uint64_t bound, uint64_t now)
{
	uint64_t at = t->stream.tail;
	bool has_later = false;

	for (uint64_t i = at + 1; i < bound && i < at + TW_RING_SLACK && !has_later;
	     i++)
		has_later = atomic_load(&slots[i & mask].ticks) != 0;
	if (!has_later || t->stuck_at != at + 1) {
		t->stuck_at = has_later ? at + 1 : 0;
		t->stuck_ns = now;
		return;
	}
	if (now - t->stuck_ns < TW_PUMP_STUCK_NS)
		return;
	wipe(slots, mask, at, 1);
	t->stream.tail++;
	t->stream.n_damaged++;
	t->stuck_at = 0;
}

bool tw_pump_drain(struct tw_pump *pump, uint32_t index, bool is_forced, bool is_final)
{
	struct tw_ring *ring = tw_arena_thread(pump->view.arena, index);
	struct tw_pump_thread *t = &pump->threads[index];
	struct tw_encoder *e = &pump->encoder;
	struct tw_record *slots;
	uint64_t mask, now, bound, ticks;
	int64_t budget;
	bool has_more = false, is_short;

	if (!find_units(pump, t, ring))
		return false;
	slots = tw_arena_unit(pump->view.arena, t->first_unit);
	mask = (uint64_t)t->n_units * TW_CHUNK_SLOTS - 1;
	now = tw_clock_raw_ns();
	ticks = tw_clock_ticks(pump->view.arena->clock_kind);
	budget = (int64_t)mask + 1;
	bound = atomic_load_explicit(&ring->bound, memory_order_acquire);
	if (bound > t->stream.tail + mask + 1)
		bound = t->stream.tail + mask + 1;
	if (!is_forced && !is_final && now - t->drained_ns < DRAIN_AGE_NS &&
	    !has_plenty(slots, mask, t->stream.tail, bound))
		return false;
	t->drained_ns = now;
	e->bytes = pump->encoder_bytes;
	e->name = name_id;
	e->enter = enter_fiber;
	e->context = pump;
	e->thread = t->number;
	do {
		uint64_t from = t->stream.tail;
		struct tw_pump_thread *owner;

		has_more = tw_encode(e, &t->stream, slots, mask, bound, is_final);
		if (!e->n_slots && !is_final && !e->is_waiting)
			step_over_stuck(t, slots, mask, bound, now);
		wipe(slots, mask, from, e->n_slots);
		atomic_store_explicit(&ring->tail, t->stream.tail,
				      memory_order_release);
		pump->totals.n_events += e->n_events;
		pump->n_slots += e->n_slots;
		if (e->serial_ticks > pump->serial_ticks)
			pump->serial_ticks = e->serial_ticks;
		owner = tw_pump_owner(e->stream);
		if (e->n_events)
			e->sequence = owner->n_blocks++;
		tw_spool_events(&pump->spool, owner->number, e);
		budget -= e->n_slots;
		is_short = has_more && e->used < TW_ENCODE_TARGET;
	} while (has_more && (is_final || (is_short && budget > 0)));
	if (!has_more && !e->is_waiting)
		t->clean_ticks = ticks;
	return has_more;
}

void tw_pump_count(struct tw_pump *pump, uint32_t index)
{
	struct tw_ring *ring = tw_arena_thread(pump->view.arena, index);
	struct tw_pump_thread *t = &pump->threads[index];
	uint64_t ns = atomic_load_explicit(&ring->stall_ns, memory_order_relaxed);
	uint64_t n = atomic_load_explicit(&ring->n_stalls, memory_order_relaxed);

	if (n != t->n_stalls) {
		tw_spool_meta(
			&pump->spool, TW_META_STALL,
			(uint64_t[]){t->number, ns - t->stall_ns, n - t->n_stalls}, 3,
			NULL, 0);
		pump->totals.stall_ns += ns - t->stall_ns;
		pump->totals.n_stalls += n - t->n_stalls;
		t->stall_ns = ns;
		t->n_stalls = n;
	}
	if (t->stream.n_damaged) {
		atomic_fetch_add(&ring->lost[TW_LOSS_DAMAGED], t->stream.n_damaged);
		t->stream.n_damaged = 0;
	}
	for (uint32_t reason = 0; reason < TW_LOSS_COUNT; reason++) {
		uint64_t lost =
			atomic_load_explicit(&ring->lost[reason], memory_order_relaxed);

		if (lost == t->lost[reason])
			continue;
		tw_spool_meta(&pump->spool, TW_META_LOST,
			      (uint64_t[]){t->number, reason, lost - t->lost[reason]},
			      3, NULL, 0);
		pump->totals.lost[reason] += lost - t->lost[reason];
		t->lost[reason] = lost;
	}
}

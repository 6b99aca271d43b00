/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The producer's slow paths: finding ring memory, waiting for the pump or dropping, and
 * everything that is not a plain zone begin or end. Runs on the thread that owns the
 * producer, possibly in a signal handler that interrupted the same code. No malloc.
 */
#include "core/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define WAIT_STEP_NS   100000u	   /* one nap while the ring is full */
#define PUMP_SILENT_NS 2000000000u /* without a beat for so long, the pump is gone */
#define ALIVE_CHECK_NS 10000000u
#define CAGED_WAIT_NS  200000000u /* a thread that may not sleep spins so long */

void tw_producer_init(struct tw_producer *p, const struct tw_view *view, uint32_t index)
{
	memset(p, 0, sizeof(*p));
	p->view = *view;
	p->index = index;
	p->gate = &view->arena->gate;
	p->ring = tw_arena_thread(view->arena, index);
}

static bool is_caged(const struct tw_producer *p)
{
	return p->is_caged && atomic_load_explicit(p->is_caged, memory_order_relaxed);
}

static void count_loss(struct tw_producer *p, enum tw_loss reason)
{
	atomic_fetch_add_explicit(&p->ring->lost[reason], 1, memory_order_relaxed);
}

static bool find_memory(struct tw_producer *p)
{
	uint32_t n;
	int unit;

	if (p->is_finding)
		return false; /* a signal handler, in the middle of the lines below */
	p->is_finding = 1;
	unit = tw_arena_claim_units(&p->view, &n);
	if (unit < 0) {
		p->is_finding = 0;
		return false;
	}
	p->slots = tw_arena_unit(p->view.arena, (uint32_t)unit);
	p->mask = (uint64_t)n * TW_CHUNK_SLOTS - 1;
	p->ring->n_units = n;
	atomic_store_explicit(&p->ring->first_unit, (uint32_t)unit + 1,
			      memory_order_release);
	p->is_finding = 0;
	return true;
}

/*
 * Opens the next chunk. On the first lap its pages are brought in at once: faults one
 * by one cost as much as the events. The first chunk is left to demand: most threads
 * need only a page of it.
 */
static void enter_chunk(struct tw_producer *p, uint64_t boundary)
{
	uint64_t chunk = boundary - TW_CHUNK_SLOTS;

	if (boundary <= p->entered)
		return;
	p->entered = boundary;
	if (chunk && boundary <= p->mask + 1 && !is_caged(p))
		tw_sys_madvise(p->slots + (chunk & p->mask), TW_UNIT_BYTES,
			       MADV_POPULATE_WRITE);
}

static void raise_bound(struct tw_ring *ring, uint64_t bound)
{
	uint64_t old = atomic_load_explicit(&ring->bound, memory_order_relaxed);

	while (old < bound && !atomic_compare_exchange_weak(&ring->bound, &old, bound))
		;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Sets the limits for the free room that `tail` leaves; `need` slots are about to go.
 */
static void set_limits(struct tw_producer *p, uint64_t tail, uint32_t need)
{
	uint64_t size = p->mask + 1;
	uint64_t boundary =
		((p->head + need - 1) / TW_CHUNK_SLOTS + 1) * (uint64_t)TW_CHUNK_SLOTS;
	uint64_t end = least(boundary, tail + size - TW_RING_SLACK);

	raise_bound(p->ring, end + TW_RING_SLACK);
	enter_chunk(p, boundary);
	p->begin_limit = least(boundary, tail + size - TW_RING_SLACK - TW_RING_RESERVE);
	/* While skipped zones are open, each end must look whether it is theirs. */
	p->end_limit = p->n_skipped ? 0 : end;
	if (p->is_adrift)
		p->begin_limit = p->end_limit = 0;
}

static bool pump_is_gone(struct tw_arena *arena)
{
	return atomic_load_explicit(&arena->is_pump_gone, memory_order_relaxed);
}

/* Without system calls: the pump comes by itself every few milliseconds. */
static bool spin_for_pump(struct tw_producer *p, uint64_t tail)
{
	uint64_t start = tw_clock_raw_ns(), now = start;
	bool has_moved = false;

	while (!has_moved && now - start < CAGED_WAIT_NS) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("" : : : "memory");
		has_moved = atomic_load_explicit(&p->ring->tail,
						 memory_order_acquire) != tail;
		now = tw_clock_raw_ns();
	}
	atomic_fetch_add_explicit(&p->ring->stall_ns, now - start,
				  memory_order_relaxed);
	atomic_fetch_add_explicit(&p->ring->n_stalls, 1, memory_order_relaxed);
	return has_moved;
}

/* Naps until the tail moves. False: the pump is gone and nobody should wait for it. */
static bool wait_for_pump(struct tw_producer *p, uint64_t tail)
{
	struct tw_arena *arena = p->view.arena;
	uint64_t start = tw_clock_raw_ns();
	uint64_t last_beat_ns = start, last_check_ns = start, now = start;
	uint32_t beat = atomic_load_explicit(&arena->beat, memory_order_relaxed);
	bool is_there = true;

	if (is_caged(p))
		return spin_for_pump(p, tail);
	while (is_there &&
	       atomic_load_explicit(&p->ring->tail, memory_order_acquire) == tail) {
		uint32_t new_beat;

		tw_arena_kick(arena);
		tw_sys_sleep_ns(WAIT_STEP_NS);
		now = tw_clock_raw_ns();
		new_beat = atomic_load_explicit(&arena->beat, memory_order_relaxed);
		if (new_beat != beat)
			last_beat_ns = now;
		beat = new_beat;
		if (now - last_check_ns > ALIVE_CHECK_NS) {
			int pid = atomic_load_explicit(&arena->pump_pid,
						       memory_order_relaxed);

			last_check_ns = now;
			is_there = !pid || tw_sys_kill(pid, 0) != -ESRCH;
		}
		if (now - last_beat_ns > PUMP_SILENT_NS || pump_is_gone(arena))
			is_there = false;
	}
	if (!is_there)
		atomic_store(&arena->is_pump_gone, 1);
	atomic_fetch_add_explicit(&p->ring->stall_ns, now - start,
				  memory_order_relaxed);
	atomic_fetch_add_explicit(&p->ring->n_stalls, 1, memory_order_relaxed);
	return is_there;
}

/*
 * Makes room for `need` slots, leaving `reserve` free behind them. Waits for the pump
 * unless told to drop. Returns false, with the loss counted, when there is none.
 */
static bool make_room(struct tw_producer *p, uint32_t need, uint32_t reserve)
{
	struct tw_arena *arena = p->view.arena;

	if (p->is_closed) {
		count_loss(p, TW_LOSS_THREAD_GONE);
		return false;
	}
	if (!p->slots && !find_memory(p)) {
		count_loss(p, TW_LOSS_NO_RING);
		return false;
	}
	for (;;) {
		uint64_t tail =
			atomic_load_explicit(&p->ring->tail, memory_order_acquire);
		uint64_t size = p->mask + 1;

		/* A quarter full: the pump should come, unless it is on its way. */
		if (p->head - tail > size / 4 && p->head - p->kicked > size / 4) {
			p->kicked = p->head;
			if (!is_caged(p))
				tw_arena_kick(arena);
		}
		if (p->head + need + reserve + TW_RING_SLACK <= tail + size) {
			set_limits(p, tail, need);
			return true;
		}
		if (arena->is_dropping) {
			count_loss(p, TW_LOSS_RING_FULL);
			return false;
		}
		if (pump_is_gone(arena) || !wait_for_pump(p, tail)) {
			count_loss(p, TW_LOSS_PUMP_GONE);
			return false;
		}
	}
}

static void skip_zone(struct tw_producer *p)
{
	uint32_t d = p->depth++;

	if (d < TW_DEPTH_TRACKED)
		p->skipped[d / 64] |= 1ull << d % 64;
	p->n_skipped++;
	p->end_limit = 0;
}

/* Is the zone at depth d one that was not recorded? */
static bool zone_is_skipped(const struct tw_producer *p, uint32_t d)
{
	if (!p->n_skipped)
		return false;
	/* Below the tracked depth a skipped zone makes all zones under it skipped. */
	if (d >= TW_DEPTH_TRACKED)
		return true;
	return p->skipped[d / 64] & 1ull << d % 64;
}

void tw_producer_begin_slow(struct tw_producer *p, uint32_t location)
{
	bool is_open = atomic_load_explicit(p->gate, memory_order_relaxed);
	bool is_lost_below = p->n_skipped && p->depth >= TW_DEPTH_TRACKED;

	if (!is_open || is_lost_below || p->is_adrift ||
	    !make_room(p, 1, TW_RING_RESERVE)) {
		skip_zone(p);
		return;
	}
	tw_producer_put(p, tw_clock_ticks(p->view.arena->clock_kind),
			TW_EVENT_ZONE_BEGIN, location);
	p->depth++;
}

void tw_producer_end_slow(struct tw_producer *p)
{
	if (!p->depth)
		return; /* an end too many: the program's, not ours to record */
	if (zone_is_skipped(p, p->depth - 1)) {
		uint32_t d = --p->depth;

		if (d < TW_DEPTH_TRACKED)
			p->skipped[d / 64] &= ~(1ull << d % 64);
		p->n_skipped--;
		return;
	}
	/* Adrift, the pump sees from the next switch's depth that a zone has ended. */
	if (!p->is_adrift && make_room(p, 1, 0))
		tw_producer_put(p, tw_clock_ticks(p->view.arena->clock_kind),
				TW_EVENT_ZONE_END, 0);
	p->depth--;
}

void tw_producer_unwind(struct tw_producer *p, uint32_t depth)
{
	while (p->depth > depth)
		tw_producer_end_slow(p);
}

static const uint8_t rules[TW_EVENT_COUNT] = {
#define TW_X(number, name, id, payload, rule) [number] = rule,
	TW_EVENT_KINDS(TW_X)
#undef TW_X
};

/* May an event of this kind be recorded now? */
static bool is_wanted(const struct tw_producer *p, enum tw_event_kind kind)
{
	switch (rules[kind]) {
	case TW_IN_ZONE:
		return p->depth && !p->is_adrift && !zone_is_skipped(p, p->depth - 1);
	case TW_GATED:
		return !p->is_adrift &&
		       atomic_load_explicit(p->gate, memory_order_relaxed);
	default:
		return true;
	}
}

static void copy_payload(struct tw_producer *p, uint64_t slot, const void *payload,
			 size_t bytes)
{
	uint64_t at = slot & p->mask;
	size_t room = (p->mask + 1 - at) * sizeof(struct tw_record);
	size_t first = bytes < room ? bytes : room;

	memcpy(&p->slots[at], payload, first);
	memcpy(&p->slots[0], (const char *)payload + first, bytes - first);
}

/* Writes an event with payload; there must be room for it. */
static void put_long(struct tw_producer *p, uint64_t ticks, enum tw_event_kind kind,
		     uint32_t id, const void *payload, size_t bytes)
{
	uint64_t slot = tw_producer_claim(p, tw_record_slots((uint32_t)bytes));
	struct tw_record *r = &p->slots[slot & p->mask];
	uint64_t word = (uint64_t)kind << 48 | (uint64_t)bytes << 32 | id;

	memcpy(&r->id, &word, sizeof(word));
	/* Size before payload, payload before ticks: see struct tw_record. */
	atomic_signal_fence(memory_order_seq_cst);
	copy_payload(p, slot + 1, payload, bytes);
	tw_record_commit(r, ticks);
}

void tw_producer_push(struct tw_producer *p, enum tw_event_kind kind, uint32_t id,
		      const void *payload, size_t bytes)
{
	uint32_t n;

	if (!is_wanted(p, kind))
		return;
	if (bytes > TW_PAYLOAD_MAX) {
		bytes = TW_PAYLOAD_MAX;
		count_loss(p, TW_LOSS_TEXT_CUT);
	}
	n = tw_record_slots((uint32_t)bytes);
	if (p->head + n > p->begin_limit && !make_room(p, n, TW_RING_RESERVE))
		return;
	put_long(p, tw_clock_ticks(p->view.arena->clock_kind), kind, id, payload,
		 bytes);
}

void tw_producer_begin_stack(struct tw_producer *p, uint32_t location,
			     const uint32_t *frames, uint32_t n_frames)
{
	size_t bytes = n_frames * sizeof(*frames);
	uint32_t n = tw_record_slots((uint32_t)bytes) + 1;
	uint64_t ticks;

	if (!n_frames || bytes > TW_PAYLOAD_MAX || !is_wanted(p, TW_EVENT_STACK) ||
	    (p->n_skipped && p->depth >= TW_DEPTH_TRACKED) ||
	    !make_room(p, n, TW_RING_RESERVE)) {
		tw_producer_begin_slow(p, location);
		return;
	}
	ticks = tw_clock_ticks(p->view.arena->clock_kind);
	put_long(p, ticks, TW_EVENT_STACK, 0, frames, bytes);
	tw_producer_put(p, ticks, TW_EVENT_ZONE_BEGIN, location);
	p->depth++;
}

static void swap_zones(struct tw_producer *a, struct tw_producer *b)
{
	uint32_t depth = a->depth, n_skipped = a->n_skipped;

	if (n_skipped || b->n_skipped)
		for (uint32_t i = 0; i < TW_DEPTH_TRACKED / 64; i++) {
			uint64_t word = a->skipped[i];

			a->skipped[i] = b->skipped[i];
			b->skipped[i] = word;
		}
	a->depth = b->depth;
	b->depth = depth;
	a->n_skipped = b->n_skipped;
	b->n_skipped = n_skipped;
}

/* A switch that finds no room: until the next one, nothing is anybody's. */
static void record_switch(struct tw_producer *p, enum tw_event_kind kind, uint32_t id,
			  uint32_t run)
{
	struct tw_switch payload = {.run = run, .depth = p->depth - p->n_skipped};
	uint32_t n = tw_record_slots(sizeof(payload));

	p->is_adrift = p->head + n > p->begin_limit && !make_room(p, n, 0);
	if (!p->is_adrift)
		put_long(p, tw_clock_ticks(p->view.arena->clock_kind), kind, id,
			 &payload, sizeof(payload));
	else
		p->begin_limit = 0;
	if (p->is_adrift || p->n_skipped)
		p->end_limit = 0;
}

void tw_producer_enter(struct tw_producer *p, struct tw_producer *fiber)
{
	uint32_t run;

	if (p->fiber == fiber || fiber->carrier)
		return;
	if (p->fiber)
		tw_producer_leave(p);
	swap_zones(p, fiber);
	p->fiber = fiber;
	fiber->carrier = p;
	run = atomic_fetch_add_explicit(&fiber->ring->n_runs, 1, memory_order_relaxed);
	record_switch(p, TW_EVENT_FIBER_ENTER, fiber->index + 1, run);
}

void tw_producer_leave(struct tw_producer *p)
{
	struct tw_producer *fiber = p->fiber;

	if (!fiber)
		return;
	swap_zones(p, fiber);
	p->fiber = NULL;
	record_switch(p, TW_EVENT_FIBER_LEAVE, 0, 0);
	fiber->carrier = NULL;
}

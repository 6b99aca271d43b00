/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The producer's half of a ring: how an event gets from a hook into shared memory.
 *
 * One thread writes, the pump reads. A push is: read the clock, claim a slot by one
 * instruction, fill it, store its ticks last. Signal handlers may push in the middle of
 * a push of their own thread: the claim is a single instruction, and the pump takes a
 * slot only when its ticks are not zero. A slot's place is its number modulo the ring's
 * size.
 *
 * All state of the hot path is in struct tw_producer, in memory that the kernel wipes
 * in a fork's child (MADV_WIPEONFORK), however the child was made: its limits are then
 * zero and its first event takes the slow path, which notices.
 *
 * Balance: a zone begin that is not recorded (gate closed, ring full with --drop)
 * marks its depth in `skipped`, and its end, text, name, colour and value are not
 * recorded either. Ends of recorded zones always find room: begins leave
 * TW_RING_RESERVE slots.
 */
#ifndef TW_RING_H
#define TW_RING_H

#include "core/arena.h"

#define TW_CHUNK_SLOTS	 (TW_UNIT_BYTES / (uint32_t)sizeof(struct tw_record))
#define TW_RING_SLACK	 64u   /* claims by nested signal handlers past a limit */
#define TW_RING_RESERVE	 1024u /* slots that only zone ends may use */
#define TW_DEPTH_TRACKED 1024u

struct tw_producer {
	_Alignas(TW_CACHE_LINE) uint64_t head; /* next slot number */
	uint64_t
		begin_limit; /* slots at or past it: slow path, for begins and others */
	uint64_t end_limit;  /* the same for zone ends */
	struct tw_record *slots;
	uint64_t mask;
	_Atomic uint32_t *gate;
	uint32_t depth;	    /* zones open on this thread, recorded or not */
	uint32_t n_skipped; /* of them, how many are not recorded */
	struct tw_ring *ring;

	_Alignas(TW_CACHE_LINE) struct tw_view view;
	/* Set while system calls could kill the program (seccomp); NULL = never. */
	const _Atomic uint32_t *is_caged;
	uint64_t kicked;     /* head at the last kick of the pump */
	uint64_t entered;    /* end of the last chunk that was brought in */
	uint32_t index;	     /* of the thread slot */
	uint32_t is_closed;  /* the thread is ending: no more events */
	uint32_t is_finding; /* ring memory is being looked for: a handler must not */
	uint32_t is_adrift;  /* a fiber switch was lost: nothing is recorded until the
			      * next */
	struct tw_producer *fiber;   /* whose zones are in depth and skipped now */
	struct tw_producer *carrier; /* of a fiber: who runs it */
	uintptr_t start_routine; /* of a thread that is being born (preload/thread.c) */
	uintptr_t start_argument;
	size_t start_stack_bytes; /* 0 = not known */
	uint64_t skipped[TW_DEPTH_TRACKED /
			 64]; /* bit d: zone at depth d not recorded */
};

/* Sets up a producer over a claimed thread slot; ring memory comes with the first
 * event. */
void tw_producer_init(struct tw_producer *p, const struct tw_view *view,
		      uint32_t index);

/* The slow paths. Each returns with the event recorded, skipped or counted as lost. */
void tw_producer_begin_slow(struct tw_producer *p, uint32_t location);
void tw_producer_end_slow(struct tw_producer *p);

/*
 * Pushes any event but begin and end. Events that belong to a zone are dropped with it.
 * Payload longer than TW_PAYLOAD_MAX is cut (counted).
 */
void tw_producer_push(struct tw_producer *p, enum tw_event_kind kind, uint32_t id,
		      const void *payload, size_t bytes);

/* Zone begin with a call stack (locations, innermost frame first). */
void tw_producer_begin_stack(struct tw_producer *p, uint32_t location,
			     const uint32_t *frames, uint32_t n_frames);

/*
 * From here on this thread's events are the fiber's, until it leaves or enters another.
 * `fiber` is a producer without a ring of its own, set up over a slot of kind
 * TW_THREAD_FIBER; while it does not run it keeps its open zones, and while it runs
 * those of the thread. A fiber that another thread runs is not entered.
 */
void tw_producer_enter(struct tw_producer *p, struct tw_producer *fiber);
void tw_producer_leave(struct tw_producer *p);

/* Ends zones until only `depth` are open: what a longjmp left behind. */
void tw_producer_unwind(struct tw_producer *p, uint32_t depth);

/* Claims n slots; safe against signal handlers of the same thread. */
static inline uint64_t tw_producer_claim(struct tw_producer *p, uint64_t n)
{
#if defined(__x86_64__)
	/* One instruction, so a signal cannot split it; no lock prefix: one thread. */
	__asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(p->head) : : "cc");
	return n;
#else
	return __atomic_fetch_add(&p->head, n, __ATOMIC_RELAXED);
#endif
}

static inline void tw_record_commit(struct tw_record *r, uint64_t ticks)
{
	atomic_store_explicit(&r->ticks, ticks, memory_order_release);
}

static inline void tw_producer_put(struct tw_producer *p, uint64_t ticks, uint8_t kind,
				   uint32_t id)
{
	struct tw_record *r = &p->slots[tw_producer_claim(p, 1) & p->mask];
	/* One store for id, size and kind: fields of a slot share its second word. */
	uint64_t word = (uint64_t)kind << 48 | id;

	__builtin_memcpy(&r->id, &word, sizeof(word));
	tw_record_commit(r, ticks);
}

/*
 * Zone begin: the hot path. False: nothing was done, call tw_producer_begin_slow. Also
 * right on a wiped or never set up producer: its limits are zero.
 */
static inline bool tw_producer_begin(struct tw_producer *p, enum tw_clock_kind clock,
				     uint32_t location)
{
	if (__builtin_expect(p->head >= p->begin_limit, 0) ||
	    __builtin_expect(!atomic_load_explicit(p->gate, memory_order_relaxed), 0))
		return false;
	tw_producer_put(p, tw_clock_ticks(clock), TW_EVENT_ZONE_BEGIN, location);
	p->depth++;
	return true;
}

/*
 * Zone end: the hot path; at least one zone must be open. No gate: a begin that was
 * recorded gets its end. False: nothing was done, call tw_producer_end_slow.
 */
static inline bool tw_producer_end(struct tw_producer *p, enum tw_clock_kind clock)
{
	if (__builtin_expect(p->head >= p->end_limit, 0))
		return false;
	tw_producer_put(p, tw_clock_ticks(clock), TW_EVENT_ZONE_END, 0);
	p->depth--;
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharing out the arena's process slots, thread slots and ring units (arena.h). Claims
 * run in producers (birth of a process or thread), frees in the pump. Lock-free: each
 * step is one compare-and-swap, so a killed claimant loses at most its one slot.
 */
#include "core/arena.h"

#define RINGS_LEAST 16u /* a buffer serves so many threads at least, if it can */

/* Reused slots first: memory that was touched once stays touched. */
static int pop(tw_stack_head *head, uint32_t *(*next_of)(struct tw_arena *, uint32_t),
	       struct tw_arena *arena, uint32_t n_max)
{
	uint64_t old = atomic_load_explicit(head, memory_order_acquire);

	for (;;) {
		uint32_t i = (uint32_t)old;
		uint64_t next;

		if (!i || i > n_max)
			return -1;
		next = (old >> 32) + 1;
		next = next << 32 |
		       __atomic_load_n(next_of(arena, i - 1), __ATOMIC_RELAXED);
		if (atomic_compare_exchange_weak_explicit(head, &old, next,
							  memory_order_acq_rel,
							  memory_order_acquire))
			return (int)i - 1;
	}
}

static void push(tw_stack_head *head, uint32_t *next, uint32_t i)
{
	uint64_t old = atomic_load_explicit(head, memory_order_relaxed);
	uint64_t new;

	do {
		__atomic_store_n(next, (uint32_t)old, __ATOMIC_RELAXED);
		new = ((old >> 32) + 1) << 32 | (i + 1);
	} while (!atomic_compare_exchange_weak_explicit(
		head, &old, new, memory_order_acq_rel, memory_order_relaxed));
}

/* A slot that was never used, or -1. */
static int take_fresh(_Atomic uint32_t *next, uint32_t n_max)
{
	uint32_t i = atomic_load_explicit(next, memory_order_relaxed);

	while (i < n_max)
		if (atomic_compare_exchange_weak(next, &i, i + 1))
			return (int)i;
	return -1;
}

static uint32_t *proc_next(struct tw_arena *arena, uint32_t i)
{
	return &tw_arena_proc(arena, i)->next;
}

static uint32_t *thread_next(struct tw_arena *arena, uint32_t i)
{
	return &tw_arena_thread(arena, i)->next;
}

int tw_arena_claim_proc(struct tw_arena *arena)
{
	int i = pop(&arena->free_procs, proc_next, arena, TW_PROCS_MAX);

	if (i < 0)
		i = take_fresh(&arena->next_proc, TW_PROCS_MAX);
	if (i >= 0)
		atomic_store(&tw_arena_proc(arena, (uint32_t)i)->state,
			     TW_SLOT_CLAIMED);
	return i;
}

int tw_arena_claim_thread(struct tw_arena *arena)
{
	int i = pop(&arena->free_threads, thread_next, arena, TW_THREADS_MAX);

	if (i < 0)
		i = take_fresh(&arena->next_thread, TW_THREADS_MAX);
	if (i >= 0)
		atomic_store(&tw_arena_thread(arena, (uint32_t)i)->state,
			     TW_SLOT_CLAIMED);
	return i;
}

void tw_arena_free_proc(struct tw_arena *arena, uint32_t i)
{
	atomic_store(&tw_arena_proc(arena, i)->state, TW_SLOT_FREE);
	push(&arena->free_procs, proc_next(arena, i), i);
}

void tw_arena_free_thread(struct tw_arena *arena, uint32_t i)
{
	atomic_store(&tw_arena_thread(arena, i)->state, TW_SLOT_FREE);
	push(&arena->free_threads, thread_next(arena, i), i);
}

/* Takes n units, aligned to n, from one word of the map; n divides 64. */
static int claim_run(struct tw_view *view, uint32_t n)
{
	uint64_t run = n == 64 ? ~0ull : (1ull << n) - 1;

	for (uint32_t word = 0; word * 64 < view->n_units; word++) {
		_Atomic uint64_t *map = &view->arena->unit_map[word];
		uint64_t used = atomic_load_explicit(map, memory_order_relaxed);

		for (uint32_t bit = 0; bit < 64; bit += n) {
			if (word * 64 + bit + n > view->n_units)
				return -1;
			while (!(used & run << bit))
				if (atomic_compare_exchange_weak(map, &used,
								 used | run << bit))
					return (int)(word * 64 + bit);
		}
	}
	return -1;
}

int tw_arena_claim_units(struct tw_view *view, uint32_t *n)
{
	static const uint32_t sizes[] = {16, 4, 1};
	uint32_t used =
		atomic_load_explicit(&view->arena->units_used, memory_order_relaxed);
	/* Half the buffer goes to large rings, half of the rest to middle ones. */
	size_t i = used < view->n_units / 2 ? 0 : used < view->n_units / 4 * 3 ? 1 : 2;

	/* However small the buffer, the first threads must not take all of it. */
	while (sizes[i] > 1 && sizes[i] * RINGS_LEAST > view->n_units)
		i++;
	for (; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int unit = claim_run(view, sizes[i]);

		if (unit < 0)
			continue;
		*n = sizes[i];
		atomic_fetch_add(&view->arena->units_used, sizes[i]);
		return unit;
	}
	return -1;
}

void tw_arena_free_units(struct tw_arena *arena, uint32_t first, uint32_t n)
{
	uint64_t run = n == 64 ? ~0ull : (1ull << n) - 1;

	atomic_fetch_and(&arena->unit_map[first / 64], ~(run << first % 64));
	atomic_fetch_sub(&arena->units_used, n);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See slot.h. */
#include "slot.h"

#include <string.h>

#include "core/intern.h"
#include "self.h"

uint32_t tw_slot_new(enum tw_thread_kind kind, uint32_t parent, const char *name)
{
	struct tw_arena *arena;
	struct tw_ring *ring;
	int i;

	if (!tw_start() || !tw_self_join())
		return 0;
	arena = tw_self.view.arena;
	i = tw_arena_claim_thread(arena);
	if (i < 0) {
		static const char words[] = "no room for more fibers or device tracks";

		tw_arena_note(arena, words, sizeof(words) - 1);
		return 0;
	}
	ring = tw_arena_thread(arena, (uint32_t)i);
	ring->process = tw_self.life->process;
	ring->tid = 0;
	ring->kind = kind;
	ring->parent = parent;
	ring->start_ticks = tw_clock_ticks(tw_self.clock);
	atomic_store(&ring->name,
		     name ? tw_intern_string(arena, name, strlen(name)) : 0);
	tw_producer_init(&tw_self.producers[i], &tw_self.view, (uint32_t)i);
	atomic_store_explicit(&ring->state, TW_SLOT_LIVE, memory_order_release);
	return (uint32_t)i + 1;
}

bool tw_slot_is(uint32_t handle, enum tw_thread_kind kind)
{
	struct tw_ring *ring;

	if (!handle || handle > TW_THREADS_MAX || !tw_start() || !tw_self_join())
		return false;
	ring = tw_arena_thread(tw_self.view.arena, handle - 1);
	return atomic_load_explicit(&ring->state, memory_order_acquire) ==
		       TW_SLOT_LIVE &&
	       ring->kind == (uint32_t)kind && ring->process == tw_self.life->process &&
	       tw_self.producers[handle - 1].ring;
}

void tw_slot_free(uint32_t handle)
{
	struct tw_producer *slot = &tw_self.producers[handle - 1];
	struct tw_ring *ring = slot->ring;

	if (slot->carrier == tw_thread_producer)
		tw_producer_leave(tw_thread_producer);
	ring->end_ticks = tw_clock_ticks(tw_self.clock);
	atomic_store_explicit(&ring->state, TW_SLOT_DEAD, memory_order_release);
}

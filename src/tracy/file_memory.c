/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in a `.tracy` file that is being made: a row an allocation, with its end if it
 * has one, by pool and time. Sorted by address first, so that allocation and free stand
 * next to each other however much is live at once; then by time. Viewers draw a pool's
 * size from this by themselves.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"

#define NEVER UINT64_MAX /* when what is still there is freed */

int tw_tracy_memory_add(struct tw_tracy_plan *plan, const struct tw_event *event,
			const struct tw_memory_block *block)
{
	struct tw_tracy_series_set *set = &plan->pools;
	struct tw_tracy_series *pool =
		tw_tracy_series_find(plan, set, event->id, event->thread->process);
	bool is_free = event->kind == TW_EVENT_MEMORY_FREE;

	if (!pool) {
		plan->n_left_out++;
		return 0;
	}
	pool->n++;
	plan->threads[event->thread->number].is_referred_to = true;
	return tw_sorter_add(
		&plan->memory.events,
		(struct tw_sort_item){.key = (uint32_t)(pool - set->series),
				      .ns = block->address,
				      .then = tw_tracy_time(event->ns),
				      .value = is_free,
				      .id = block->bytes,
				      .from = event->thread->number});
}

/* An allocation and its end, if `free_ns` says so. */
static int add_block(struct tw_tracy_plan *plan, const struct tw_sort_item *from,
		     uint64_t free_ns, uint32_t free_thread)
{
	struct tw_tracy_pool *pool = &plan->memory.pools[from->key];
	uint64_t end = from->ns + from->id;

	if (pool->n++ == 0 || from->ns < pool->low)
		pool->low = from->ns;
	if (end > pool->high && end >= from->ns)
		pool->high = end;
	if (free_ns == NEVER) {
		pool->n_live++;
		pool->live_bytes += from->id;
	} else if (free_ns <= from->then) {
		/* Viewers count a free before an allocation of the same nanosecond. */
		free_ns = from->then + 1;
	}
	plan->memory.n_blocks++;
	return tw_sorter_add(&plan->memory.blocks,
			     (struct tw_sort_item){.key = from->key,
						   .ns = from->then,
						   .then = free_ns,
						   .value = from->ns,
						   .id = from->id,
						   .from = from->from,
						   .to = free_thread});
}

/* `open` is the allocation that `item` follows in the order of address and time. */
static int pair(struct tw_tracy_plan *plan, struct tw_sort_item *open, bool *is_open,
		const struct tw_sort_item *item)
{
	bool is_same = *is_open && open->key == item->key && open->ns == item->ns;
	int error = 0;

	if (item->value) {
		plan->n_left_out += !is_same; /* allocated before recording, or lost */
		if (is_same) {
			*is_open = false;
			error = add_block(plan, open, item->then, item->from);
		}
		return error;
	}
	if (is_same) {
		plan->n_mended++;
		error = add_block(plan, open, item->then, item->from);
	} else if (*is_open) {
		error = add_block(plan, open, NEVER, 0);
	}
	*open = *item;
	*is_open = true;
	return error;
}

int tw_tracy_memory_finish(struct tw_tracy_plan *plan)
{
	struct tw_tracy_memory *m = &plan->memory;
	struct tw_sort_item item, open;
	bool is_open = false;
	int more, error = tw_sorter_sort(&m->events);

	m->pools = calloc(plan->pools.n, sizeof(*m->pools));
	if (!m->pools)
		return -ENOMEM;
	if (error)
		return error;
	while (!error && (more = tw_sorter_next(&m->events, &item)) != 0)
		error = more < 0 ? more : pair(plan, &open, &is_open, &item);
	if (!error && is_open)
		error = add_block(plan, &open, NEVER, 0);
	tw_sorter_free(&m->events);
	return error ? error : tw_sorter_sort(&m->blocks);
}

static void put_block(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		      const struct tw_sort_item *block, uint64_t *ns)
{
	bool is_freed = block->then != NEVER;

	tw_tracy_u64(out, block->value);
	tw_tracy_u64(out, block->id);
	tw_tracy_zeros(out, 3 + 3); /* callstacks */
	tw_tracy_u64(out, block->ns - *ns);
	*ns = block->ns;
	tw_tracy_u64(out, is_freed ? block->then - block->ns : UINT64_MAX);
	tw_tracy_u16(out, plan->threads[block->from].short_number);
	tw_tracy_u16(out, is_freed ? plan->threads[block->to].short_number : 0);
}

int tw_tracy_write_memory(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_memory *m = &plan->memory;
	struct tw_sort_item next;
	int more = tw_sorter_next(&m->blocks, &next);

	tw_tracy_u64(out, plan->pools.n);
	tw_tracy_u64(out, m->n_blocks);
	for (uint32_t i = 0; i < plan->pools.n && more >= 0; i++) {
		const struct tw_tracy_pool *pool = &m->pools[i];
		uint64_t ns = 0;

		tw_tracy_u64(out, TW_TRACY_POOL_KEY(i));
		tw_tracy_u64(out, pool->n);
		tw_tracy_u64(out, pool->n_live);
		tw_tracy_u64(out, pool->n - pool->n_live);
		while (more > 0 && next.key == i) {
			put_block(plan, out, &next, &ns);
			more = tw_sorter_next(&m->blocks, &next);
		}
		tw_tracy_u64(out, pool->high);
		tw_tracy_u64(out, pool->low);
		tw_tracy_u64(out, pool->live_bytes);
		tw_tracy_u64(out, TW_TRACY_POOL_KEY(i));
	}
	return more < 0 ? more : 0;
}

void tw_tracy_memory_free(struct tw_tracy_memory *m)
{
	tw_sorter_free(&m->events);
	tw_sorter_free(&m->blocks);
	free(m->pools);
}

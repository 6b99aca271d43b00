/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in a `.tracy` file that is being made: a row an allocation, with its end if it
 * has one, by pool and time. Viewers draw a pool's size from this by themselves.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"

int tw_tracy_memory_add(struct tw_tracy_plan *plan, const struct tw_event *event,
			const struct tw_memory_block *block)
{
	struct tw_tracy_series_set *set = &plan->pools;
	struct tw_tracy_series *pool =
		tw_tracy_series_find(plan, set, event->id, event->thread->process);

	if (!pool) {
		plan->n_left_out++;
		return 0;
	}
	pool->n++;
	plan->threads[event->thread->number].is_referred_to = true;
	return tw_blocks_add(&plan->memory.pairs, (uint32_t)(pool - set->series), event,
			     block);
}

static int on_life(void *context, const struct tw_block_life *life)
{
	struct tw_tracy_plan *plan = context;
	struct tw_tracy_pool *pool = &plan->memory.pools[life->pool];
	uint64_t end = life->address + life->bytes;
	bool is_freed = life->free_ns != TW_BLOCK_NEVER;

	if (pool->n++ == 0 || life->address < pool->low)
		pool->low = life->address;
	if (end > pool->high && end >= life->address)
		pool->high = end;
	if (!is_freed) {
		pool->n_live++;
		pool->live_bytes += life->bytes;
	}
	plan->memory.n_blocks++;
	return tw_sorter_add(
		&plan->memory.blocks,
		(struct tw_sort_item){.key = life->pool,
				      .ns = tw_tracy_time(life->ns),
				      .then = is_freed ? tw_tracy_time(life->free_ns)
						       : TW_BLOCK_NEVER,
				      .value = life->address,
				      .id = life->bytes,
				      .from = life->thread,
				      .to = life->free_thread});
}

int tw_tracy_memory_finish(struct tw_tracy_plan *plan)
{
	struct tw_tracy_memory *m = &plan->memory;
	int error;

	m->pools = calloc(plan->pools.n, sizeof(*m->pools));
	if (!m->pools)
		return -ENOMEM;
	error = tw_blocks_pair(&m->pairs, on_life, plan);
	plan->n_mended += m->pairs.n_mended;
	plan->n_left_out += m->pairs.n_left_out;
	return error ? error : tw_sorter_sort(&m->blocks);
}

static void put_block(const struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		      const struct tw_sort_item *block, uint64_t *ns)
{
	bool is_freed = block->then != TW_BLOCK_NEVER;

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
	tw_blocks_free(&m->pairs);
	tw_sorter_free(&m->blocks);
	free(m->pools);
}

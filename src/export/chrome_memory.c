/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in the form `.json`: a counter of live bytes for each pool of each process. A
 * free does not say its size, and events of several threads come in any order: blocks
 * are put together first (blocks.h), then their begins and ends are counted in the
 * order of time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/chrome_private.h"

/* The pool's number, made if need be; UINT32_MAX without memory. */
static uint32_t pool_of(struct tw_chrome *c, uint32_t name,
			const struct tw_process *process)
{
	struct tw_chrome_pool *pools;

	for (uint32_t i = c->n_pools; i > 0; i--)
		if (c->pools[i - 1].name == name && c->pools[i - 1].process == process)
			return i - 1;
	pools = realloc(c->pools, (c->n_pools + 1) * sizeof(*pools));
	if (!pools)
		return UINT32_MAX;
	c->pools = pools;
	pools[c->n_pools] = (struct tw_chrome_pool){name, process};
	return c->n_pools++;
}

int tw_chrome_on_memory(void *context, const struct tw_event *event,
			struct tw_slice name, const struct tw_memory_block *block)
{
	struct tw_chrome *c = context;
	uint32_t pool = pool_of(c, event->id, event->thread->process);

	(void)name;
	if (pool == UINT32_MAX)
		return -ENOMEM;
	return tw_blocks_add(&c->blocks, pool, event, block);
}

/* Grows at its begin, shrinks at its end. */
static int on_life(void *context, const struct tw_block_life *life)
{
	struct tw_sorter *steps = context;
	struct tw_sort_item item = {
		.key = life->pool, .ns = life->ns, .value = life->bytes};
	int error = tw_sorter_add(steps, item);

	if (error || life->free_ns == TW_BLOCK_NEVER)
		return error;
	item.ns = life->free_ns;
	item.value = 0 - life->bytes;
	return tw_sorter_add(steps, item);
}

static void put_step(struct tw_chrome *c, const struct tw_chrome_pool *pool,
		     uint64_t ns, uint64_t live_bytes)
{
	struct tw_slice name = tw_timeline_string(c->timeline, pool->name);
	char words[512] = "memory";

	if (name.n_bytes)
		snprintf(words, sizeof(words), "memory: %.*s",
			 (int)(name.n_bytes < 480 ? name.n_bytes : 480), name.text);
	tw_chrome_next(c);
	tw_chrome_text(
		c->w, "{\"ph\":\"C\",\"cat\":\"memory\",\"name\":", tw_slice_of(words));
	tw_writer_text(c->w, ",\"ts\":");
	tw_writer_us(c->w, ns);
	tw_chrome_number(c->w, ",\"pid\":", tw_chrome_pid(pool->process));
	tw_chrome_number(c->w, ",\"args\":{\"bytes\":", live_bytes);
	tw_writer_text(c->w, "}}");
}

int tw_chrome_put_memory(struct tw_chrome *c)
{
	struct tw_sorter steps;
	struct tw_sort_item item;
	uint64_t live_bytes = 0;
	uint32_t pool = 0;
	int more = 0, error;

	tw_sorter_init(&steps);
	error = tw_blocks_pair(&c->blocks, on_life, &steps);
	if (!error)
		error = tw_sorter_sort(&steps);
	while (!error && (more = tw_sorter_next(&steps, &item)) > 0) {
		if (item.key != pool)
			live_bytes = 0;
		pool = item.key;
		live_bytes += item.value;
		put_step(c, &c->pools[pool], item.ns, live_bytes);
		error = c->w->error;
	}
	c->n_unpaired += c->blocks.n_left_out + c->blocks.n_mended;
	tw_sorter_free(&steps);
	return more < 0 ? more : error;
}

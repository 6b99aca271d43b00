/* SPDX-License-Identifier: BSD-3-Clause */
/* See blocks.h. */
#include "export/blocks.h"

void tw_blocks_init(struct tw_blocks *b)
{
	*b = (struct tw_blocks){0};
	tw_sorter_init(&b->events);
}

void tw_blocks_free(struct tw_blocks *b)
{
	tw_sorter_free(&b->events);
}

int tw_blocks_add(struct tw_blocks *b, uint32_t pool, const struct tw_event *event,
		  const struct tw_memory_block *block)
{
	return tw_sorter_add(
		&b->events,
		(struct tw_sort_item){.key = pool,
				      .ns = block->address,
				      .then = event->ns,
				      .value = event->kind == TW_EVENT_MEMORY_FREE,
				      .id = block->bytes,
				      .from = event->thread->number});
}

/* The block that has begun and whose end is looked for. */
struct pairing {
	struct tw_blocks *blocks;
	int (*life)(void *context, const struct tw_block_life *life);
	void *context;
	struct tw_block_life open;
	bool is_open;
};

static int end(struct pairing *p, uint64_t ns, uint32_t thread)
{
	p->is_open = false;
	p->open.free_ns = ns;
	p->open.free_thread = thread;
	/* Viewers count a free before an allocation of the same nanosecond. */
	if (ns <= p->open.ns)
		p->open.free_ns = p->open.ns + 1;
	return p->life(p->context, &p->open);
}

static int add(struct pairing *p, const struct tw_sort_item *item)
{
	bool is_same =
		p->is_open && p->open.pool == item->key && p->open.address == item->ns;
	int result = 0;

	if (item->value) {
		if (is_same)
			return end(p, item->then, item->from);
		p->blocks->n_left_out++;
		return 0;
	}
	if (is_same) {
		p->blocks->n_mended++;
		result = end(p, item->then, item->from);
	} else if (p->is_open) {
		result = end(p, TW_BLOCK_NEVER, 0);
	}
	p->open = (struct tw_block_life){.pool = item->key,
					 .address = item->ns,
					 .bytes = item->id,
					 .ns = item->then,
					 .thread = item->from};
	p->is_open = true;
	return result;
}

int tw_blocks_pair(struct tw_blocks *b,
		   int (*life)(void *context, const struct tw_block_life *life),
		   void *context)
{
	struct pairing p = {.blocks = b, .life = life, .context = context};
	struct tw_sort_item item;
	int more, result = tw_sorter_sort(&b->events);

	while (result == 0 && (more = tw_sorter_next(&b->events, &item)) != 0)
		result = more < 0 ? more : add(&p, &item);
	if (result == 0 && p.is_open)
		result = end(&p, TW_BLOCK_NEVER, 0);
	tw_sorter_free(&b->events);
	return result;
}

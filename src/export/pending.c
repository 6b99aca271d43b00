/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See pending.h. What waits on a thread is a stack: zones that began later end earlier,
 * so the ones that wait for a given zone are always the topmost. Nearly always there
 * are none or one; a clock that stands still can make them many, and then some do not
 * wait, rather than memory growing.
 */
#include "export/pending.h"

#include <errno.h>
#include <stdlib.h>

#define BYTES_MAX (1u << 20) /* of a thread */

struct item {
	uint64_t begin_ns;
	uint64_t depth;
	size_t offset;
	size_t n_bytes;
};

struct queue {
	struct item *items;
	size_t n, room;
	char *bytes;
	size_t n_bytes, bytes_room;
};

struct tw_pending {
	struct queue *queues; /* by thread number */
	uint32_t n_queues;
	struct tw_writer writer;
};

struct tw_pending *tw_pending_new(uint32_t n_threads)
{
	struct tw_pending *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->n_queues = n_threads;
	p->queues = calloc((size_t)n_threads + 1, sizeof(*p->queues));
	if (!p->queues) {
		free(p);
		return NULL;
	}
	return p;
}

void tw_pending_free(struct tw_pending *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_queues; i++) {
		free(p->queues[i].items);
		free(p->queues[i].bytes);
	}
	free(p->queues);
	free(p);
}

static int keep(void *context, const char *bytes, size_t n)
{
	struct queue *q = context;

	if (q->n_bytes + n > q->bytes_room) {
		size_t room = (q->n_bytes + n) * 2;
		char *grown = realloc(q->bytes, room);

		if (!grown)
			return -ENOMEM;
		q->bytes = grown;
		q->bytes_room = room;
	}
	memcpy(q->bytes + q->n_bytes, bytes, n);
	q->n_bytes += n;
	q->items[q->n - 1].n_bytes += n;
	return 0;
}

struct tw_writer *tw_pending_open(struct tw_pending *p, const struct tw_zone *zone)
{
	struct queue *q = &p->queues[zone->thread->number];

	if (q->n_bytes >= BYTES_MAX)
		return NULL;
	if (q->n == q->room) {
		size_t room = q->room ? q->room * 2 : 4;
		struct item *items = realloc(q->items, room * sizeof(*items));

		if (!items)
			return NULL;
		q->items = items;
		q->room = room;
	}
	q->items[q->n].begin_ns = zone->begin_ns;
	q->items[q->n].depth = zone->depth;
	q->items[q->n].offset = q->n_bytes;
	q->items[q->n].n_bytes = 0;
	q->n++;
	tw_writer_init_sink(&p->writer, keep, q);
	return &p->writer;
}

int tw_pending_close(struct tw_pending *p)
{
	return tw_writer_flush(&p->writer);
}

/* Outer zones first; zones side by side as they came. */
static int compare(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

void tw_pending_release(struct tw_pending *p, const struct tw_zone *zone,
			struct tw_writer *w)
{
	struct queue *q = &p->queues[zone->thread->number];
	size_t first = q->n;
	size_t n_bytes_left;

	while (first > 0 && q->items[first - 1].begin_ns == zone->begin_ns &&
	       q->items[first - 1].depth > zone->depth)
		first--;
	if (first == q->n)
		return;
	n_bytes_left = q->items[first].offset;
	qsort(q->items + first, q->n - first, sizeof(*q->items), compare);
	for (size_t i = first; i < q->n; i++)
		tw_writer_bytes(w, q->bytes + q->items[i].offset, q->items[i].n_bytes);
	q->n = first;
	q->n_bytes = n_bytes_left;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See sort.h. */
#include "export/sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ITEMS  (1u << 17) /* 6 MiB */
#define READ_ITEMS 256u	      /* of a run at a time */

struct tw_sort_run {
	uint64_t offset;   /* of its next unread item in the scratch file */
	uint64_t n_unread; /* in the scratch file */
	uint32_t at, n;	   /* of the items that were read */
	struct tw_sort_item *items;
};

void tw_sorter_init(struct tw_sorter *s)
{
	memset(s, 0, sizeof(*s));
	tw_scratch_init(&s->scratch);
}

void tw_sorter_free(struct tw_sorter *s)
{
	for (uint32_t i = 0; i < s->n_runs; i++)
		free(s->runs[i].items);
	free(s->runs);
	free(s->heap);
	free(s->items);
	tw_scratch_free(&s->scratch);
	tw_sorter_init(s);
}

static int compare(const void *left, const void *right)
{
	const struct tw_sort_item *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	if (a->then != b->then)
		return a->then < b->then ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The items so far become a run of the scratch file. */
static int end_run(struct tw_sorter *s)
{
	struct tw_sort_run *run;

	if (s->n_runs == s->runs_room) {
		uint32_t room = s->runs_room ? s->runs_room * 2 : 16;
		struct tw_sort_run *runs = realloc(s->runs, room * sizeof(*runs));

		if (!runs)
			return -ENOMEM;
		s->runs = runs;
		s->runs_room = room;
	}
	qsort(s->items, s->n, sizeof(*s->items), compare);
	run = &s->runs[s->n_runs++];
	memset(run, 0, sizeof(*run));
	run->offset = s->scratch.n_bytes;
	run->n_unread = s->n;
	tw_scratch_put(&s->scratch, s->items, s->n * sizeof(*s->items));
	s->n = 0;
	return s->scratch.error;
}

int tw_sorter_add(struct tw_sorter *s, struct tw_sort_item item)
{
	int error;

	if (s->n == RUN_ITEMS) {
		error = end_run(s);
		if (error)
			return error;
	}
	if (s->n == s->room) {
		uint32_t room = s->room ? s->room * 2 : 256;
		struct tw_sort_item *items = realloc(s->items, room * sizeof(*items));

		if (!items)
			return -ENOMEM;
		s->items = items;
		s->room = room;
	}
	item.order = s->n;
	s->items[s->n++] = item;
	s->n_items++;
	return 0;
}

/* Makes the run's next item be there; false when it has none left. */
static bool fill(struct tw_sorter *s, struct tw_sort_run *run, int *error)
{
	uint64_t n = run->n_unread < READ_ITEMS ? run->n_unread : READ_ITEMS;

	if (run->at < run->n)
		return true;
	if (n == 0)
		return false;
	*error = tw_scratch_get(&s->scratch, run->offset, run->items,
				n * sizeof(*run->items));
	run->offset += n * sizeof(*run->items);
	run->n_unread -= n;
	run->at = 0;
	run->n = (uint32_t)n;
	return true;
}

static bool is_before(const struct tw_sorter *s, uint32_t a, uint32_t b)
{
	const struct tw_sort_run *left = &s->runs[a], *right = &s->runs[b];
	const struct tw_sort_item *l = &left->items[left->at],
				  *r = &right->items[right->at];

	if (l->key != r->key)
		return l->key < r->key;
	if (l->ns != r->ns)
		return l->ns < r->ns;
	if (l->then != r->then)
		return l->then < r->then;
	return a < b; /* runs are in the order of their making */
}

static void sink(struct tw_sorter *s, uint32_t at)
{
	for (;;) {
		uint32_t child = 2 * at + 1, swap;

		if (child >= s->n_heap)
			return;
		if (child + 1 < s->n_heap &&
		    is_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_before(s, s->heap[child], s->heap[at]))
			return;
		swap = s->heap[child];
		s->heap[child] = s->heap[at];
		s->heap[at] = swap;
		at = child;
	}
}

int tw_sorter_sort(struct tw_sorter *s)
{
	int error = 0;

	if (s->n_runs == 0) {
		if (s->n)
			qsort(s->items, s->n, sizeof(*s->items), compare);
		s->room = 0; /* from here on: the next one to hand out */
		return 0;
	}
	error = end_run(s);
	s->heap = malloc(s->n_runs * sizeof(*s->heap));
	if (!s->heap)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_runs && !error; i++) {
		struct tw_sort_run *run = &s->runs[i];

		run->items = malloc(READ_ITEMS * sizeof(*run->items));
		if (!run->items)
			return -ENOMEM;
		if (fill(s, run, &error))
			s->heap[s->n_heap++] = i;
	}
	for (uint32_t i = s->n_heap; i > 0 && !error; i--)
		sink(s, i - 1);
	return error;
}

int tw_sorter_next(struct tw_sorter *s, struct tw_sort_item *item)
{
	struct tw_sort_run *run;
	int error = 0;

	if (s->n_runs == 0) {
		if (s->room == s->n)
			return 0;
		*item = s->items[s->room++];
		return 1;
	}
	if (s->n_heap == 0)
		return 0;
	run = &s->runs[s->heap[0]];
	*item = run->items[run->at++];
	if (!fill(s, run, &error))
		s->heap[0] = s->heap[--s->n_heap];
	sink(s, 0);
	return error ? error : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's events alone (timeline.h): an index of where each thread's EVENTS blocks
 * are, made in one pass and kept with the timeline. For exports that need a thread at a
 * time, so that their memory is that of one thread and not of the trace.
 */
#include <stdlib.h>

#include "trace/timeline_private.h"

#define GONE UINT64_MAX

struct tw_block_index {
	uint64_t *offsets; /* of blocks, grouped by thread, each group in file order */
	uint64_t *ends;	   /* by thread number: where its group ends */
};

struct found {
	uint64_t offset;
	uint32_t thread;
};

struct finding {
	struct found *blocks;
	size_t n, room;
};

static int keep(struct finding *f, const struct tw_block *block)
{
	if (f->n == f->room) {
		size_t room = f->room ? f->room * 2 : 1024;
		struct found *blocks = realloc(f->blocks, room * sizeof(*blocks));

		if (!blocks)
			return -1;
		f->blocks = blocks;
		f->room = room;
	}
	f->blocks[f->n++] = (struct found){block->offset, block->thread};
	return 0;
}

/* All EVENTS blocks of threads that exist; 0 or a negative errno. */
static int find(struct tw_timeline *t, struct finding *f, struct tw_fault *fault)
{
	struct tw_block block;
	int more;

	tw_spool_rewind(t->spool);
	t->n_bad_blocks = 0;
	while ((more = tw_spool_next(t->spool, &block, fault)) > 0) {
		if (block.kind != TW_BLOCK_EVENTS)
			continue;
		if (!tw_table_get(&t->threads, block.thread))
			t->n_bad_blocks++;
		else if (keep(f, &block) < 0)
			return tw_fault_no_memory(fault);
	}
	return more;
}

/* Sorts by thread without changing the order within one. */
static void group(struct tw_block_index *index, const struct finding *f, uint32_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n; i++)
		index->ends[f->blocks[i].thread]++;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t count = index->ends[i];

		index->ends[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < f->n; i++)
		index->offsets[index->ends[f->blocks[i].thread]++] =
			f->blocks[i].offset;
}

static int make_index(struct tw_timeline *t, struct tw_fault *fault)
{
	struct finding f = {0};
	int error = find(t, &f, fault);

	if (!error) {
		t->index = calloc(1, sizeof(*t->index));
		if (t->index) {
			t->index->offsets = malloc((f.n + 1) * sizeof(uint64_t));
			t->index->ends = calloc(t->threads.n + 1, sizeof(uint64_t));
		}
		if (t->index && t->index->offsets && t->index->ends)
			group(t->index, &f, t->threads.n);
		else
			error = tw_fault_no_memory(fault);
	}
	free(f.blocks);
	return error;
}

void tw_timeline_free_index(struct tw_timeline *t)
{
	if (!t->index)
		return;
	free(t->index->offsets);
	free(t->index->ends);
	free(t->index);
	t->index = NULL;
}

int tw_timeline_each_of(struct tw_timeline *t, struct tw_thread *thread,
			const struct tw_visitor *visitor, struct tw_fault *fault)
{
	int error = t->index ? 0 : make_index(t, fault);
	uint64_t i, end, n_damaged;

	if (error) {
		tw_timeline_free_index(t);
		return error;
	}
	i = thread->number ? t->index->ends[thread->number - 1] : 0;
	end = t->index->ends[thread->number];
	tw_thread_rewind(thread);
	for (; i < end; i++) {
		struct tw_block block;
		int found;

		if (t->index->offsets[i] == GONE)
			continue;
		found = tw_spool_at(t->spool, t->index->offsets[i], &block, fault);

		if (found < 0)
			return found;
		if (found == 0 || block.thread != thread->number) {
			t->n_bad_blocks++; /* the file changed under us */
			continue;
		}
		n_damaged = tw_spool_damage(t->spool)->n_places;
		error = tw_timeline_visit_block(t, &block, visitor);
		if (error)
			return error;
		/* Damage is counted once, however often a thread is read. */
		if (tw_spool_damage(t->spool)->n_places != n_damaged)
			t->index->offsets[i] = GONE;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts messages, points of plots, frames, and events of locks, memory and devices by
 * key and time in bounded memory: runs that fill the buffer go to a scratch file and
 * are merged when read. What came first stays first among equals. Command only, one
 * thread.
 */
#ifndef TW_SORT_H
#define TW_SORT_H

#include "export/scratch.h"

struct tw_sort_item {
	uint64_t ns;
	uint64_t then; /* among those of one key and time; 0 where nothing decides */
	uint64_t value;
	uint64_t id;
	uint32_t key;	/* the most significant */
	uint32_t order; /* set by the sorter */
	uint32_t from, to;
};

struct tw_sort_run;

struct tw_sorter {
	struct tw_sort_item *items; /* of the run that is being filled */
	uint32_t n, room;
	struct tw_scratch scratch; /* runs before it */
	uint64_t n_items;	   /* in all */
	uint32_t n_runs, runs_room;
	struct tw_sort_run *runs;
	uint32_t *heap; /* of runs, by their next item; while reading */
	uint32_t n_heap;
};

void tw_sorter_init(struct tw_sorter *sorter);
void tw_sorter_free(struct tw_sorter *sorter);

/* 0 or a negative errno. */
int tw_sorter_add(struct tw_sorter *sorter, struct tw_sort_item item)
	__attribute__((warn_unused_result));

/* No more will be added: 0 or a negative errno. */
int tw_sorter_sort(struct tw_sorter *sorter) __attribute__((warn_unused_result));

/* The next item in order: 1, 0 after the last one, or a negative errno. */
int tw_sorter_next(struct tw_sorter *sorter, struct tw_sort_item *item)
	__attribute__((warn_unused_result));

#endif

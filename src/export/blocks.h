/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations and frees of a trace, put together to blocks of memory. They come from
 * any thread and in any order, and a free does not say how large the block was: all are
 * sorted by pool, address and time, so that the two halves stand next to each other
 * however much is live at once. Used by exporters; one thread.
 */
#ifndef TW_BLOCKS_H
#define TW_BLOCKS_H

#include "export/sort.h"
#include "trace/walk.h"

#define TW_BLOCK_NEVER UINT64_MAX /* is when it is freed */

struct tw_block_life {
	uint32_t pool;
	uint64_t address, bytes;
	uint64_t ns, free_ns;	      /* free_ns: later than ns, or never */
	uint32_t thread, free_thread; /* numbers; 0 = not freed */
};

struct tw_blocks {
	struct tw_sorter events;
	uint64_t n_mended;   /* a later block has its address: its free was lost */
	uint64_t n_left_out; /* frees of what was not allocated while recording */
};

void tw_blocks_init(struct tw_blocks *blocks);
void tw_blocks_free(struct tw_blocks *blocks);

/* Takes in an event; `pool` is any number of the caller's. 0 or a negative errno. */
int tw_blocks_add(struct tw_blocks *blocks, uint32_t pool, const struct tw_event *event,
		  const struct tw_memory_block *block)
	__attribute__((warn_unused_result));

/*
 * All have come: hands out each block, in order of pool and address. 0, the callback's
 * result or a negative errno. Once.
 */
int tw_blocks_pair(struct tw_blocks *blocks,
		   int (*life)(void *context, const struct tw_block_life *life),
		   void *context) __attribute__((warn_unused_result));

#endif

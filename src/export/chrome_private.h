/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the form `.json` share: chrome.c (all but what follows),
 * chrome_locks.c and chrome_memory.c (what is known only when everything has come). */
#ifndef TW_CHROME_PRIVATE_H
#define TW_CHROME_PRIVATE_H

#include "export/blocks.h"
#include "export/export.h"
#include "export/pending.h"
#include "export/sort.h"

struct tw_chrome_pool {
	uint32_t name; /* string id */
	const struct tw_process *process;
};

struct tw_chrome {
	struct tw_timeline *timeline;
	struct tw_writer *w;
	struct tw_pending *pending;
	bool has_event;		/* a comma is due before the next one */
	uint64_t n_not_finite;	/* plot points that JSON has no number for */
	uint64_t n_unpaired;	/* halves of locks and memory without the other one */
	struct tw_sorter locks; /* by lock, thread and time */
	struct tw_blocks blocks;
	struct tw_chrome_pool *pools;
	uint32_t n_pools;
};

/* The comma in front of an event. */
void tw_chrome_next(struct tw_chrome *c);

/* "pid" and "tid", a comma in front. */
void tw_chrome_owner(struct tw_chrome *c, const struct tw_thread *thread);
uint32_t tw_chrome_pid(const struct tw_process *process);

/* Key (with its colon) and a text or number. */
void tw_chrome_text(struct tw_writer *w, const char *key, struct tw_slice text);
void tw_chrome_number(struct tw_writer *w, const char *key, uint64_t value);

/* Take in an event; operations of a walk. */
int tw_chrome_on_lock(void *context, const struct tw_event *event,
		      const struct tw_lock_birth *birth);
int tw_chrome_on_memory(void *context, const struct tw_event *event,
			struct tw_slice pool, const struct tw_memory_block *block);

/* Write them when all have come; `last_ns` is the trace's end. 0 or a negative errno.
 */
int tw_chrome_put_locks(struct tw_chrome *c, uint64_t last_ns)
	__attribute__((warn_unused_result));
int tw_chrome_put_memory(struct tw_chrome *c) __attribute__((warn_unused_result));

#endif

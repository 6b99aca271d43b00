/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a Tracy viewer believes of one lock. Viewers check little: who obtains must have
 * waited, who releases must hold, 64 threads at most, and a lock of one kind must not
 * see events of the other. Events may be missing (a full ring, a rotated file), so each
 * goes through here and comes out as a sequence that is consistent, whatever came
 * before. Used by the live client and by the .tracy writer; plain data of the caller,
 * zeroed; no malloc, any thread.
 */
#ifndef TW_LOCK_STATE_H
#define TW_LOCK_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record.h"

#define TW_LOCK_THREADS_MAX 64u
#define TW_LOCK_DEPTH_MAX   250u /* of a lock that its owner takes again */

struct tw_lock_state {
	uint64_t waiting, waiting_shared; /* a bit for each thread */
	uint64_t sharing;		  /* who has it, with others */
	uint64_t cut;			  /* whose release was made up for them */
	uint32_t threads[TW_LOCK_THREADS_MAX];
	uint8_t sharing_depth[TW_LOCK_THREADS_MAX];
	uint8_t n_threads;
	uint8_t owner; /* index of who has it, alone */
	uint8_t depth; /* how often */
	bool is_shared;
};

/* What is to be shown, in order, all at the time of the event. */
struct tw_lock_sink {
	void (*show)(void *context, enum tw_event_kind kind, uint32_t thread);
	void *context;
};

/*
 * An event of the lock, LOCK_WAIT to LOCK_RELEASE_SHARED, by a thread (any number that
 * is not used for two). Returns false when viewers have no room for the thread, or the
 * lock is of the other kind: nothing was shown.
 */
bool tw_lock_step(struct tw_lock_state *lock, enum tw_event_kind kind, uint32_t thread,
		  const struct tw_lock_sink *sink);

#endif

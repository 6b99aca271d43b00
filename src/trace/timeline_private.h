/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the timeline share; nobody else includes this. */
#ifndef TW_TIMELINE_PRIVATE_H
#define TW_TIMELINE_PRIVATE_H

#include "trace/timeline.h"

/*
 * Takes in one META payload of pass 1. Nonsense is counted, not an error: returns 0 or
 * -ENOMEM.
 */
int tw_timeline_read_meta(struct tw_timeline *timeline, const uint8_t *raw, uint32_t n)
	__attribute__((warn_unused_result));

/*
 * The thread of that number; a guessed one when there is no record of it. NULL when the
 * number is nonsense or memory is short.
 */
struct tw_thread *tw_timeline_thread(struct tw_timeline *timeline, uint32_t number);

/* Hands the events of one EVENTS block to the visitor; timeline_events.c. */
int tw_timeline_visit_block(struct tw_timeline *timeline, const struct tw_block *block,
			    const struct tw_visitor *visitor);

void tw_timeline_free_index(struct tw_timeline *timeline);

/* Steps through META records: false at the end, or at nonsense (then *is_bad). */
bool tw_meta_next(struct tw_cursor *payload, uint64_t *tag, struct tw_cursor *body,
		  bool *is_bad);

/* A new pass over its events begins. */
static inline void tw_thread_rewind(struct tw_thread *thread)
{
	thread->last_ns = 0;
	thread->has_block = false;
}

#endif

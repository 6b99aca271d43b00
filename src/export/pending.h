/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones that must wait for the zone around them. Viewers of Chrome traces take the
 * first of two events with the same start for the outer one, but zones come in the
 * order of their ends, the inner one first. So a zone that begins in the same
 * nanosecond as the zone around it is kept, written out, until that one has been
 * written. Chrome form only.
 */
#ifndef TW_PENDING_H
#define TW_PENDING_H

#include "export/writer.h"
#include "trace/walk.h"

struct tw_pending;

/* For threads numbered below n_threads; NULL without memory. */
struct tw_pending *tw_pending_new(uint32_t n_threads);
void tw_pending_free(struct tw_pending *pending);

/*
 * A writer that keeps what is written for this zone; end with tw_pending_close(). NULL
 * when too much waits already: then the zone cannot wait.
 */
struct tw_writer *tw_pending_open(struct tw_pending *pending,
				  const struct tw_zone *zone);
int tw_pending_close(struct tw_pending *pending) __attribute__((warn_unused_result));

/* Writes what has waited for `zone`, outer ones first. */
void tw_pending_release(struct tw_pending *pending, const struct tw_zone *zone,
			struct tw_writer *w);

#endif

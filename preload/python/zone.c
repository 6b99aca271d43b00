/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow ways of a zone's begin and end; contract in zone.h. On the thread whose zone
 * it is.
 */
#include "zone.h"

#include "annotate.h"

uint32_t tw_py_zone_begin_slow(uint32_t id)
{
	struct tw_producer *p = tw_self_producer();

	if (!p)
		return 0;
	tw_producer_begin_slow(p, id);
	return p->depth;
}

void tw_py_zone_end_slow(uint32_t token)
{
	struct tw_producer *p = tw_thread_producer;

	/* A zone that is gone (its thread forked, or an outer one ended) stays gone. */
	if (token && p->ring && p->depth >= token) {
		tw_py_annotate_cut(token);
		tw_producer_unwind(p, token - 1);
	}
}

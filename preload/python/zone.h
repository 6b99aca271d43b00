/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a known code to the thread's ring: what all back ends share. The token of a zone
 * is the depth at which it lies; with it an end finds its own begin even when native
 * code below left zones open (longjmp) or the thread was forked in between.
 */
#ifndef TW_PYTHON_ZONE_H
#define TW_PYTHON_ZONE_H

#include "code.h"
#include "preload/self.h"

#define TW_PY_LIKELY(x)	  __builtin_expect(!!(x), 1)
#define TW_PY_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* No producer yet, ring full or gate closed. Returns the token; 0: not recorded. */
uint32_t tw_py_zone_begin_slow(uint32_t id);

/* The zone is not the innermost, or its end needs the slow path. */
void tw_py_zone_end_slow(uint32_t token);

static inline uint32_t tw_py_zone_begin(uint32_t id)
{
	struct tw_producer *p = tw_thread_producer;

	if (TW_PY_UNLIKELY(!tw_producer_begin(p, tw_self.clock, id)))
		return tw_py_zone_begin_slow(id);
	return p->depth;
}

static inline void tw_py_zone_end(uint32_t token)
{
	struct tw_producer *p = tw_thread_producer;

	if (TW_PY_UNLIKELY(p->depth != token) ||
	    TW_PY_UNLIKELY(!tw_producer_end(p, tw_self.clock)))
		tw_py_zone_end_slow(token);
}

#endif

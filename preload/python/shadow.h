/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tokens of a thread's open Python zones, for back ends whose begin and end are
 * separate calls (monitor.c, profile.c). An end without a begin (a frame that was
 * already running when recording was armed) finds the bottom and is left out; a begin
 * that could not be recorded leaves a token that no depth equals.
 */
#ifndef TW_PYTHON_SHADOW_H
#define TW_PYTHON_SHADOW_H

#include "zone.h"

#define TW_PY_BOTTOM UINT32_MAX		/* no zone is open */
#define TW_PY_NATIVE (1u << 31)		/* in the token of a C function's zone */
#define TW_PY_QUIET  (TW_PY_NATIVE - 1) /* a call without a zone: no depth equals it */

struct tw_py_shadow {
	uint32_t *top;	 /* the innermost zone's token */
	uint32_t *limit; /* the last one there is room for */
};
extern _Thread_local struct tw_py_shadow tw_py_shadow
	__attribute__((tls_model("initial-exec")));

/* More room for the calling thread; false: none, and nothing was changed. */
bool tw_py_shadow_grow(void);

/* The innermost zone is a C function's, or there is none. */
void tw_py_shadow_end_slow(void);

/* Zones of C functions: an end without a begin is left out, a begin without an end goes
 * with the Python function around it. */
void tw_py_shadow_begin_native(uint32_t id);
void tw_py_shadow_end_native(void);

/* Gives back the memory of the calling thread, which is ending. */
void tw_py_shadow_leave(void);

static inline void tw_py_shadow_begin(uint32_t id)
{
	struct tw_py_shadow *s = &tw_py_shadow;

	if (TW_PY_UNLIKELY(s->top == s->limit) && !tw_py_shadow_grow())
		return;
	*++s->top = tw_py_zone_begin(id);
}

/* A call that is not recorded, whose end will come all the same. */
static inline void tw_py_shadow_begin_quiet(void)
{
	struct tw_py_shadow *s = &tw_py_shadow;

	if (s->top == s->limit && !tw_py_shadow_grow())
		return;
	*++s->top = TW_PY_QUIET;
}

static inline void tw_py_shadow_end(void)
{
	struct tw_py_shadow *s = &tw_py_shadow;
	uint32_t token = *s->top;

	if (TW_PY_UNLIKELY(token >= TW_PY_NATIVE)) {
		tw_py_shadow_end_slow();
		return;
	}
	s->top--;
	tw_py_zone_end(token);
}

#endif

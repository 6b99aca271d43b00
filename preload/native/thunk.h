/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C side of the thunk (thunk_x86_64.S): what it asks before each call, and its slow
 * paths.
 */
#ifndef TW_THUNK_H
#define TW_THUNK_H

#include "preload/native/frames.h"

/* Wrapped calls are recorded while the word behind it is not zero. */
extern _Atomic uint32_t *tw_thunk_gate __attribute__((visibility("hidden")));
extern uint8_t tw_thunk_has_xsave __attribute__((visibility("hidden")));

/* Where a wrapped function returns to, and where exceptions that pass it land. */
extern char tw_thunk_returned[] __attribute__((visibility("hidden")));
extern char tw_thunk_landing[] __attribute__((visibility("hidden")));

/* Opens the gate: once, before the first hook. */
void tw_thunk_start(void);

/* Closes it for good: the arena is going away. */
void tw_thunk_stop(void);

/* Called by the thunk; see there. */
void tw_thunk_begin_slow(struct tw_frame *f);
struct tw_frame *tw_thunk_end_slow(struct tw_frame *f);
void tw_thunk_unwound(struct tw_frame *f);

/* A longjmp to that stack pointer is about to happen. */
void tw_thunk_jump(uintptr_t sp);

#endif

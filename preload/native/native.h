/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Native calls: what the rest of preload/ has to know of this room. Calls that the user
 * chose (-t) go through a thunk that records a zone around them; everything else in the
 * process is as before. x86-64.
 */
#ifndef TW_NATIVE_H
#define TW_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Hooks what is chosen; from tw_start, when this process is to be recorded. */
void tw_native_start(void);

/* Is anything chosen? Then dl* functions and jumps are looked at. */
bool tw_native_is_on(void);

/* On a new thread, whose stack has so many bytes; and when a thread ends. */
void tw_native_thread_born(size_t stack_bytes);
void tw_native_thread_dies(void);

/* Stack size of threads that do not ask for one. */
size_t tw_native_usual_stack(void);

/* Recording ends for good, and its memory goes. */
void tw_native_stop(void);

/* jump.c: finds the real functions. */
void tw_jump_start(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks: one for each wrapped function, and the stub that callers get instead of it. A
 * stub is 16 bytes of code in our text (thunk_x86_64.S) that knows its hook; nothing is
 * ever written into executable memory. Hooks are made while the loader's list is locked
 * (objects.h) and live as long as the process: a function that comes back at the same
 * address, after a dlclose, gets the same hook.
 */
#ifndef TW_HOOKS_H
#define TW_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Also the number of stubs in thunk_x86_64.S. */
#define TW_HOOKS_MAX 16384u

/* What the thunk needs on every call. */
struct tw_hook {
	void *real;
	_Atomic uint64_t word; /* of a begin record; 0 = take the slow path */
};

extern struct tw_hook tw_hooks[TW_HOOKS_MAX] __attribute__((visibility("hidden")));

/*
 * The stub for a function, made on first use; NULL when there are no more. Names are
 * copied; `library` is a file name without folder.
 */
void *tw_hook_stub(void *real, const char *function, const char *library);

/* Is the address one of our stubs? */
bool tw_hook_owns(const void *address);

/* The location id of a hook, interned on first use. */
uint32_t tw_hook_location(struct tw_hook *hook);

size_t tw_hook_count(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions behind our wrappers. Found on first use, whoever comes first: other
 * constructors run before ours. Finding twice is harmless (the answer is the same), so
 * there is no lock. Any thread; dlsym is not called in vfork children or handlers
 * because the constructor has found everything by then.
 */
#ifndef TW_REAL_H
#define TW_REAL_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/*
 * TW_REAL(execve) is the next execve after ours. __typeof__ gives the type, so a row
 * cannot disagree with libc's header.
 */
#define TW_REAL(name) ((__typeof__(&name))tw_real_find(&tw_real_##name, #name))

#define TW_REAL_DECLARE(name) static _Atomic(void *) tw_real_##name

static inline void *tw_real_find(_Atomic(void *) *where, const char *name)
{
	void *f = atomic_load_explicit(where, memory_order_relaxed);

	if (__builtin_expect(f == NULL, 0)) {
		f = dlsym(RTLD_NEXT, name);
		atomic_store_explicit(where, f, memory_order_relaxed);
	}
	return f;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One slot: which function its object calls through it, and where that call goes now.
 * Called while the loader's list is locked.
 */
#ifndef TW_GOT_H
#define TW_GOT_H

#include "preload/native/objects.h"

struct tw_got_target {
	void **slot;
	void *real;
	const char *function;		/* as the calling object names it */
	const struct tw_object *object; /* that defines it */
};

enum tw_got_state {
	TW_GOT_NOT_OURS,  /* not chosen, hooked already, or nothing we understand */
	TW_GOT_NOT_BOUND, /* and it cannot be said to what it will be */
	TW_GOT_BOUND,
};

/* Is it a slot for calls only, or one that is for loads too? By relocation type. */
bool tw_got_is_call(const ElfW(Rela) * relocation);
bool tw_got_is_shared(const ElfW(Rela) * relocation);

enum tw_got_state tw_got_target(const struct tw_objects *objects,
				const struct tw_object *from, bool is_deep,
				const ElfW(Rela) * relocation,
				struct tw_got_target *target);

#endif

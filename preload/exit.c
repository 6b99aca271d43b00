/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The orderly ways out: exit() tells our handler, _exit() and _Exit() come through
 * here. Each leaves the exit code in the process's slot. Under a bare LD_PRELOAD the
 * pump is then given a moment to write the end of the file, so that the file is whole
 * when the shell's prompt comes back. Every other way out (signals, raw system calls)
 * is noticed from outside and loses nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/sys.h"
#include "home.h"
#include "real.h"
#include "self.h"

#define EXPORT __attribute__((visibility("default")))

TW_REAL_DECLARE(_exit);
TW_REAL_DECLARE(_Exit);

void tw_exit_note(int code)
{
	int saved = errno;
	struct tw_proc *slot;

	if (!tw_self.life || atomic_load(&tw_self.life->state) != TW_LIFE_ON)
		return;
	/*
	 * A vfork child comes here with its parent's slot. No harm: the parent's own
	 * exit overwrites it, and what the kernel says counts for more.
	 */
	slot = tw_arena_proc(tw_self.view.arena, tw_self.life->process);
	atomic_store(&slot->code, code & 0xff);
	/* Under seccomp strict mode the clock may not be read any more. */
	if (!atomic_load(&tw_self.is_caged))
		atomic_store(&slot->end_ticks, tw_clock_ticks(tw_self.clock));
	atomic_store(&slot->end, TW_END_EXITED);
	if (!tw_self.has_parent && tw_self_is_me())
		tw_home_end();
	errno = saved;
}

EXPORT void _exit(int code)
{
	tw_exit_note(code);
	TW_REAL(_exit)(code);
	__builtin_unreachable();
}

EXPORT void _Exit(int code)
{
	tw_exit_note(code);
	TW_REAL(_Exit)(code);
	__builtin_unreachable();
}

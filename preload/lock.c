/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mlockall counts all memory of a process, and the arena is much of it. Where that
 * makes the call fail for a program with a small limit, its recording ends and the call
 * is tried again: it must work as it does without us. Only while the program has one
 * thread: another might be writing into the arena. Called on any thread.
 */
#include <errno.h>
#include <sys/mman.h>

#include "log.h"
#include "preload/native/native.h"
#include "real.h"
#include "self.h"

#define EXPORT __attribute__((visibility("default")))

TW_REAL_DECLARE(mlockall);

static bool is_only_thread(void)
{
	struct tw_arena *arena = tw_self.view.arena;
	uint32_t n_threads = 0, n = atomic_load(&arena->next_thread);

	for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
		struct tw_ring *ring = tw_arena_thread(arena, i);

		n_threads += ring->process == tw_self.life->process &&
			     (atomic_load(&ring->state) == TW_SLOT_LIVE ||
			      atomic_load(&ring->state) == TW_SLOT_CLAIMED);
	}
	return n_threads <= 1;
}

/* Under a bare LD_PRELOAD the pump works on the same memory: it cannot be taken away.
 */
static bool give_up(void)
{
	static const char words[] =
		"recording of a process stopped: mlockall with a small "
		"limit (ulimit -l)";

	if (!tw_self.has_parent || !tw_self_is_me() || !is_only_thread())
		return false;
	tw_arena_note(tw_self.view.arena, words, sizeof(words) - 1);
	tw_log(TW_LOG_PROBLEM, words, NULL);
	tw_native_stop();
	tw_self_leave();
	atomic_store(&tw_self.life->state, TW_LIFE_OFF);
	tw_view_unmap(&tw_self.view);
	return true;
}

EXPORT int mlockall(int flags)
{
	int saved = errno;
	int result = TW_REAL(mlockall)(flags);

	if (result == 0 || (errno != ENOMEM && errno != EAGAIN) || !give_up())
		return result;
	errno = saved;
	return TW_REAL(mlockall)(flags);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of a thread; contract in frames.h. Runs on the thread itself, possibly in
 * a signal handler that interrupted the same code: what a handler does here is undone
 * when it returns. No malloc, no locks.
 */
#include "preload/native/frames.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/sys.h"
#include "preload/self.h"

#define FRAMES_MAX   65536u /* as deep as the usual stack can get */
#define FRAMES_LEAST 1024u
#define GUARD_BYTES  4096u
/* Where the main thread's stack has no limit. */
#define STACK_USUAL  (64ull << 20)

_Thread_local struct tw_frames tw_frames;

/* From the loader: where the main thread's stack began. */
extern void *__libc_stack_end;

static bool find_memory(struct tw_frames *t)
{
	for (uint32_t n = FRAMES_MAX; n >= FRAMES_LEAST; n /= 8) {
		size_t bytes = n * sizeof(struct tw_frame);
		void *memory =
			tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (tw_sys_failed(memory))
			continue;
		t->base = memory;
		t->end = t->base + n;
		t->next = t->base;
		return true;
	}
	return false;
}

struct tw_frame *tw_frames_claim(void)
{
	struct tw_frames *t = &tw_frames;

	if (!t->base && (t->is_over || atomic_load(&tw_self.is_caged)))
		return NULL;
	if (!t->base && !find_memory(t))
		return NULL;
	if (t->next < t->end)
		return t->next++;
	if (tw_thread_producer->ring)
		atomic_fetch_add_explicit(
			&tw_thread_producer->ring->lost[TW_LOSS_TOO_DEEP], 1,
			memory_order_relaxed);
	return NULL;
}

static bool is_on_own_stack(const struct tw_frames *t, uintptr_t sp)
{
	return sp > t->stack_low && sp <= t->stack_high;
}

/*
 * Memory below a stack pointer that the program goes on with is nobody's. Returns the
 * first frame that was marked, or NULL.
 */
static struct tw_frame *mark_below(struct tw_frames *t, const struct tw_frame *from,
				   uintptr_t sp)
{
	struct tw_frame *first = NULL;

	if (!is_on_own_stack(t, sp))
		return NULL;
	for (struct tw_frame *g = t->next; g-- > from;) {
		if (g->is_left || !is_on_own_stack(t, g->sp) || g->sp > sp)
			continue;
		g->is_left = 1;
		first = g;
	}
	return first;
}

/* The top without frames that were left. */
static struct tw_frame *top_of(struct tw_frames *t)
{
	struct tw_frame *next = t->next;

	while (next > t->base && next[-1].is_left) {
		next--;
		next->is_left = 0;
	}
	return next;
}

struct tw_frame *tw_frames_leave(struct tw_frame *f)
{
	struct tw_frames *t = &tw_frames;
	struct tw_frame *next;

	mark_below(t, f + 1, f->sp);
	f->is_left = 1;
	next = top_of(t);
	if (next <= f)
		return next;
	t->next = next;
	return NULL;
}

struct tw_frame *tw_frames_cut(uintptr_t sp)
{
	struct tw_frames *t = &tw_frames;

	return t->next == t->base ? NULL : mark_below(t, t->base, sp);
}

void tw_frames_trim(void)
{
	tw_frames.next = top_of(&tw_frames);
}

void tw_frames_born(size_t stack_bytes)
{
	/* glibc keeps the thread's own record at the top of its stack. */
	tw_frames.stack_high = (uintptr_t)pthread_self();
	tw_frames.stack_low = tw_frames.stack_high - stack_bytes + GUARD_BYTES;
}

void tw_frames_born_main(void)
{
	struct rlimit64 limit = {0};
	uint64_t bytes = STACK_USUAL;

	if (tw_sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0) == 0 &&
	    limit.rlim_cur < STACK_USUAL)
		bytes = limit.rlim_cur;
	tw_frames.stack_high = (uintptr_t)__libc_stack_end;
	tw_frames.stack_low = tw_frames.stack_high - bytes;
}

void tw_frames_die(void)
{
	struct tw_frames *t = &tw_frames;
	struct tw_frame *base = t->base;
	size_t bytes = (size_t)((char *)t->end - (char *)base);

	t->is_over = true;
	/* Somebody still returns through one: then the memory stays. */
	if (!base || t->next != base)
		return;
	t->next = t->end = t->base = NULL;
	if (!atomic_load(&tw_self.is_caged))
		tw_sys_munmap(base, bytes);
}

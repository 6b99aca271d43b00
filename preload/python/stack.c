/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More C stack for deep recursion; contract in stack.h. Segments are mapped when first
 * needed, touched only as far as they are used, and kept by their thread until it ends.
 * Called in a hook, on the thread whose stack it is; keeps errno.
 */
#include "stack.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "call.h"
#include "core/sys.h"
#include "native.h"

#define SEGMENT_BYTES (64u << 20)
#define GUARD_BYTES   4096u

struct tw_py_segment {
	struct tw_py_segment *previous, *next;
	struct tw_py_stack outer; /* what to go back to */
};

_Thread_local struct tw_py_stack tw_py_stack = {.floor = UINTPTR_MAX};

void *tw_py_stack_switch(void *function, void *a, void *b, long c, void *top);

/* Where libc's first frame lies; the main thread's stack grows down from there. */
extern void *__libc_stack_end;

static void find_main_stack(uintptr_t *low, uintptr_t *high)
{
	struct rlimit limit = {0};

	*high = (uintptr_t)__libc_stack_end;
	*low = 0;
	if (tw_sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < *high)
		*low = *high - limit.rlim_cur;
}

static void find_thread_stack(uintptr_t *low, uintptr_t *high)
{
	pthread_attr_t attributes;
	void *address = NULL;
	size_t bytes = 0;

	*low = *high = 0;
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
		*low = (uintptr_t)address;
		*high = *low + bytes;
	}
	pthread_attr_destroy(&attributes);
}

/* Fills in the thread's own stack. A floor of 0 is never reached: no switching. */
static void find_own_stack(void)
{
	uintptr_t low, high;

	if (tw_sys_gettid() == tw_sys_getpid())
		find_main_stack(&low, &high);
	else
		find_thread_stack(&low, &high);
	tw_py_stack.low = low;
	tw_py_stack.floor = low ? low + (high - low) / 2 : 0;
}

/* Greenlets copy pieces of one contiguous stack to and fro: it must stay one. */
static bool has_greenlets(void)
{
	tw_o *modules = tw_py_call.modules();

	return modules && tw_py_call.dict_get(modules, "greenlet");
}

static struct tw_py_segment *make_segment(void)
{
	char *memory = tw_sys_mmap(
		SEGMENT_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	struct tw_py_segment *s;

	if (tw_sys_failed(memory))
		return NULL;
	if (tw_sys6(SYS_mprotect, (long)memory, GUARD_BYTES, PROT_NONE, 0, 0, 0)) {
		tw_sys_munmap(memory, SEGMENT_BYTES);
		return NULL;
	}
	s = (struct tw_py_segment *)(memory + SEGMENT_BYTES - sizeof(*s));
	*s = (struct tw_py_segment){0};
	return s;
}

static char *segment_start(const struct tw_py_segment *s)
{
	return (char *)s + sizeof(*s) - SEGMENT_BYTES;
}

/* The next segment, made if there is none; NULL: go on where we are. */
static struct tw_py_segment *find_segment(void)
{
	struct tw_py_segment *now = tw_py_stack.segment;
	struct tw_py_segment *s = now ? now->next : tw_py_stack.first;

	if (s)
		return s;
	s = has_greenlets() ? NULL : make_segment();
	if (!s)
		return NULL;
	s->previous = now;
	if (now)
		now->next = s;
	else
		tw_py_stack.first = s;
	return s;
}

/*
 * Runs on the segment and comes back. An exception of another language or a longjmp
 * that passes leaves the thread with the segment's bounds, above or below its own
 * stack: then there is no more switching on it, and nothing else.
 */
static void *run_on(struct tw_py_segment *s, void *function, void *a, void *b, long c)
{
	uintptr_t start = (uintptr_t)segment_start(s);
	uintptr_t top = ((uintptr_t)s - 256) & ~(uintptr_t)63;
	struct tw_py_segment *first = tw_py_stack.first;
	void *result;

	s->outer = tw_py_stack;
	tw_py_stack.segment = s;
	tw_py_stack.low = start;
	tw_py_stack.floor = start + SEGMENT_BYTES / 16;
	result = tw_py_stack_switch(function, a, b, c, (void *)top);
	tw_py_stack = s->outer;
	tw_py_stack.first = first;
	return result;
}

bool tw_py_stack_call(void *function, void *a, void *b, long c, void **result)
{
	int saved = errno;
	struct tw_py_segment *s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (tw_py_stack.floor == UINTPTR_MAX) {
		find_own_stack();
		tw_py_native_watch(); /* the thread's first call */
	}
	/* Below the end: not this stack at all, but one that the program made. */
	if (here >= tw_py_stack.floor || here < tw_py_stack.low)
		s = NULL;
	else
		s = find_segment();
	errno = saved;
	if (!s)
		return false;
	*result = run_on(s, function, a, b, c);
	return true;
}

void tw_py_stack_leave(void)
{
	struct tw_py_segment *s = tw_py_stack.segment ? NULL : tw_py_stack.first;

	while (s) {
		struct tw_py_segment *next = s->next;

		tw_sys_munmap(segment_start(s), SEGMENT_BYTES);
		s = next;
	}
	tw_py_stack = (struct tw_py_stack){.floor = UINTPTR_MAX};
}

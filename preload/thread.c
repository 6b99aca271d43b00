/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads: birth (pthread_create) and names (pthread_setname_np, prctl). A thread that
 * we did not see being born gets its slot with its first event (self.c); death is a
 * thread-specific destructor there. prctl can also lock us out of the kernel (seccomp):
 * from then on we make no system call.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "core/intern.h"
#include "core/sys.h"
#include "preload/native/native.h"
#include "real.h"
#include "self.h"

#define EXPORT __attribute__((visibility("default")))

TW_REAL_DECLARE(pthread_create);
TW_REAL_DECLARE(pthread_setname_np);
TW_REAL_DECLARE(prctl);

/*
 * The new thread's first frame. What to run lies in the producer, which is private
 * memory; the slot itself is shared with other processes. Cancellation and exceptions
 * unwind through this frame: no cleanup here, the destructor ends the recording.
 */
static void *first_frame(void *argument)
{
	struct tw_producer *p = argument;
	void *(*routine)(void *) = (void *(*)(void *))p->start_routine;
	void *start_argument = (void *)p->start_argument;
	size_t stack_bytes = p->start_stack_bytes;

	tw_self_adopt((uint32_t)(p - tw_self.producers));
	tw_native_thread_born(stack_bytes);
	return routine(start_argument);
}

static size_t stack_of(const pthread_attr_t *attributes)
{
	size_t bytes = 0;

	if (!attributes || pthread_attr_getstacksize(attributes, &bytes))
		bytes = tw_native_usual_stack();
	return bytes;
}

EXPORT int pthread_create(pthread_t *restrict thread,
			  const pthread_attr_t *restrict attributes,
			  void *(*routine)(void *), void *restrict argument)
{
	int saved = errno, index = -1, error;
	struct tw_producer *p;

	if (tw_start() && tw_self_join())
		index = tw_arena_claim_thread(tw_self.view.arena);
	errno = saved;
	if (index < 0)
		return TW_REAL(pthread_create)(thread, attributes, routine, argument);
	tw_arena_thread(tw_self.view.arena, (uint32_t)index)->process =
		tw_self.life->process;
	p = &tw_self.producers[index];
	memset(p, 0, sizeof(*p));
	p->start_routine = (uintptr_t)routine;
	p->start_argument = (uintptr_t)argument;
	p->start_stack_bytes = stack_of(attributes);
	error = TW_REAL(pthread_create)(thread, attributes, first_frame, p);
	if (error)
		tw_arena_free_thread(tw_self.view.arena, (uint32_t)index);
	return error;
}

static void name_slot(struct tw_ring *ring, const char *name)
{
	uint32_t id = tw_intern_string(tw_self.view.arena, name, strlen(name));

	atomic_store_explicit(&ring->name, id, memory_order_release);
}

static void name_this_thread(const char *name)
{
	struct tw_producer *p = tw_self_producer();

	if (p)
		name_slot(p->ring, name);
}

void tw_thread_rename(uint64_t handle, const char *name)
{
	struct tw_arena *arena = tw_self.view.arena;
	uint32_t n = atomic_load(&arena->next_thread);

	for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
		struct tw_ring *ring = tw_arena_thread(arena, i);

		if (atomic_load(&ring->state) == TW_SLOT_LIVE &&
		    ring->process == tw_self.life->process &&
		    atomic_load(&ring->handle) == handle) {
			name_slot(ring, name);
			return;
		}
	}
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	int error = TW_REAL(pthread_setname_np)(thread, name);
	int saved = errno;

	if (!error && tw_start() && tw_self_join()) {
		if (pthread_equal(thread, pthread_self()))
			name_this_thread(name);
		else
			tw_thread_rename((uint64_t)thread, name);
	}
	errno = saved;
	return error;
}

EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list list;
	int result, saved;

	/* prctl is variadic in C only: the kernel always takes four more. */
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		tw_self_cage(a[0] == SECCOMP_MODE_STRICT);
	else if (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV)
		tw_self_cage(true);
	result = TW_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (option != PR_SET_NAME || result)
		return result;
	saved = errno;
	if (tw_start() && tw_self_join()) {
		char name[16] = "";

		/* As the kernel took it: at most 15 bytes. */
		memcpy(name, (const char *)a[0], strnlen((const char *)a[0], 15));
		name_this_thread(name);
	}
	errno = saved;
	return result;
}

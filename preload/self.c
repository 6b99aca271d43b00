/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining the arena as a process and as a thread; contract in self.h. Runs on a
 * thread's first event, at thread birth, and in a fork's child.
 */
#include "self.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "core/intern.h"
#include "core/sys.h"
#include "home.h"
#include "log.h"
#include "preload/native/native.h"
#include "preload/python/python.h"

struct tw_self tw_self;

/* What threads without a producer point at: limits of zero, so every event asks. */
static struct tw_producer unborn;
static struct tw_producer departed;

_Thread_local struct tw_producer *tw_thread_producer = &unborn;

static pthread_key_t farewell_key;
static bool has_farewell_key;

static uint32_t intern_file(const char *path, char *buffer, size_t bytes)
{
	int fd = tw_sys_open(path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return 0;
	n = tw_sys_read(fd, buffer, bytes);
	tw_sys_close(fd);
	while (n > 0 && !buffer[n - 1])
		n--; /* the NUL after the last argument */
	return n > 0 ? tw_intern_string(tw_self.view.arena, buffer, (size_t)n) : 0;
}

static void describe_process(struct tw_proc *slot)
{
	char buffer[4096];
	long n = tw_sys6(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)buffer,
			 sizeof(buffer), 0, 0);
	const char *name = buffer;

	if (n <= 0) {
		name = program_invocation_name;
		n = (long)strlen(name);
	}
	slot->program = tw_intern_string(tw_self.view.arena, name, (size_t)n);
	slot->command = intern_file("/proc/self/cmdline", buffer, sizeof(buffer));
	if (!slot->command)
		slot->command = slot->program;
}

static bool was_expected(struct tw_arena *arena, int32_t pid);

static bool claim_process(void)
{
	struct tw_arena *arena = tw_self.view.arena;
	int i = tw_arena_claim_proc(arena);
	struct tw_proc *slot;
	bool is_expected;

	if (i < 0) {
		atomic_fetch_add(&arena->n_refused, 1);
		return false;
	}
	slot = tw_arena_proc(arena, (uint32_t)i);
	slot->pid = tw_sys_getpid();
	slot->ppid = tw_sys_getppid();
	slot->start_ticks = tw_clock_ticks(tw_self.clock);
	slot->is_foreign = tw_pid_namespace() != arena->pid_namespace;
	atomic_store(&slot->end, TW_END_UNKNOWN);
	atomic_store(&slot->code, 0);
	atomic_store(&slot->end_ticks, 0);
	atomic_store(&slot->n_without_slot, 0);
	atomic_store(&slot->n_departed, 0);
	describe_process(slot);
	is_expected = was_expected(arena, slot->pid);
	tw_self.life->process = (uint32_t)i;
	tw_self.life->pid = slot->pid;
	atomic_store_explicit(&slot->state, TW_SLOT_LIVE, memory_order_release);
	if (is_expected)
		tw_self_expect(-1);
	return true;
}

bool tw_self_join(void)
{
	struct tw_life *life = tw_self.life;
	uint32_t state;
	bool is_on;

	if (!life)
		return false;
	state = atomic_load_explicit(&life->state, memory_order_acquire);
	if (state == TW_LIFE_ON)
		return true;
	/* JOINING: another thread, or the code that this handler interrupted. */
	if (state != TW_LIFE_NONE || atomic_load(&tw_self.is_caged) ||
	    !atomic_compare_exchange_strong(&life->state, &state, TW_LIFE_JOINING))
		return false;
	is_on = tw_sys_getpid() == tw_self.root_pid || tw_self.follow != TW_FOLLOW_NONE;
	if (is_on && !tw_self.has_parent)
		is_on = tw_home_open();
	is_on = is_on && claim_process();
	if (is_on && !tw_self.has_parent)
		is_on = tw_home_start();
	tw_log(is_on ? TW_LOG_STEP : TW_LOG_PROBLEM,
	       is_on ? "recording"
		     : "not recording: no slot, no memory or no file left",
	       NULL);
	atomic_store_explicit(&life->state, is_on ? TW_LIFE_ON : TW_LIFE_OFF,
			      memory_order_release);
	return is_on;
}

void tw_self_expect(int n)
{
	if (tw_self.has_parent && tw_self.view.arena &&
	    tw_self.follow != TW_FOLLOW_NONE)
		atomic_fetch_add(&tw_self.view.arena->n_births, n);
}

/* An image that was executed in place of one that had joined was not announced. */
static bool was_expected(struct tw_arena *arena, int32_t pid)
{
	uint32_t n = atomic_load(&arena->next_proc);

	for (uint32_t i = 0; i < n && i < TW_PROCS_MAX; i++) {
		struct tw_proc *slot = tw_arena_proc(arena, i);

		if (atomic_load(&slot->state) == TW_SLOT_LIVE && slot->pid == pid)
			return false;
	}
	return atomic_load(&arena->n_births) > 0;
}

bool tw_self_is_me(void)
{
	return tw_self.life && atomic_load(&tw_self.life->state) == TW_LIFE_ON &&
	       !atomic_load(&tw_self.is_caged) && tw_self.life->pid == tw_sys_getpid();
}

void tw_self_cage(bool is_strict)
{
	static const char words[] =
		"recording of a thread stopped: seccomp strict mode "
		"takes the clock away";

	if (is_strict && tw_thread_producer->ring) {
		tw_arena_note(tw_self.view.arena, words, sizeof(words) - 1);
		tw_self_leave();
	}
	atomic_store(&tw_self.is_caged, 1);
}

/*
 * Thread-specific destructors run in rounds; ours asks for another round until the
 * last, so that the program's own destructors are still recorded.
 */
static void farewell(void *value)
{
	uintptr_t round = (uintptr_t)value;

	if (round < PTHREAD_DESTRUCTOR_ITERATIONS &&
	    pthread_setspecific(farewell_key, (void *)(round + 1)) == 0)
		return;
	tw_self_leave();
}

void tw_self_prepare(void)
{
	has_farewell_key = pthread_key_create(&farewell_key, farewell) == 0;
}

struct tw_producer *tw_self_adopt(uint32_t index)
{
	struct tw_producer *p = &tw_self.producers[index];
	struct tw_ring *ring = tw_arena_thread(tw_self.view.arena, index);
	int saved = errno;

	/* A signal handler in here must not start another birth. */
	tw_thread_producer = &departed;
	atomic_signal_fence(memory_order_seq_cst);
	tw_producer_init(p, &tw_self.view, index);
	p->is_caged = &tw_self.is_caged;
	ring->process = tw_self.life->process;
	ring->tid = tw_sys_gettid();
	ring->kind = ring->tid == tw_self.life->pid ? TW_THREAD_MAIN : TW_THREAD_PLAIN;
	ring->parent = 0;
	ring->start_ticks = tw_clock_ticks(tw_self.clock);
	atomic_store(&ring->handle, (uint64_t)pthread_self());
	atomic_store_explicit(&ring->state, TW_SLOT_LIVE, memory_order_release);
	if (has_farewell_key)
		pthread_setspecific(farewell_key, (void *)1);
	atomic_signal_fence(memory_order_seq_cst);
	tw_thread_producer = p;
	errno = saved;
	return p;
}

struct tw_producer *tw_self_producer(void)
{
	struct tw_producer *p = tw_thread_producer;
	int i;

	if (p->ring)
		return p;
	if (!tw_start() || !tw_self_join())
		return NULL;
	i = p == &departed ? -1 : tw_arena_claim_thread(tw_self.view.arena);
	if (i < 0) {
		struct tw_proc *slot =
			tw_arena_proc(tw_self.view.arena, tw_self.life->process);

		atomic_fetch_add(
			p == &departed ? &slot->n_departed : &slot->n_without_slot, 1);
		return NULL;
	}
	return tw_self_adopt((uint32_t)i);
}

void tw_self_leave(void)
{
	struct tw_producer *p = tw_thread_producer;

	tw_native_thread_dies();
	if (!p->ring)
		return;
	tw_producer_leave(p);
	tw_python_leave();
	/* First: a signal handler must not find a producer that is another's by now. */
	tw_thread_producer = &departed;
	atomic_signal_fence(memory_order_seq_cst);
	p->ring->end_ticks = tw_clock_ticks(tw_self.clock);
	atomic_store_explicit(&p->ring->state, TW_SLOT_DEAD, memory_order_release);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pump inside the traced process. It is not a thread but a task of its own that
 * shares only the memory (clone with CLONE_VM alone):
 *  - it has its own descriptors: the program may close all of its, and sees none of
 * ours;
 *  - it is no thread of the program, and a child that wait() does not know of:
 *    /proc/self/task, SIGCHLD and fork warnings are as without us;
 *  - it outlives the program: after SIGKILL, a crash, _exit or exec the memory stays as
 *    long as the pump runs, so everything that reached a ring reaches the file.
 * It runs with the thread pointer of the thread that made it, so nothing here or in the
 * engine may write thread-local memory: raw system calls, no errno, no libc locks.
 */
#include "home.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/intern.h"
#include "core/sys.h"
#include "core/text.h"
#include "self.h"
#include "trace/pump.h"
#include "tracy/live.h"

#define STACK_BYTES   (256u << 10)
#define LIVE_STACK    (128u << 10)
#define END_WAIT_NS   2000000000u
#define START_WAIT_NS 1000000000u

/* Shared by the program and its pump task; a fork's child makes its own. */
struct home {
	_Atomic uint32_t is_started; /* futex: 1 running, 2 could not */
	_Atomic uint32_t is_ending;  /* the program asks for the end */
	_Atomic uint32_t is_ended;   /* futex: the file is whole */
	struct tw_pump *pump;
	int pid;
	char path[PATH_MAX];
	char cwd[PATH_MAX];
	int live_pid; /* the live client; 0 = none */
	int program_pid;
	_Atomic uint32_t is_awaiting_live; /* the program waits, for --no-exit */
	struct tw_live_status live;
	char stack[STACK_BYTES] __attribute__((aligned(16)));
	char live_stack[LIVE_STACK] __attribute__((aligned(16)));
};

static struct home *home;

bool tw_home_open(void)
{
	if (tw_self.view.arena)
		tw_arena_reset_after_fork(&tw_self.view);
	else if (tw_arena_create_private(&tw_self.view, &tw_self.config))
		return false;
	tw_self.clock = tw_self.view.arena->clock_kind;
	return true;
}

/* A page that `tracewrap ctl PID` finds among the pump's descriptors, by name. */
static struct tw_control *show_control(void)
{
	char name[64];
	struct tw_text t = tw_text_in(name, sizeof(name));
	struct tw_control *control;
	int fd;

	tw_text_add(&t, "tracewrap-ctl-");
	tw_text_add_u64(&t, (uint64_t)tw_self.life->pid);
	fd = (int)tw_sys6(SYS_memfd_create, (long)name, MFD_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0 || tw_sys_ftruncate(fd, 4096))
		return NULL;
	control = tw_sys_mmap(4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tw_sys_failed(control))
		return NULL;
	control->clock_kind = tw_self.clock;
	control->magic = TW_ARENA_MAGIC;
	return control;
}

/* Everything that the program had open is a copy here: let go of it at once. */
static void drop_descriptors(void)
{
	if (tw_sys6(SYS_close_range, 0, ~0u, 0, 0, 0, 0) == 0)
		return;
	for (int fd = 0; fd < 65536; fd++)
		tw_sys_close(fd);
}

static int open_spool(struct home *h)
{
	uint32_t bytes = 0;
	struct tw_proc *slot = tw_arena_proc(tw_self.view.arena, tw_self.life->process);
	struct tw_pump_session session = {
		.command = tw_string_get(tw_self.view.arena, slot->command, &bytes),
		.cwd = h->cwd,
	};

	session.command_bytes = bytes;
	return tw_pump_start(h->pump, &tw_self.view, h->path, tw_self.config.is_forced,
			     &tw_self.config, &session);
}

static int pump_main(void *argument)
{
	struct home *h = argument;
	struct tw_pump *pump = h->pump;
	int error;

	drop_descriptors();
	tw_sys6(SYS_setsid, 0, 0, 0, 0, 0, 0);
	tw_sys6(SYS_prctl, PR_SET_NAME, (long)"tracewrap-pump", 0, 0, 0, 0);
	pump->control = show_control();
	atomic_store(&tw_self.view.arena->pump_pid, tw_sys_getpid());
	error = open_spool(h);
	if (error)
		atomic_store(&tw_self.view.arena->is_pump_gone, 1);
	atomic_store(&h->is_started, error ? 2 : 1);
	tw_sys_futex_wake(&h->is_started, INT_MAX);
	while (!error) {
		bool has_more = tw_pump_turn(pump, false);

		if (atomic_load(&h->is_ending) || tw_pump_count_live(pump) == 0)
			break;
		if (!has_more)
			tw_pump_sleep(pump);
	}
	if (!error)
		tw_pump_finish(pump);
	atomic_store(&h->is_ended, 1);
	tw_sys_futex_wake(&h->is_ended, INT_MAX);
	tw_sys6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	return 0;
}

/* Viewers come and go here; the end of the pump is the end of the run. */
static int live_main(void *argument)
{
	struct home *h = argument;
	struct tw_live_job job = {
		.arena = tw_self.view.arena,
		.path = h->path,
		.name = program_invocation_short_name,
		.port = tw_self.config.port,
		.is_wide = tw_self.config.is_listening_widely,
		.is_fork = tw_self.config.is_for_fork,
		.announced = &tw_self.config.announced,
		.is_staying = tw_self.config.is_staying,
		.status = &h->live,
		.has_waiter = &h->is_awaiting_live,
	};

	drop_descriptors();
	tw_sys6(SYS_setsid, 0, 0, 0, 0, 0, 0);
	tw_sys6(SYS_prctl, PR_SET_NAME, (long)"tracewrap-live", 0, 0, 0, 0);
	job.wake = (int)tw_sys6(SYS_pidfd_open, h->pid, 0, 0, 0, 0, 0);
	job.waiter = (int)tw_sys6(SYS_pidfd_open, h->program_pid, 0, 0, 0, 0, 0);
	/* A short run may be over, and its pump gone, before we come to it. */
	if (job.wake >= 0 || job.wake == -ESRCH)
		tw_live_run(&job);
	atomic_store(&h->live.state, TW_LIVE_OVER);
	tw_sys_futex_wake(&h->live.state, INT_MAX);
	tw_sys6(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	return 0;
}

/*
 * libc's own: ThreadSanitizer puts one in front that takes ours for a fork of a program
 * with threads and ends it.
 */
static __typeof__(&clone) libc_clone(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);
	void *found = libc ? dlsym(libc, "clone") : NULL;

	return found ? (__typeof__(&clone))found : clone;
}

static int launch(struct home *h, int (*task)(void *), char *stack_top)
{
	sigset_t all, before;
	int pid;

	/* The task inherits a mask that lets nothing through. */
	sigfillset(&all);
	tw_sys6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, 8, 0, 0);
	/* No exit signal: wait() and SIGCHLD of the program do not know of it. */
	pid = libc_clone()(task, stack_top, CLONE_VM, h);
	tw_sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8, 0, 0);
	return pid;
}

/*
 * A viewer's connection takes some 20 MiB of address space: not from a program that has
 * little.
 */
static bool has_room_for_viewers(void)
{
	struct rlimit64 limit;

	return tw_sys6(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) == 0 &&
	       (limit.rlim_cur == RLIM64_INFINITY || limit.rlim_cur > 4ull << 30);
}

/* Folder, program name and pid into an absolute path; "" when it does not fit. */
static void choose_path(struct home *h)
{
	struct tw_text t = tw_text_in(h->path, sizeof(h->path));
	const char *output =
		tw_self.config.n_outputs ? tw_self.config.outputs[0] : NULL;
	const char *dot = output ? strrchr(output, '.') : NULL;
	bool is_shared = tw_self.is_child || tw_sys_getpid() != tw_self.root_pid;

	if (tw_sys6(SYS_getcwd, (long)h->cwd, sizeof(h->cwd), 0, 0, 0, 0) < 0)
		h->cwd[0] = '\0';
	if (!output || output[0] != '/') {
		tw_text_add(&t, h->cwd);
		tw_text_add(&t, "/");
	}
	if (output && dot && strcmp(dot, ".tw") == 0 && !is_shared) {
		tw_text_add(&t, output);
		return;
	}
	/* Another process of the same run, or a format that needs the command first. */
	if (output)
		tw_text_add_bytes(&t, output,
				  dot ? (size_t)(dot - output) : strlen(output));
	else
		tw_text_add(&t, program_invocation_short_name);
	tw_text_add(&t, ".");
	tw_text_add_u64(&t, (uint64_t)tw_sys_getpid());
	/* The same process after an exec of the same program: its file is taken. */
	for (uint64_t n = 2, used = t.used; n < 1000; n++) {
		tw_text_add(&t, ".tw");
		if (tw_self.config.is_forced || tw_sys_access(h->path, F_OK) == -ENOENT)
			return;
		t.used = used;
		tw_text_add(&t, "-");
		tw_text_add_u64(&t, n);
	}
}

bool tw_home_start(void)
{
	struct home *h =
		tw_sys_mmap(sizeof(*h), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int saved = errno;
	uint64_t deadline;
	bool is_launched;

	if (tw_sys_failed(h))
		return false;
	/* A fork's child gets neither this nor copies of its pages. */
	tw_sys_madvise(h, sizeof(*h), MADV_DONTFORK);
	h->pump = tw_pump_new();
	if (!h->pump)
		return false;
	tw_sys_madvise(h->pump, sizeof(*h->pump), MADV_DONTFORK);
	choose_path(h);
	h->pid = launch(h, pump_main, h->stack + sizeof(h->stack));
	is_launched = h->pid > 0;
	/* A file that cannot be made means pass-through, decided here and now. */
	deadline = tw_clock_raw_ns() + START_WAIT_NS;
	while (is_launched && !atomic_load(&h->is_started) &&
	       tw_clock_raw_ns() < deadline)
		tw_sys_futex_wait(&h->is_started, 0, START_WAIT_NS / 10);
	if (is_launched && atomic_load(&h->is_started) == 1 && tw_self.config.port &&
	    has_room_for_viewers()) {
		h->program_pid = tw_sys_getpid();
		h->live_pid = launch(h, live_main, h->live_stack + LIVE_STACK);
	}
	errno = saved;
	home = h;
	return is_launched && atomic_load(&h->is_started) != 2;
}

/*
 * A viewer that is there gets a moment for the rest; the client goes on without us.
 * With
 * --no-exit the program waits for one to come, unless a signal ends it.
 */
static void await_live(uint64_t deadline)
{
	uint32_t state;

	if (home->live_pid <= 0)
		return;
	if (tw_self.config.is_staying)
		deadline = UINT64_MAX;
	atomic_store(&home->is_awaiting_live, tw_self.config.is_staying);
	while ((state = atomic_load(&home->live.state)) != TW_LIVE_OVER &&
	       tw_clock_raw_ns() < deadline)
		tw_sys_futex_wait(&home->live.state, state, END_WAIT_NS / 100);
	if (state == TW_LIVE_OVER)
		tw_sys6(SYS_wait4, home->live_pid, 0, __WALL, 0, 0, 0);
}

void tw_home_end(void)
{
	uint64_t deadline = tw_clock_raw_ns() + END_WAIT_NS;

	if (!home || atomic_exchange(&home->is_ending, 1))
		return;
	tw_arena_kick(tw_self.view.arena);
	while (!atomic_load(&home->is_ended) && tw_clock_raw_ns() < deadline)
		tw_sys_futex_wait(&home->is_ended, 0, END_WAIT_NS / 100);
	/* Not every container has an init that collects the dead. */
	if (!atomic_load(&home->is_ended))
		return;
	tw_sys6(SYS_wait4, home->pid, 0, __WALL, 0, 0, 0);
	await_live(deadline);
}

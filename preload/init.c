/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning: runs once, from our constructor or from the first wrapper that another
 * constructor reaches, whichever is earlier. Decides between a parent (`tracewrap CMD`)
 * and a home of our own, cleans the environment, and registers for fork and exit.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/sys.h"
#include "environment.h"
#include "home.h"
#include "log.h"
#include "preload/native/native.h"
#include "preload/python/python.h"
#include "self.h"

enum start_state { START_NONE, START_BUSY, START_ON, START_OFF };

static _Atomic uint32_t start_state;

/* TRACEWRAP_OUTPUT is split in here. */
static char output_names[4096];

static void find_library(void)
{
	Dl_info info;
	char *real;

	if (!dladdr(&tw_self, &info) || !info.dli_fname)
		return;
	/* Children may have another current folder: only an absolute path serves. */
	real = realpath(info.dli_fname, tw_self.library);
	if (!real)
		tw_self.library[0] = '\0';
}

/* Memory that a fork's child finds empty; see self.h rule 4. */
static bool make_wiped_memory(void)
{
	size_t bytes = 4096 + sizeof(struct tw_producer) * TW_THREADS_MAX;
	char *memory = tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (tw_sys_failed(memory))
		return false;
	if (tw_sys_madvise(memory, bytes, MADV_WIPEONFORK)) {
		tw_sys_munmap(memory, bytes);
		return false;
	}
	tw_self.life = (struct tw_life *)memory;
	tw_self.producers = (struct tw_producer *)(memory + 4096);
	return true;
}

/*
 * The session variable. Before libc is initialised (.preinit_array of the program)
 * there is no environ yet; the kernel's copy serves.
 */
static bool find_session(char *session, size_t bytes)
{
	static char copy[65536];
	static const char key[] = TW_SESSION_VARIABLE "=";
	const char *value = tw_environment_get(environ, TW_SESSION_VARIABLE);
	long n = 0;

	if (!environ) {
		int fd = tw_sys_open("/proc/self/environ", O_RDONLY, 0);
		const char *p;

		if (fd >= 0)
			n = tw_sys_read(fd, copy, sizeof(copy) - 1);
		tw_sys_close(fd);
		p = n > 0 ? memmem(copy, (size_t)n, key, sizeof(key) - 1) : NULL;
		value = p && (p == copy || !p[-1]) ? p + sizeof(key) - 1 : NULL;
	}
	if (!value || strlen(value) >= bytes)
		return false;
	memcpy(session, value, strlen(value) + 1);
	return true;
}

/* The program finds its environment as if we were absent. */
static void clean_environment(void)
{
	if (tw_self.has_parent)
		tw_environment_remove(environ, TW_SESSION_VARIABLE,
				      strlen(TW_SESSION_VARIABLE));
	else
		tw_environment_drop_kept(environ);
	tw_environment_unload(environ, tw_self.library);
}

/* Under `tracewrap CMD`: everything is decided, and lies in the arena. */
static bool start_with_parent(void)
{
	tw_self.has_parent = true;
	if (tw_arena_join(&tw_self.view, tw_self.session))
		return false;
	tw_log_open(tw_self.view.arena->log);
	tw_self.follow = tw_self.view.arena->follow;
	tw_self.clock = tw_self.view.arena->clock_kind;
	return true;
}

static void toggle(int signal)
{
	int saved = errno;
	struct tw_arena *arena = tw_self.view.arena;

	(void)signal;
	if (arena) {
		/* The pump writes it down and obeys. */
		atomic_store(&arena->control.gate_request,
			     atomic_load(&arena->gate) ? 2 : 1);
		tw_arena_kick(arena);
	}
	errno = saved;
}

/* Under a bare LD_PRELOAD: from TRACEWRAP_* variables. */
static bool start_alone(void)
{
	bool is_secure = getauxval(AT_SECURE) != 0;

	tw_config_init(&tw_self.config);
	/* A wrong value keeps its default: there is nobody to tell. */
	(void)tw_config_read_environment(&tw_self.config, environ, TW_CMD_RUN,
					 is_secure, output_names, sizeof(output_names));
	/* Whoever may run a program with more rights must not look into it. */
	if (is_secure)
		tw_self.config.port = 0;
	tw_self.is_child = tw_environment_get(environ, TW_CHILD_VARIABLE) != NULL;
	tw_environment_keep(environ);
	tw_log_open(tw_self.config.log);
	tw_self.follow = tw_self.config.follow;
	return true;
}

static void before_fork(void)
{
	if (!atomic_load(&tw_self.is_caged))
		tw_self_expect(1);
}

/* A fork's child joins at once, so that it is in the trace even without an event. */
static void after_fork_in_child(void)
{
	int saved = errno;

	/* Without a parent that would mean a pump and a file for each: wait and see. */
	if (tw_self.has_parent)
		tw_self_producer();
	errno = saved;
}

static void at_exit(int code, void *argument)
{
	(void)argument;
	tw_exit_note(code);
}

static bool is_followed_early(void)
{
	char session[sizeof(tw_self.session)];

	return find_session(session, sizeof(session));
}

static bool start(void)
{
	bool has_session = find_session(tw_self.session, sizeof(tw_self.session));

	find_library();
	tw_self.root_pid = tw_sys_getpid();
	if (!(has_session ? start_with_parent() : start_alone()) ||
	    !make_wiped_memory())
		return false;
	tw_self_prepare();
	return true;
}

/*
 * The signal of --signal: only in the first process of a run, where people send it.
 * SA_RESTART: the program's calls go on as if nothing had come.
 */
static void watch_signal(void)
{
	int signal = tw_self.has_parent ? tw_self.view.arena->toggle_signal
					: tw_self.config.toggle_signal;
	struct sigaction action = {.sa_handler = toggle, .sa_flags = SA_RESTART};
	int32_t nobody = 0;

	if (!signal || !tw_self.view.arena)
		return;
	if (atomic_compare_exchange_strong(&tw_self.view.arena->signal_pid, &nobody,
					   tw_self.root_pid) ||
	    nobody == tw_self.root_pid)
		sigaction(signal, &action, NULL);
}

bool tw_start(void)
{
	uint32_t state = atomic_load_explicit(&start_state, memory_order_acquire);
	int saved = errno;

	if (state == START_ON)
		return true;
	/* Before libc is ready only a run that has a parent can be joined. */
	if (state != START_NONE || (!environ && !is_followed_early()) ||
	    !atomic_compare_exchange_strong(&start_state, &state, START_BUSY))
		return false;
	if (!start()) {
		atomic_store(&start_state, START_OFF);
		errno = saved;
		return false;
	}
	atomic_store_explicit(&start_state, START_ON, memory_order_release);
	if (environ)
		clean_environment();
	/* A child under a bare LD_PRELOAD joins with its first event: no event, no
	 * file. */
	if (!tw_self.is_child)
		tw_self_producer();
	pthread_atfork(before_fork, NULL, after_fork_in_child);
	on_exit(at_exit, NULL);
	watch_signal();
	tw_native_start();
	errno = saved;
	return true;
}

__attribute__((constructor)) static void constructor(void)
{
	bool is_started = tw_start();

	/* Also after an early start, and for a run that could not be joined. */
	if (!is_started || tw_self.has_parent)
		clean_environment();
	if (is_started)
		tw_python_look(RTLD_DEFAULT);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `tracewrap CMD`: three processes. This one waits for the program, hands signals on
 * and returns its exit code; the keeper (keeper.c) records; the third becomes the
 * program.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/exporter.h"
#include "cmd/keeper.h"
#include "cmd/launch.h"
#include "cmd/library.h"
#include "cmd/outputs.h"
#include "cmd/summary.h"
#include "cmd/witness.h"
#include "core/intern.h"
#include "core/sys.h"

struct run {
	const struct tw_config *config;
	struct tw_program program;
	char path[PATH_MAX];
	char library[PATH_MAX];
	struct tw_view view;
	int arena_fd;
	char arena_path[PATH_MAX];
	struct tw_launch launch;
	struct tw_keeper keeper;
	struct tw_witness witness;
	struct tw_outputs outputs;
	char *command; /* arguments separated by NUL */
	size_t command_bytes;
	sigset_t signals;
};

/* 0, or the exit code of a program that cannot run; complains. */
static int find_program(struct run *run, const char *name)
{
	int error = tw_program_find(name, getenv("PATH"), run->path, sizeof(run->path));

	if (!error)
		error = tw_program_probe(run->path, &run->program);
	if (!error || run->program.verdict == TW_PROGRAM_NOT_ELF)
		return 0;
	if (error == -ENOENT) {
		tw_complain("cannot run '%s': %s; check the name and PATH", name,
			    strerror(ENOENT));
		return TW_EXIT_NOT_FOUND;
	}
	if (run->program.verdict >= TW_PROGRAM_COUNT)
		run->program.verdict = TW_PROGRAM_NOT_EXECUTABLE;
	tw_complain("cannot run '%s': %s; %s", name,
		    tw_verdict_rows[run->program.verdict].why,
		    tw_verdict_rows[run->program.verdict].advice);
	return TW_EXIT_NOT_EXECUTABLE;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void join_arguments(struct run *run, char **argv)
{
	size_t bytes = 0;

	for (char **a = argv; *a; a++)
		bytes += strlen(*a) + 1;
	run->command = malloc(bytes + 1);
	if (!run->command)
		return;
	for (char **a = argv; *a; a++) {
		size_t n = strlen(*a) + 1;

		memcpy(run->command + run->command_bytes, *a, n);
		run->command_bytes += n;
	}
	run->command_bytes--; /* no NUL after the last */
}

/* A program that we cannot be loaded into is in the trace all the same. */
static void enter_program(struct run *run)
{
	struct tw_arena *arena = run->view.arena;
	int i = tw_arena_claim_proc(arena);
	struct tw_proc *slot;

	if (i < 0)
		return;
	slot = tw_arena_proc(arena, (uint32_t)i);
	slot->pid = run->launch.pid;
	slot->ppid = getpid();
	slot->start_ticks = tw_clock_ticks(arena->clock_kind);
	slot->program = tw_intern_string(arena, run->path, strlen(run->path));
	slot->command = tw_intern_string(arena, run->command, run->command_bytes);
	atomic_store(&slot->state, TW_SLOT_LIVE);
}

static bool program_is_recorded(const struct run *run)
{
	return tw_verdict_rows[run->program.verdict].is_recorded;
}

/* The keeper with its spool, before the program runs; complains. */
static int start_keeper(struct run *run)
{
	char cwd[PATH_MAX];
	struct tw_pump_session session = {
		.command = run->command,
		.command_bytes = run->command_bytes,
		.cwd = getcwd(cwd, sizeof(cwd)),
	};
	bool is_memfd = strncmp(run->arena_path, "/proc/", 6) == 0;
	struct tw_keeper_job job = {
		.config = run->config,
		.view = &run->view,
		.arena_fd = run->arena_fd,
		.program_pid = run->launch.pid,
		.arena_file = is_memfd ? NULL : run->arena_path,
		.outputs = &run->outputs,
		.session = &session,
	};
	struct tw_keeper_news news = {0};
	int error = tw_keeper_fork(&run->keeper, &job);

	if (!error && !tw_keeper_hear(&run->keeper, &news))
		error = -EPIPE;
	if (!error)
		error = news.error;
	if (error == -EEXIST)
		tw_complain("'%s' exists: give another name with -o, or --force",
			    run->outputs.spool);
	else if (error)
		tw_complain("cannot write '%s': %s; choose another place: -o FILE",
			    run->outputs.spool, strerror(-error));
	if (!error && is_memfd)
		snprintf(run->arena_path, sizeof(run->arena_path), "/proc/%d/fd/%d",
			 (int)run->keeper.pid, run->arena_fd);
	return error;
}

/* Signals that are for the program but were sent to us. */
static const int handed_on[] = {SIGHUP,	 SIGINT,  SIGQUIT, SIGTERM,
				SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};

static void choose_signals(struct run *run)
{
	sigemptyset(&run->signals);
	sigaddset(&run->signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(*handed_on); i++)
		sigaddset(&run->signals, handed_on[i]);
	if (run->config->toggle_signal)
		sigaddset(&run->signals, run->config->toggle_signal);
}

/* Waits for the program; returns its wait status. */
static int wait_for_program(struct run *run)
{
	for (;;) {
		siginfo_t info;
		int status, signal;

		if (waitpid(run->launch.pid, &status, WNOHANG) == run->launch.pid)
			return status;
		signal = sigwaitinfo(&run->signals, &info);
		if (signal < 0 || signal == SIGCHLD)
			continue;
		if (signal == run->config->toggle_signal) {
			tw_keeper_tell(&run->keeper, &(struct tw_keeper_order){
							     .kind = TW_ORDER_TOGGLE});
			tw_arena_kick(run->view.arena);
			continue;
		}
		/* From the terminal, or for the whole group: the program has it. */
		if (info.si_code != SI_KERNEL && !tw_witness_saw(&run->witness, &info))
			kill(run->launch.pid, signal);
	}
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * The keeper stays while its viewer has not seen all (with --no-exit: has not come).
 * A signal ends the wait: the keeper notices that we are gone.
 */
static void await_keeper(struct run *run, const struct tw_keeper_news *news)
{
	struct timespec nap = {.tv_nsec = 20000000};

	if (run->config->is_staying && news->live_port && !news->has_viewer &&
	    !run->config->is_quiet)
		tw_complain("waiting for a viewer on port %u; Ctrl-C ends it",
			    news->live_port);
	while (waitpid(run->keeper.pid, NULL, WNOHANG) == 0) {
		int signal = sigtimedwait(&run->signals, NULL, &nap);

		if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT ||
		    signal == SIGTERM)
			return;
	}
}

static void tell_killed(const struct tw_outputs *outputs)
{
	tw_complain("the recording process was killed; '%s' reads to its last whole "
		    "block",
		    outputs->spool);
	for (unsigned i = 0; i < outputs->n_files; i++)
		tw_complain("'%s' was not written: tracewrap export %s -o %s",
			    outputs->files[i], outputs->spool, outputs->files[i]);
}

/* After the program: the keeper's last words, exports, summary. */
static void wind_up(struct run *run, int status, uint64_t wall_ns)
{
	struct tw_keeper_order order = {
		.kind = TW_ORDER_ENDED, .pid = run->launch.pid, .status = status};
	struct tw_keeper_news news = {0};
	struct timespec zero = {0};
	struct tw_summary summary = {
		.news = &news,
		.outputs = &run->outputs,
		.config = run->config,
		.arena = run->view.arena,
		.program = run->launch.argv[0],
		.wall_ns = wall_ns,
	};

	tw_keeper_tell(&run->keeper, &order);
	tw_arena_kick(run->view.arena);
	if (!tw_keeper_hear(&run->keeper, &news)) {
		tell_killed(&run->outputs);
		return;
	}
	/* What came while the program ended was meant for it. */
	while (sigtimedwait(&run->signals, NULL, &zero) > 0)
		;
	if (news.is_finished &&
	    tw_exporter_run(&run->outputs, run->config, &run->signals))
		run->outputs.is_temporary = false; /* it was kept: show it */
	if (!program_is_recorded(run))
		summary.not_recorded = tw_verdict_rows[run->program.verdict].why;
	if (!run->config->is_quiet) {
		summary.ns_per_event =
			news.totals.n_events ? tw_summary_measure(run->config) : 0;
		tw_summary_print(&summary);
	}
	if (!news.is_finished)
		return;
	await_keeper(run, &news);
	/* A viewer may have read it until now. */
	tw_outputs_remove_spool(&run->outputs);
}

/* Files that traced processes read and write: said now, because they cannot complain.
 */
static int check_hook_files(const struct tw_config *config)
{
	int fd;

	if (config->hooks_from && access(config->hooks_from, R_OK)) {
		tw_complain(
			"cannot read the list of hooks '%s': %s; --list-hooks writes "
			"one",
			config->hooks_from, strerror(errno));
		return -errno;
	}
	if (!config->list_hooks)
		return 0;
	fd = open(config->list_hooks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0) {
		tw_complain(
			"cannot write the list of hooks '%s': %s; choose another file",
			config->list_hooks, strerror(errno));
		return -errno;
	}
	close(fd);
	return 0;
}

static int prepare(struct run *run, char **argv)
{
	int error;

	error = tw_library_find(run->library, sizeof(run->library));
	if (error) {
		tw_library_complain(error, run->library);
		return error;
	}
	error = tw_outputs_check(run->config);
	if (!error)
		error = check_hook_files(run->config);
	if (error)
		return error;
	choose_signals(run);
	tw_launch_take_signals(&run->launch.signals, &run->signals);
	error = tw_arena_create(&run->view, run->config, &run->arena_fd,
				run->arena_path, sizeof(run->arena_path));
	if (error) {
		tw_complain(
			"no shared memory for the rings: %s; try --buffer-size 16M, or "
			"raise the limits that `ulimit -a` shows",
			strerror(-error));
		return error;
	}
	join_arguments(run, argv);
	run->launch.argv = argv;
	run->launch.path = run->path;
	run->launch.program = &run->program;
	run->launch.library = run->library;
	return 0;
}

static int record(struct run *run)
{
	uint64_t start;
	int error, status;

	error = tw_launch_fork(&run->launch);
	if (error) {
		tw_complain(
			"cannot fork: %s; is there a limit on processes (ulimit -u)?",
			strerror(-error));
		return TW_EXIT_FAULT;
	}
	error = tw_outputs_name(&run->outputs, run->config, base_name(run->path),
				run->launch.pid);
	if (!error)
		error = start_keeper(run);
	if (error) {
		close(run->launch.line); /* calls the program off */
		waitpid(run->launch.pid, NULL, 0);
		return TW_EXIT_FAULT;
	}
	if (!program_is_recorded(run))
		enter_program(run);
	tw_witness_fork(&run->witness, &run->signals);
	start = tw_clock_raw_ns();
	error = tw_launch_go(&run->launch, run->arena_path);
	status = wait_for_program(run);
	tw_witness_end(&run->witness);
	if (error) {
		tw_complain("cannot run '%s': %s", run->path, strerror(-error));
		unlink(run->outputs.spool);
		return error == -ENOENT ? TW_EXIT_NOT_FOUND : TW_EXIT_NOT_EXECUTABLE;
	}
	wind_up(run, status, tw_clock_raw_ns() - start);
	return exit_code(status);
}

int tw_cmd_run(const struct tw_config *config, int n_operands, char **operands)
{
	static struct run run;
	int status;

	if (!n_operands) {
		tw_complain("no program to run; usage: tracewrap [OPTIONS] PROGRAM "
			    "[ARGUMENT]...");
		return TW_EXIT_FAULT;
	}
	run.config = config;
	status = find_program(&run, operands[0]);
	if (status)
		return status;
	if (prepare(&run, operands))
		return TW_EXIT_FAULT;
	return record(&run);
}

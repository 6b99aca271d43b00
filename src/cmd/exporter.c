/* SPDX-License-Identifier: BSD-3-Clause */
/* See exporter.h. */
#include "cmd/exporter.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/command.h"
#include "export/part.h"

#define NAP_NS 20000000

/* Waits for the process; a signal that should end us ends it. */
static int await(pid_t pid, const sigset_t *signals)
{
	struct timespec nap = {.tv_nsec = NAP_NS};
	int status = 0, signal;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		signal = sigtimedwait(signals, NULL, &nap);
		if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT ||
		    signal == SIGTERM)
			kill(pid, signal);
	}
	return status;
}

static int say_ended(const struct tw_outputs *outputs, bool is_forced, pid_t pid,
		     int status)
{
	tw_outputs_say_progress(NULL);
	for (unsigned i = 0; i < outputs->n_files; i++) {
		const char *name = outputs->files[i];

		tw_part_sweep(name, pid);
		/* One that is there is whole, unless it is an older one. */
		if (is_forced || access(name, F_OK) != 0)
			tw_complain("writing '%s' was ended by signal %d (%s); the "
				    "trace is kept: tracewrap export %s -o %s",
				    name, WTERMSIG(status), strsignal(WTERMSIG(status)),
				    outputs->spool, name);
	}
	return -EINTR;
}

int tw_exporter_run(const struct tw_outputs *outputs, const struct tw_config *config,
		    const sigset_t *signals)
{
	int status;
	pid_t pid;

	if (outputs->n_files == 0)
		return 0;
	pid = fork();
	if (pid < 0)
		return tw_outputs_export(outputs, config);
	if (pid == 0) {
		prctl(PR_SET_NAME, "tracewrap-write");
		sigprocmask(SIG_UNBLOCK, signals, NULL);
		_exit(tw_outputs_export(outputs, config) ? 1 : 0);
	}
	status = await(pid, signals);
	if (WIFSIGNALED(status))
		return say_ended(outputs, config->is_forced, pid, status);
	return WEXITSTATUS(status) ? -EIO : 0;
}

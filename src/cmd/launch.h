/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting the traced program as it would start without us: same signal mask and
 * dispositions, same environment but for LD_PRELOAD and our own variable (which the
 * library takes out again). Main thread of the command.
 */
#ifndef TW_LAUNCH_H
#define TW_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "inspect/program.h"

/* Signals as the command found them. */
struct tw_launch_signals {
	sigset_t mask;
	struct sigaction child;
	struct sigaction size; /* SIGXFSZ */
};

struct tw_launch {
	char **argv;
	const char *path; /* what argv[0] was found as */
	const struct tw_program *program;
	const char *library;
	struct tw_launch_signals signals;
	pid_t pid;
	int line; /* a socket: the session path goes in, errno of a failed exec comes
		     out */
};

/* Blocks the signals that the command waits for and remembers how they were. */
void tw_launch_take_signals(struct tw_launch_signals *signals, const sigset_t *wanted);

/* Forks the program's process; it waits for tw_launch_go. Returns 0 or -errno. */
int tw_launch_fork(struct tw_launch *launch) __attribute__((warn_unused_result));

/* Lets it execute, with `session` in its environment. Returns 0 or exec's -errno. */
int tw_launch_go(struct tw_launch *launch, const char *session)
	__attribute__((warn_unused_result));

#endif

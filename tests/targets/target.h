/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tiny test programs share. Each one runs untraced and traced, and everything
 * it prints must be the same both times: so no pids, no addresses, no times in any
 * output. What a trace of it must hold is a row of table.txt.
 */
#ifndef TW_TARGET_H
#define TW_TARGET_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracewrap.h"

/* Ends the target with a code that no row expects when its own set-up fails. */
#define MUST(condition)                                                                \
	do {                                                                           \
		if (!(condition)) {                                                    \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,         \
				#condition, strerror(errno));                          \
			_exit(99);                                                     \
		}                                                                      \
	} while (0)

static inline void nap_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* Waits for one child and prints how it ended. */
static inline void reap(pid_t pid, const char *what)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		MUST(errno == EINTR);
	if (WIFEXITED(status))
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	else
		printf("%s: signal %d\n", what, WTERMSIG(status));
	fflush(stdout);
}

/* n zones of the name "work". */
static inline void work(int n)
{
	for (int i = 0; i < n; i++) {
		TRACEWRAP_ZONE("work");
	}
}

/* Writes without stdio: for handlers, children and what comes after a close of all. */
static inline void say(const char *text)
{
	ssize_t n = write(STDOUT_FILENO, text, strlen(text));

	(void)n;
}

#endif

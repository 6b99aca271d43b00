/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting the traced program; contract in launch.h.
 */
#include "cmd/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/command.h"

void tw_launch_take_signals(struct tw_launch_signals *signals, const sigset_t *wanted)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	struct sigaction ignored = {.sa_handler = SIG_IGN};

	sigprocmask(SIG_BLOCK, wanted, &signals->mask);
	/* An ignored SIGCHLD would take the exit code away from us. */
	sigaction(SIGCHLD, &normal, &signals->child);
	/* A file size limit shall be an error, not our end. */
	sigaction(SIGXFSZ, &ignored, &signals->size);
}

static void give_signals_back(const struct tw_launch_signals *signals)
{
	sigaction(SIGCHLD, &signals->child, NULL);
	sigaction(SIGXFSZ, &signals->size, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/*
 * LD_PRELOAD: the user's own in order, then we. A sanitizer that insists on being first
 * goes there, and once more behind us to say so (preload/environment.h).
 */
static void load_library(const struct tw_launch *l, const char *session)
{
	const char *others = getenv("LD_PRELOAD");
	const char *first = l->program->elf.sanitizer;
	char *value;

	if (!tw_verdict_rows[l->program->verdict].takes_preload)
		return;
	if (!others)
		others = "";
	if (*first && strncmp(others, first, strlen(first)) == 0)
		first = "";
	if (asprintf(&value, "%s%s%s%s%s%s%s", first, *first ? ":" : "", others,
		     *others ? ":" : "", l->library, *first ? ":" : "", first) < 0)
		return;
	setenv("LD_PRELOAD", value, 1);
	setenv("TRACEWRAP_SESSION", session, 1);
	free(value);
}

static void child_main(struct tw_launch *l, int line)
{
	char session[PATH_MAX];
	ssize_t n = read(line, session, sizeof(session) - 1);
	int error;

	if (n <= 0)
		_exit(TW_EXIT_FAULT); /* called off */
	session[n] = '\0';
	give_signals_back(&l->signals);
	load_library(l, session);
	execv(l->path, l->argv);
	if (errno == ENOEXEC) {
		/* As execvp and every shell: a script without a #! line. */
		size_t argc = 0;
		char **argv;

		while (l->argv[argc])
			argc++;
		argv = calloc(argc + 2, sizeof(*argv));
		if (argv) {
			argv[0] = (char *)"sh";
			argv[1] = (char *)l->path;
			if (argc)
				memcpy(argv + 2, l->argv + 1, argc * sizeof(*argv));
			execv("/bin/sh", argv);
		}
	}
	error = errno;
	send(line, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(TW_EXIT_FAULT);
}

int tw_launch_fork(struct tw_launch *l)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	l->pid = fork();
	if (l->pid < 0)
		return -errno;
	if (l->pid == 0) {
		close(ends[0]);
		child_main(l, ends[1]);
	}
	close(ends[1]);
	l->line = ends[0];
	return 0;
}

int tw_launch_go(struct tw_launch *l, const char *session)
{
	int error = 0;
	ssize_t n;

	if (send(l->line, session, strlen(session), MSG_NOSIGNAL) < 0)
		return -errno;
	do {
		n = read(l->line, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	close(l->line);
	return n == (ssize_t)sizeof(error) ? -error : 0;
}

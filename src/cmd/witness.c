/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The witness; contract in witness.h.
 */
#include "cmd/witness.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS	   20 /* a group's members get a signal within so long */
#define REMEMBERED 8u

struct sighting {
	int signal;
	int sender;
};

/* Reports each signal it gets until its other end is closed. */
static void witness_main(int line, const sigset_t *signals)
{
	struct pollfd p[2] = {
		{.fd = line, .events = POLLIN},
		{.fd = signalfd(-1, signals, SFD_CLOEXEC), .events = POLLIN}};

	prctl(PR_SET_NAME, "tracewrap-wit");
	/* Pipes of others must not stay open through us. */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	while (poll(p, 2, -1) > 0 || errno == EINTR) {
		struct signalfd_siginfo info;

		if (p[0].revents)
			break;
		if ((p[1].revents & POLLIN) &&
		    read(p[1].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			struct sighting s = {(int)info.ssi_signo, (int)info.ssi_pid};

			send(line, &s, sizeof(s), MSG_NOSIGNAL | MSG_DONTWAIT);
		}
	}
	_exit(0);
}

void tw_witness_fork(struct tw_witness *witness, const sigset_t *signals)
{
	int ends[2];

	witness->line = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	witness->pid = fork();
	if (witness->pid == 0) {
		close(ends[0]);
		witness_main(ends[1], signals);
	}
	close(ends[1]);
	if (witness->pid > 0)
		witness->line = ends[0];
	else
		close(ends[0]);
}

bool tw_witness_saw(struct tw_witness *witness, const siginfo_t *info)
{
	static struct sighting seen[REMEMBERED]; /* reported, not yet asked for */
	struct pollfd p = {.fd = witness->line, .events = POLLIN};

	for (;;) {
		struct sighting s;

		for (size_t i = 0; i < REMEMBERED; i++) {
			if (seen[i].signal != info->si_signo ||
			    seen[i].sender != info->si_pid)
				continue;
			seen[i].signal = 0;
			return true;
		}
		if (witness->line < 0 || poll(&p, 1, WAIT_MS) <= 0 ||
		    read(witness->line, &s, sizeof(s)) != (ssize_t)sizeof(s))
			return false;
		memmove(seen + 1, seen, sizeof(seen) - sizeof(*seen));
		seen[0] = s;
	}
}

void tw_witness_end(struct tw_witness *witness)
{
	if (witness->line < 0)
		return;
	close(witness->line);
	waitpid(witness->pid, NULL, 0);
	witness->line = -1;
}

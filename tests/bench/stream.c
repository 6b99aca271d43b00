/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands between a Tracy server and a program that is its client, and measures what
 * goes through:
 *	stream LISTEN TARGET COMMAND...
 * waits for the server on port LISTEN, starts COMMAND, connects to port TARGET as soon
 * as somebody listens there, and passes bytes both ways until both ends are closed.
 * Prints "bytes seconds": what the client sent, and the time from the start of COMMAND
 * to the last byte of it. Called by tests/bench/live.sh, for us and for a peer alike.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_S 30.0

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in address_of(const char *port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static int accept_one(const char *port)
{
	struct sockaddr_in address = address_of(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, peer;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (void *)&address, sizeof(address)) || listen(fd, 1))
		fail("stream: cannot listen");
	peer = accept(fd, NULL, NULL);
	if (peer < 0 || fcntl(peer, F_SETFD, FD_CLOEXEC))
		fail("stream: accept");
	close(fd);
	return peer;
}

static int connect_soon(const char *port)
{
	struct sockaddr_in address = address_of(port);
	double deadline = now_s() + CONNECT_S;

	while (now_s() < deadline) {
		struct timespec pause = {.tv_nsec = 200000};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && connect(fd, (void *)&address, sizeof(address)) == 0)
			return fd;
		close(fd);
		nanosleep(&pause, NULL);
	}
	fail("stream: nobody listens");
	return -1;
}

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("stream: fork");
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(command[0], command);
		fail(command[0]);
	}
	return pid;
}

/* One read's worth from one end to the other; 0 at the end of the stream. */
static size_t pass(int from, int to)
{
	static char bytes[1 << 18];
	ssize_t n = read(from, bytes, sizeof(bytes));

	for (ssize_t done = 0; done < n;) {
		ssize_t sent = send(to, bytes + done, (size_t)(n - done), MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return 0;
		done += sent > 0 ? sent : 0;
	}
	return n > 0 ? (size_t)n : 0;
}

/* Until both ends are closed. Returns what the client sent, and when it last did. */
static uint64_t relay(int server, int client, double *last_s)
{
	struct pollfd ends[2] = {{.fd = server, .events = POLLIN},
				 {.fd = client, .events = POLLIN}};
	const int others[2] = {client, server};
	uint64_t bytes = 0;

	while (ends[0].fd >= 0 || ends[1].fd >= 0) {
		if (poll(ends, 2, -1) < 0 && errno != EINTR)
			fail("stream: poll");
		for (int i = 0; i < 2; i++) {
			size_t n;

			if (ends[i].fd < 0 || !ends[i].revents)
				continue;
			n = pass(ends[i].fd, others[i]);
			if (!n) {
				shutdown(others[i], SHUT_WR);
				ends[i].fd = -1;
			} else if (i == 1) {
				bytes += n;
				*last_s = now_s();
			}
		}
	}
	return bytes;
}

int main(int argc, char **argv)
{
	double start_s, last_s;
	uint64_t bytes;
	int server;
	pid_t pid;

	if (argc < 4) {
		fputs("usage: stream LISTEN TARGET COMMAND...\n", stderr);
		return 2;
	}
	server = accept_one(argv[1]);
	start_s = last_s = now_s();
	pid = start(argv + 3);
	bytes = relay(server, connect_soon(argv[2]), &last_s);
	waitpid(pid, NULL, 0);
	printf("%llu %.6f\n", (unsigned long long)bytes, last_s - start_s);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See demangle.h. One socket; a name goes in, its readable form (or nothing) comes out.
 */
#include "trace/demangle.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS  1000
#define FAILURES_MAX 3 /* then names stay as they are: a hostile file */
#define MEMORY_MAX   ((rlim_t)1 << 30)
#define CPU_MAX_S    60

typedef char *demangle_function(const char *, char *, size_t *, int *);

struct tw_demangler {
	pid_t child; /* 0 = none */
	int socket;
	int n_failures;
};

struct tw_demangler *tw_demangler_new(void)
{
	return calloc(1, sizeof(struct tw_demangler));
}

static void stop(struct tw_demangler *d)
{
	if (d->child == 0)
		return;
	close(d->socket);
	kill(d->child, SIGKILL);
	while (waitpid(d->child, NULL, 0) < 0 && errno == EINTR)
		;
	d->child = 0;
}

void tw_demangler_free(struct tw_demangler *d)
{
	if (!d)
		return;
	stop(d);
	free(d);
}

/* A name that explodes fails for want of memory; an orphan ends some time. */
static void limit_child(void)
{
	struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
	struct rlimit cpu = {CPU_MAX_S, CPU_MAX_S};
	struct rlimit core = {0, 0};

#ifndef __SANITIZE_ADDRESS__ /* its shadow is larger than any limit */
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
}

static void serve(int fd) __attribute__((noreturn));

static void serve(int fd)
{
	static char name[TW_DEMANGLED_MAX + 1];
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	demangle_function *demangle = NULL;
	ssize_t n;

	if (library)
		*(void **)&demangle = dlsym(library, "__cxa_demangle");
	limit_child();
	while ((n = recv(fd, name, sizeof(name) - 1, 0)) > 0) {
		char *plain = NULL;
		size_t length = 0;

		name[n] = '\0';
		if (demangle)
			plain = demangle(name, NULL, NULL, NULL);
		if (plain)
			length = strlen(plain);
		/* One byte says "as it is": an empty message would look like an end. */
		if (length == 0 || length >= TW_DEMANGLED_MAX)
			n = send(fd, "", 1, MSG_NOSIGNAL);
		else
			n = send(fd, plain, length, MSG_NOSIGNAL);
		free(plain);
		if (n < 0)
			break;
	}
	_exit(0);
}

static bool start(struct tw_demangler *d)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	d->child = fork();
	if (d->child == 0) {
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	if (d->child < 0) {
		close(pair[0]);
		d->child = 0;
		return false;
	}
	d->socket = pair[0];
	return true;
}

/* Sends and waits: bytes received, or -1 when the child is of no use any more. */
static ssize_t ask(struct tw_demangler *d, const char *name, size_t n, char *buffer)
{
	struct pollfd wait = {.fd = d->socket, .events = POLLIN};
	int ready;
	ssize_t got;

	if (send(d->socket, name, n, MSG_NOSIGNAL) != (ssize_t)n)
		return -1;
	do {
		ready = poll(&wait, 1, PATIENCE_MS);
	} while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return -1;
	got = recv(d->socket, buffer, TW_DEMANGLED_MAX - 1, 0);
	return got > 0 ? got : -1;
}

size_t tw_demangle(struct tw_demangler *d, const char *name, char *buffer)
{
	size_t n = strlen(name);
	ssize_t got;

	if (name[0] != '_' || name[1] != 'Z' || n >= TW_DEMANGLED_MAX ||
	    d->n_failures >= FAILURES_MAX)
		return 0;
	if (d->child == 0 && !start(d)) {
		d->n_failures = FAILURES_MAX;
		return 0;
	}
	got = ask(d, name, n, buffer);
	if (got < 0) {
		d->n_failures++;
		stop(d);
		return 0;
	}
	if (got == 1 && buffer[0] == '\0')
		return 0;
	buffer[got] = '\0';
	return (size_t)got;
}

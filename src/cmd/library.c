/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding and trying libtracewrap.so. Main thread of the command.
 */
#include "cmd/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/command.h"
#include "inspect/program.h"

#define LIBRARY	      "libtracewrap.so"
#define CHECK_SECONDS 10

/* From the folder of the command: an installed or staged tree, then a build tree. */
static const char *const places[] = {"../lib/" LIBRARY, ".libs/" LIBRARY};

/* The command's own file. Without /proc the kernel's word for it must do. */
static bool find_self(char *buffer)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	return realpath("/proc/self/exe", buffer) || (name && realpath(name, buffer));
}

static bool is_library(const char *candidate, char *path)
{
	return realpath(candidate, path) && access(path, R_OK) == 0;
}

static bool find_beside(char *path)
{
	char self[PATH_MAX], candidate[PATH_MAX + 32];
	char *slash;

	if (!find_self(self))
		return false;
	slash = strrchr(self, '/');
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s", self, places[i]);
		if (is_library(candidate, path))
			return true;
	}
	return false;
}

int tw_library_find(char *buffer, size_t bytes)
{
	const char *chosen = getenv("TRACEWRAP_LIBRARY");
	char path[PATH_MAX];

	if (!bytes)
		return -ENAMETOOLONG;
	buffer[0] = '\0';
	if (chosen && *chosen) {
		if (!is_library(chosen, path)) {
			snprintf(buffer, bytes, "%s", chosen);
			return -ENOENT;
		}
	} else if (!find_beside(path) && !is_library(TW_LIBDIR "/" LIBRARY, path)) {
		return -ENOENT;
	}
	if ((size_t)snprintf(buffer, bytes, "%s", path) >= bytes)
		return -ENAMETOOLONG;
	return strpbrk(path, " \t\n:;") ? -EILSEQ : 0;
}

void tw_library_complain(int error, const char *path)
{
	if (error == -EILSEQ)
		tw_complain("LD_PRELOAD cannot name '%s': copy it to a folder without "
			    "blanks "
			    "and colons and set TRACEWRAP_LIBRARY",
			    path);
	else if (*path)
		tw_complain(
			"cannot read '%s': set TRACEWRAP_LIBRARY to libtracewrap.so",
			path);
	else
		tw_complain("cannot find libtracewrap.so beside the command or in %s: "
			    "install "
			    "it there or set TRACEWRAP_LIBRARY",
			    TW_LIBDIR);
}

/*
 * A copy of the environment with one LD_PRELOAD and none of our own settings. A session
 * that does not exist keeps the library from recording the check.
 */
static char **make_environment(char *preload)
{
	static char session[] = "TRACEWRAP_SESSION=none";
	size_t n = 0, k = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = calloc(n + 3, sizeof(*copy));
	if (!copy)
		return NULL;
	copy[k++] = preload;
	copy[k++] = session;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
		    strncmp(environ[i], "TRACEWRAP_", 10) != 0)
			copy[k++] = environ[i];
	}
	return copy;
}

/* Reads what the child says until it closes the pipe or the time is up. */
static int drain(int fd, char *buffer, size_t bytes)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	size_t n = 0;

	buffer[0] = '\0';
	while (poll(&poll_fd, 1, CHECK_SECONDS * 1000) > 0) {
		char chunk[512];
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		for (ssize_t i = 0; i < got && n + 1 < bytes; i++)
			buffer[n++] = chunk[i];
		buffer[n] = '\0';
	}
	return -ETIMEDOUT;
}

static int spawn_check(const char *self, char **environment, int output, pid_t *child)
{
	char flag[] = TW_LIBRARY_CHECK_FLAG;
	char name[] = "tracewrap";
	char *arguments[] = {name, flag, NULL};
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return -error;
	error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	if (!error)
		error = posix_spawn(child, self, &actions, NULL, arguments,
				    environment);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static int run_check(const char *self, char **environment, char *why, size_t bytes)
{
	int pipe_fds[2], status = 0, error;
	pid_t child;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	error = spawn_check(self, environment, pipe_fds[1], &child);
	close(pipe_fds[1]);
	if (!error) {
		error = drain(pipe_fds[0], why, bytes);
		if (error)
			kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	close(pipe_fds[0]);
	if (error)
		return error;
	why[strcspn(why, "\n")] = '\0';
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ELIBACC;
}

int tw_library_check(const char *path, char *why, size_t bytes)
{
	struct tw_program own;
	char self[PATH_MAX], preload[PATH_MAX + TW_SONAME_MAX + 16];
	char **environment;
	int error;

	why[0] = '\0';
	if (!find_self(self))
		return -ENOENT;
	/* A command built with a sanitizer keeps its runtime in front, as run does. */
	tw_program_probe(self, &own);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s", own.elf.sanitizer,
		 own.elf.sanitizer[0] ? ":" : "", path);
	environment = make_environment(preload);
	if (!environment)
		return -ENOMEM;
	error = run_check(self, environment, why, bytes);
	free(environment);
	return error;
}

int tw_library_check_self(void)
{
	return dlsym(RTLD_DEFAULT, TW_LIBRARY_SYMBOL) ? TW_EXIT_OK : TW_EXIT_FINDING;
}

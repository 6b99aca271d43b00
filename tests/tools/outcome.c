/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command in a known setting and writes down how it truly ended, which a shell
 * cannot tell: "exit 139" and "signal 11" are one number to it. Used by the e2e
 * scripts.
 *
 *   outcome -o FILE [-t SECONDS] [-C] [-e NAME=VALUE] [-u NAME] [-c FD] [-i SIGNAL]
 *           [-b SIGNAL] [-l RESOURCE=VALUE] [-U UID] COMMAND [ARGUMENT]...
 *
 * -C leaves only PATH, HOME and LC_ALL of the environment, -e and -u change it; -c
 * closes a descriptor; -i, -b ignore or block a signal by number; -l sets a limit (as,
 * nofile, nproc, fsize, stack, data, memlock); -U drops to a user. Descriptors from 3
 * on are closed first, so a runner's own never show.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	int resource;
} limits[] = {
	{"as", RLIMIT_AS},	     {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC},
	{"fsize", RLIMIT_FSIZE},     {"stack", RLIMIT_STACK},	{"data", RLIMIT_DATA},
	{"memlock", RLIMIT_MEMLOCK},
};

static const char options[] = "+o:t:Ce:u:c:i:b:l:U:";

static void fail(const char *what)
{
	fprintf(stderr, "outcome: %s: %s\n", what, strerror(errno));
	_exit(98);
}

static void set_limit(char *text)
{
	char *value = strchr(text, '=');

	for (size_t i = 0; value && i < sizeof(limits) / sizeof(*limits); i++) {
		size_t n = strlen(limits[i].name);
		struct rlimit limit;

		if ((size_t)(value - text) != n ||
		    strncmp(text, limits[i].name, n) != 0)
			continue;
		limit.rlim_cur = limit.rlim_max = strtoull(value + 1, NULL, 0);
		if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) != 0)
			fail(text);
		return;
	}
	errno = EINVAL;
	fail(text);
}

static void block(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void set_user(uid_t uid)
{
	if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		fail("user");
}

/* A known environment, and none of a developer's secrets in the log of a failure. */
static void clear(void)
{
	static const char *const kept[] = {"PATH", "HOME", "LC_ALL"};
	char *values[3];

	for (size_t i = 0; i < 3; i++) {
		const char *value = getenv(kept[i]);

		values[i] = value ? strdup(value) : NULL;
	}
	clearenv();
	for (size_t i = 0; i < 3; i++)
		if (values[i])
			setenv(kept[i], values[i], 1);
}

/* In the child: the options once more, now in earnest. */
static void set_up(int argc, char **argv)
{
	struct rlimit no_core = {0, 0};
	int option;

	setrlimit(RLIMIT_CORE, &no_core);
	close_range(3, ~0U, 0);
	optind = 1;
	while ((option = getopt(argc, argv, options)) != -1) {
		if (option == 'C')
			clear();
		else if (option == 'e')
			putenv(optarg);
		else if (option == 'u')
			unsetenv(optarg);
		else if (option == 'c')
			close(atoi(optarg));
		else if (option == 'i')
			signal(atoi(optarg), SIG_IGN);
		else if (option == 'b')
			block(atoi(optarg));
		else if (option == 'l')
			set_limit(optarg);
		else if (option == 'U')
			set_user((uid_t)atoi(optarg));
	}
}

static pid_t child;
static volatile sig_atomic_t is_late;

static void too_late(int unused)
{
	(void)unused;
	is_late = 1;
	kill(child, SIGKILL);
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	unsigned seconds = 60;
	int option, status = 0;
	FILE *f;

	while ((option = getopt(argc, argv, options)) != -1) {
		if (option == 'o')
			file = optarg;
		else if (option == 't')
			seconds = (unsigned)atoi(optarg);
		else if (option == '?')
			return 98;
	}
	if (!file || optind >= argc) {
		fprintf(stderr, "outcome: -o FILE and a command are needed\n");
		return 98;
	}
	child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		set_up(argc, argv);
		execvp(argv[optind], argv + optind);
		_exit(errno == ENOENT ? 127 : 126);
	}
	signal(SIGALRM, too_late);
	alarm(seconds);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	f = fopen(file, "w");
	if (!f)
		fail(file);
	if (is_late)
		fprintf(f, "timeout\n");
	else if (WIFSIGNALED(status))
		fprintf(f, "signal %d\n", WTERMSIG(status));
	else
		fprintf(f, "exit %d\n", WEXITSTATUS(status));
	return fclose(f) == 0 && !is_late ? 0 : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists its open files: in main, in a forked child, and in a child after exec. */
#include <dirent.h>

#include "target.h"

static void list(const char *who)
{
	DIR *d = opendir("/proc/self/fd");
	char line[1024], link[4096];
	struct dirent *e;

	MUST(d);
	while ((e = readdir(d))) {
		ssize_t n;

		if (e->d_name[0] == '.' || atoi(e->d_name) == dirfd(d))
			continue;
		n = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);
		link[n < 0 ? 0 : n] = 0;
		/* "anon_inode:" and "/path" compare; "pipe:[123]" must lose its number
		 */
		if (strchr(link, '['))
			*strchr(link, '[') = 0;
		snprintf(line, sizeof(line), "%s %s %.400s\n", who, e->d_name, link);
		say(line);
	}
	snprintf(line, sizeof(line), "%s next %d\n", who, dirfd(d));
	say(line);
	closedir(d);
}

int main(int argc, char **argv)
{
	pid_t pid;

	list(argc > 1 ? argv[1] : "main");
	work(3);
	if (argc > 1)
		return 0;
	pid = fork();
	MUST(pid >= 0);
	if (pid == 0) {
		list("fork");
		work(2);
		_exit(0);
	}
	reap(pid, "fork");
	list("again");
	pid = fork();
	MUST(pid >= 0);
	if (pid == 0) {
		execl("/proc/self/exe", "fds", "exec", (char *)NULL);
		_exit(99);
	}
	reap(pid, "exec");
	return 0;
}

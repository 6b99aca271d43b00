/* SPDX-License-Identifier: BSD-3-Clause */
/* vfork and exec, vfork and _exit, vfork and a failing exec. */
#include "target.h"

static void run(const char *path, const char *word)
{
	pid_t pid = vfork();

	MUST(pid >= 0);
	if (pid == 0) {
		if (path)
			execl(path, path, word, (char *)NULL);
		_exit(path ? 51 : 52);
	}
	reap(pid, word);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		TRACEWRAP_ZONE("after exec");
		return 6;
	}
	work(1);
	run("/proc/self/exe", "exec");
	run("/nonexistent/program", "missing");
	run(NULL, "exit");
	work(1);
	return 0;
}

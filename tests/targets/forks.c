/* SPDX-License-Identifier: BSD-3-Clause */
/* Children of fork with zones and exit codes of their own. */
#include "target.h"

int main(void)
{
	work(5);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		MUST(pid >= 0);
		if (pid == 0) {
			TRACEWRAP_ZONE("child");
			work(i);
			exit(10 + i);
		}
		reap(pid, "child");
	}
	work(5);
	MUST(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	return 0;
}

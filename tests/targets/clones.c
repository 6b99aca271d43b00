/* SPDX-License-Identifier: BSD-3-Clause */
/* Children of the raw clone system call, silent or with events. */
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>

#include "target.h"

static char stack[65536] __attribute__((aligned(16)));

static int child_main(void *word)
{
	execl("/proc/self/exe", "clones", (char *)word, (char *)NULL);
	_exit(99);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "events";
	long pid;

	if (strcmp(mode, "again") == 0) {
		TRACEWRAP_ZONE("again");
		return 21;
	}
	work(1);
	if (strcmp(mode, "vm") == 0) /* what some runtimes do in place of vfork */
		pid = clone(child_main, stack + sizeof(stack),
			    CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)"again");
	else
		pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	MUST(pid >= 0);
	if (pid == 0) {
		if (strcmp(mode, "events") == 0) {
			for (int i = 0; i < 7; i++) {
				TRACEWRAP_ZONE("raw child");
			}
		}
		say("child\n");
		_exit(20);
	}
	reap((pid_t)pid, "raw");
	work(1);
	return 0;
}

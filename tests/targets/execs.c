/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces itself through every exec there is, one after another. */
#include <sys/syscall.h>

#include "target.h"

extern char **environ;

int main(int argc, char **argv)
{
	char *empty[] = {NULL}, *one[] = {(char *)"ONLY=this", NULL};
	int step = argc > 1 ? atoi(argv[1]) : 0, n = 0;
	char next[16], self[4096];
	char *again[] = {self, next, NULL};
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	MUST(length > 0);
	self[length] = 0;
	snprintf(next, sizeof(next), "%d", step + 1);
	while (environ && environ[n])
		n++;
	printf("step %d only %s preload %s variables %s\n", step, getenv("ONLY"),
	       getenv("LD_PRELOAD"),
	       n == 0	? "none"
	       : n == 1 ? "one"
			: "many");
	fflush(stdout);
	{
		TRACEWRAP_ZONE("step");
	}
	switch (step) {
	case 0:
		execv(self, again);
		break;
	case 1:
		execl(self, self, next, (char *)NULL);
		break;
	case 2:
		execvp(self, again);
		break;
	case 3:
		execlp(self, self, next, (char *)NULL);
		break;
	case 4:
		execve(self, again, empty);
		break;
	case 5: /* the environment is empty now, and stays so */
		execv(self, again);
		break;
	case 6:
		execle(self, self, next, (char *)NULL, one);
		break;
	case 7:
		execvpe(self, again, one);
		break;
	case 8:
		fexecve(open(self, O_RDONLY | O_CLOEXEC), again, one);
		break;
	case 9:
		clearenv();
		execv(self, again);
		break;
	case 10:
		setenv("ONLY", "set", 1);
		execvp(self, again);
		break;
	case 11:
		execveat(AT_FDCWD, self, again, one, 0);
		break;
	default:
		return 12;
	}
	return 99;
}

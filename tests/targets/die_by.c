/* SPDX-License-Identifier: BSD-3-Clause */
/* Dies by the signal of its argument after five zones, with one open. */
#include <sys/resource.h>

#include "target.h"

static int find(const char *name)
{
	for (int n = 1; n < 32; n++)
		if (strcmp(sigabbrev_np(n), name) == 0)
			return n;
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "TERM";
	struct rlimit none = {0, 0};
	volatile int *volatile nowhere = (volatile int *)8;

	setrlimit(RLIMIT_CORE, &none);
	work(5);
	say("last words\n");
	TRACEWRAP_ZONE("open at death");
	if (strcmp(name, "SEGV") == 0)
		*nowhere = 1;
	else if (strcmp(name, "ABRT") == 0)
		abort();
	else if (strcmp(name, "ILL") == 0)
		__builtin_trap();
	else if (strcmp(name, "_exit") == 0)
		_exit(9);
	else if (strcmp(name, "exit") == 0)
		exit(9);
	else if (strcmp(name, "quick_exit") == 0)
		quick_exit(9);
	else
		kill(getpid(), find(name));
	for (;;)
		pause();
}

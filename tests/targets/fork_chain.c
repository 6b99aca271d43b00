/* SPDX-License-Identifier: BSD-3-Clause */
/* A child of a child of a child, each with a zone open across the fork. */
#include "target.h"

static int descend(int depth)
{
	TRACEWRAP_ZONE("generation");
	pid_t pid;

	if (depth == 0)
		return 1;
	pid = fork();
	MUST(pid >= 0);
	if (pid == 0)
		_exit(descend(depth - 1) + 1);
	reap(pid, "generation");
	return depth;
}

int main(void)
{
	return descend(5);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* exec that fails leaves everything as it was, and recording goes on. */
#include "target.h"

int main(int argc, char **argv)
{
	char *again[] = {argv[0], NULL};

	(void)argc;
	work(1);
	execv("/nonexistent/program", again);
	printf("missing: %s\n", strerror(errno));
	work(1);
	execv("/", again);
	printf("folder: %s\n", strerror(errno));
	execvp("no-such-program-anywhere", again);
	printf("path: %s\n", strerror(errno));
	execv("/etc/passwd", again);
	printf("text: %s\n", strerror(errno));
	printf("preload %s\n", getenv("LD_PRELOAD"));
	work(1);
	return 0;
}

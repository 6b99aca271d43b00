/* SPDX-License-Identifier: BSD-3-Clause */
/* system() and popen(), with their statuses. */
#include "target.h"

int main(int argc, char **argv)
{
	char command[4200], line[256];
	FILE *pipe;
	int status;

	if (argc > 1) {
		TRACEWRAP_ZONE("below the shell");
		puts(argv[1]);
		return 0;
	}
	work(1);
	status = system("exit 3");
	printf("exit %d\n", WEXITSTATUS(status));
	status = system("kill -TERM $$");
	printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
	fflush(stdout);
	snprintf(command, sizeof(command), "'%.4000s' one; '%.80s' two", argv[0],
		 argv[0]);
	MUST(system(command) == 0);
	snprintf(command, sizeof(command), "'%.4000s' three", argv[0]);
	pipe = popen(command, "r");
	MUST(pipe);
	while (fgets(line, sizeof(line), pipe))
		printf("read %s", line);
	printf("closed %d\n", pclose(pipe));
	pipe = popen("cat", "w");
	MUST(pipe);
	fputs("through cat\n", pipe);
	return pclose(pipe);
}

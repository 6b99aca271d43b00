/* SPDX-License-Identifier: BSD-3-Clause */
/* posix_spawn and posix_spawnp, with attributes and file actions. */
#include <spawn.h>

#include "target.h"

extern char **environ;

int main(int argc, char **argv)
{
	char *again[] = {argv[0], (char *)"child", NULL};
	char *empty[] = {NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (argc > 1) {
		TRACEWRAP_ZONE("spawned");
		printf("variables %d\n", environ && environ[0] ? 1 : 0);
		return 8;
	}
	work(1);
	MUST(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, again, environ) == 0);
	reap(pid, "spawn");
	MUST(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, again, empty) == 0);
	reap(pid, "bare");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	MUST(posix_spawnp(&pid, argv[0], &actions, NULL, again, environ) == 0);
	reap(pid, "spawnp");
	printf("missing %d\n",
	       posix_spawn(&pid, "/nonexistent/x", NULL, NULL, again, environ));
	return 0;
}

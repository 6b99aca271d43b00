/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the environment three ways; all must be as if we were absent. */
#include "target.h"

extern char **environ;

/* A constructor of the program sees the same as main does. */
static int n_early;

__attribute__((constructor)) static void count_early(void)
{
	while (environ[n_early])
		n_early++;
}

int main(int argc, char **argv, char **envp)
{
	const char *preload = getenv("LD_PRELOAD");

	(void)argc;
	(void)argv;
	for (char **e = environ; *e; e++)
		printf("environ %s\n", *e);
	for (char **e = envp; *e; e++)
		printf("envp %s\n", *e);
	printf("early %d\n", n_early);
	printf("LD_PRELOAD %s\n", preload ? preload : "(unset)");
	printf("TRACEWRAP %s\n", getenv("TRACEWRAP_OUTPUT") ? "set" : "(unset)");
	fflush(stdout);
	return system("env | sort");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives up root, then goes on with zones, threads, a child and a second image. */
#include <grp.h>
#include <pthread.h>

#include "target.h"

static void *thread_main(void *unused)
{
	work(5);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	work(1);
	if (argc > 1) {
		puts("second image");
		return 3;
	}
	MUST(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0);
	MUST(setresuid(65534, 65534, 65534) == 0);
	MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		work(5);
		_exit(0);
	}
	wait(NULL);
	execl("/proc/self/exe", "drops_rights", "again", (char *)NULL);
	printf("again: %s\n", strerror(errno));
	return 4;
}

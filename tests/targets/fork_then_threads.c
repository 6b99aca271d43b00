/* SPDX-License-Identifier: BSD-3-Clause */
/* A forked child that goes on with threads of its own, and outlives nobody. */
#include <pthread.h>

#include "target.h"

static void *thread_main(void *unused)
{
	pthread_setname_np(pthread_self(), "grandchild");
	work(20);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pid_t pid = fork();

	MUST(pid >= 0);
	if (pid == 0) {
		for (int i = 0; i < 3; i++) {
			MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
			pthread_join(thread, NULL);
		}
		return 4;
	}
	MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
	pthread_join(thread, NULL);
	reap(pid, "child");
	return 0;
}

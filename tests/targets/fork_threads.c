/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that fork while the others emit zones. */
#include <pthread.h>

#include "target.h"

#define N_THREADS 4
#define N_FORKS	  10

static int n_bad;

static void *thread_main(void *unused)
{
	for (int i = 0; i < N_FORKS; i++) {
		int status = -1;
		pid_t pid;

		work(100);
		pid = fork();
		if (pid == 0) {
			TRACEWRAP_ZONE("child");
			_exit(3);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 3)
			__atomic_add_fetch(&n_bad, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		MUST(pthread_create(&threads[i], NULL, thread_main, NULL) == 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("bad %d\n", n_bad);
	return 0;
}

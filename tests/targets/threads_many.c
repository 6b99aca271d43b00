/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand threads, one after another: thread ids come round again. */
#include <pthread.h>

#include "target.h"

static void *thread_main(void *unused)
{
	work(2);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 0; i < n; i++) {
		pthread_t thread;

		MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
		MUST(pthread_join(thread, NULL) == 0);
	}
	printf("%d threads\n", n);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that emit zones as fast as they can. */
#include <pthread.h>

#include "target.h"

static int n_zones;

static void *thread_main(void *unused)
{
	for (int i = 0; i < n_zones; i++) {
		TRACEWRAP_ZONE("outer");
		TRACEWRAP_TEXT("twenty bytes of text", 20);
		{
			TRACEWRAP_ZONE("inner");
		}
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int n_threads = argc > 1 ? atoi(argv[1]) : 8;

	n_zones = argc > 2 ? atoi(argv[2]) : 20000;
	MUST(n_threads <= 64);
	for (int i = 0; i < n_threads; i++)
		MUST(pthread_create(&threads[i], NULL, thread_main, NULL) == 0);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads, %d zones each\n", n_threads, 2 * n_zones);
	return 0;
}

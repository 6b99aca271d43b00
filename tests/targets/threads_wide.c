/* SPDX-License-Identifier: BSD-3-Clause */
/* Two hundred threads at once, each with a zone open while all are. */
#include <pthread.h>

#include "target.h"

#define N_THREADS 200

static pthread_barrier_t barrier;

static void *thread_main(void *unused)
{
	TRACEWRAP_ZONE("wide");
	pthread_barrier_wait(&barrier);
	work(50);
	pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	static pthread_t threads[N_THREADS];
	pthread_attr_t attr;

	pthread_barrier_init(&barrier, NULL, N_THREADS);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	for (int i = 0; i < N_THREADS; i++)
		MUST(pthread_create(&threads[i], &attr, thread_main, NULL) == 0);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("all met");
	return 0;
}

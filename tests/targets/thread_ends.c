/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that end by pthread_exit, by cancellation and with zones in destructors. */
#include <pthread.h>

#include "target.h"

static pthread_key_t key;
static int n_destroyed;

static void destroy(void *value)
{
	TRACEWRAP_ZONE("destructor");
	n_destroyed++;
	if (value == (void *)1)
		pthread_setspecific(key, (void *)2); /* called a second round */
}

static void *exits(void *unused)
{
	TRACEWRAP_ZONE("exits");
	pthread_setspecific(key, (void *)1);
	pthread_exit(unused);
}

static void *cancelled(void *unused)
{
	TRACEWRAP_ZONE("cancelled");
	pthread_setspecific(key, (void *)1);
	for (;;)
		nap_ms(1000);
	return unused;
}

int main(void)
{
	void *(*ways[])(void *) = {exits, cancelled};

	MUST(pthread_key_create(&key, destroy) == 0);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result;

		MUST(pthread_create(&thread, NULL, ways[i % 2], NULL) == 0);
		if (i % 2)
			pthread_cancel(thread);
		MUST(pthread_join(thread, &result) == 0);
		MUST(!(i % 2) || result == PTHREAD_CANCELED);
	}
	MUST(n_destroyed >= 20);
	work(1);
	puts("joined");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four threads that annotate a million zones each; prints the peak resident memory in
 * KiB, for tests/bench/run.sh to compare with and without us.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include "tracewrap.h"

static void *work(void *argument)
{
	for (int i = 0; i < 1000000; i++) {
		TRACEWRAP_ZONE("busy");
	}
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	struct rusage usage;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* exit() from a second thread while others are in the midst of zones. */
#include <pthread.h>

#include "target.h"

static void *spin(void *unused)
{
	for (;;)
		work(10);
	return unused;
}

static void *leave(void *unused)
{
	TRACEWRAP_ZONE("leaving");
	nap_ms(20);
	puts("leaving");
	exit(14);
	return unused;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		MUST(pthread_create(&thread, NULL, spin, NULL) == 0);
	MUST(pthread_create(&thread, NULL, leave, NULL) == 0);
	pthread_exit(NULL); /* the first thread ends before its process does */
}

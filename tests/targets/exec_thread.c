/* SPDX-License-Identifier: BSD-3-Clause */
/* exec from a thread that is not the first, while others emit zones. */
#include <pthread.h>

#include "target.h"

static void *spin(void *unused)
{
	for (;;)
		work(10);
	return unused;
}

static void *execs(void *unused)
{
	nap_ms(20);
	execl("/proc/self/exe", "exec_thread", "second", (char *)NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1) {
		TRACEWRAP_ZONE("second image");
		puts("second");
		return 13;
	}
	for (int i = 0; i < 3; i++)
		MUST(pthread_create(&thread, NULL, spin, NULL) == 0);
	MUST(pthread_create(&thread, NULL, execs, NULL) == 0);
	pthread_join(thread, NULL);
	return 99;
}

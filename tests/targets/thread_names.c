/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads named by every way there is. */
#include <pthread.h>
#include <sys/prctl.h>

#include "target.h"

static pthread_barrier_t barrier;

static void *by_pthread(void *unused)
{
	pthread_setname_np(pthread_self(), "by-pthread");
	work(1);
	return unused;
}

static void *by_prctl(void *unused)
{
	prctl(PR_SET_NAME, "by-prctl");
	work(1);
	return unused;
}

static void *by_annotation(void *unused)
{
	TRACEWRAP_THREAD_NAME("by annotation, longer than fifteen bytes");
	work(1);
	return unused;
}

static void *by_other(void *unused)
{
	work(1);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void print_name(void)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	puts(name);
}

int main(void)
{
	void *(*ways[])(void *) = {by_pthread, by_prctl, by_annotation};
	pthread_t thread;

	for (int i = 0; i < 3; i++) {
		MUST(pthread_create(&thread, NULL, ways[i], NULL) == 0);
		pthread_join(thread, NULL);
	}
	pthread_barrier_init(&barrier, NULL, 2);
	MUST(pthread_create(&thread, NULL, by_other, NULL) == 0);
	pthread_barrier_wait(&barrier);
	MUST(pthread_setname_np(thread, "by-another") == 0);
	MUST(pthread_setname_np(thread, "a name much too long") == ERANGE);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	print_name();
	return 0;
}

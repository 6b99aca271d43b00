/* SPDX-License-Identifier: BSD-3-Clause */
/* Zones on the smallest stacks a thread or a handler may have. */
#include <limits.h>
#include <pthread.h>

#include "target.h"

static volatile sig_atomic_t n_handled;

static void *thread_main(void *unused)
{
	work(10);
	TRACEWRAP_MESSAGE("small", 5);
	return unused;
}

static void handler(int unused)
{
	(void)unused;
	work(1);
	n_handled++;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = (size_t)MINSIGSTKSZ};
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	MUST(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN) == 0);
	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		MUST(pthread_create(&thread, &attr, thread_main, NULL) == 0);
		pthread_join(thread, NULL);
	}
	stack.ss_sp = malloc(stack.ss_size);
	MUST(stack.ss_sp && sigaltstack(&stack, NULL) == 0);
	MUST(sigaction(SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	printf("handled %d\n", (int)n_handled);
	return 0;
}

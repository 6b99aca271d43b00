/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread and zones from before any library was initialised, and constructors. */
#include <pthread.h>

#include "target.h"

static pthread_t thread;
static volatile int is_main_running;

static void *thread_main(void *unused)
{
	while (!is_main_running)
		nap_ms(1);
	for (int i = 0; i < 10; i++) {
		TRACEWRAP_ZONE("early thread");
	}
	return unused;
}

static void before_all(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
	TRACEWRAP_ZONE("preinit");
	MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const entry)(int, char **, char **) = before_all;

__attribute__((constructor)) static void construct(void)
{
	TRACEWRAP_ZONE("constructor");
}

__attribute__((destructor)) static void destruct(void)
{
	TRACEWRAP_ZONE("destructor");
	say("destructor\n");
}

static void at_exit(void)
{
	TRACEWRAP_ZONE("atexit");
	puts("atexit");
}

int main(void)
{
	atexit(at_exit);
	is_main_running = 1;
	pthread_join(thread, NULL);
	puts("main");
	return 0;
}

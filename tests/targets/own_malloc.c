/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings its own malloc and prints how often it was called: never by us. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "target.h"

static _Atomic size_t n_calls, used;
static char arena[1 << 22] __attribute__((aligned(16)));

void *malloc(size_t bytes)
{
	size_t at = atomic_fetch_add(&used, (bytes + 31) & ~(size_t)15);

	atomic_fetch_add(&n_calls, 1);
	if (at + bytes + 32 > sizeof(arena))
		return NULL;
	memcpy(arena + at, &bytes, sizeof(bytes));
	return arena + at + 16;
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t n, size_t bytes)
{
	return malloc(n * bytes); /* never reused, so still zero */
}

void *realloc(void *old, size_t bytes)
{
	void *new = malloc(bytes);
	size_t had = 0;

	if (old && new) {
		memcpy(&had, (char *)old - 16, sizeof(had));
		memcpy(new, old, had < bytes ? had : bytes);
	}
	return new;
}

static void *thread_main(void *unused)
{
	work(100);
	TRACEWRAP_MESSAGE("hello", 5);
	return unused;
}

int main(void)
{
	size_t before = n_calls;
	pthread_t thread;
	char line[64];

	work(1000);
	TRACEWRAP_THREAD_NAME("main");
	snprintf(line, sizeof(line), "before main %zu\nannotations %zu\n", before,
		 n_calls - before);
	say(line);
	MUST(pthread_create(&thread, NULL, thread_main, NULL) == 0);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		work(10);
		_exit(0);
	}
	wait(NULL);
	snprintf(line, sizeof(line), "in all %zu\n", (size_t)n_calls);
	say(line);
	return 0;
}

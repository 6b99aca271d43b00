/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowers one of its own limits and goes on, with a new thread and zones. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "target.h"

static const struct {
	const char *name;
	int resource;
	rlim_t value;
} rows[] = {
	{"AS", RLIMIT_AS, 0}, /* 0: what is in use, and 32 MiB */
	{"NOFILE", RLIMIT_NOFILE, 3},	{"NPROC", RLIMIT_NPROC, 1},
	{"FSIZE", RLIMIT_FSIZE, 4096},	{"STACK", RLIMIT_STACK, 65536},
	{"MEMLOCK", RLIMIT_MEMLOCK, 0},
};

static void *thread_main(void *unused)
{
	work(10);
	return unused;
}

static rlim_t in_use(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	MUST(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return pages * 4096 + (32u << 20);
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	MUST(argc > 1);
	work(1);
	if (strcmp(argv[1], "mlockall") == 0)
		printf("mlockall %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].name, argv[1]) != 0)
			continue;
		limit.rlim_cur = limit.rlim_max = rows[i].value;
		if (rows[i].resource == RLIMIT_AS)
			limit.rlim_cur = limit.rlim_max = in_use();
		MUST(setrlimit((__rlimit_resource_t)rows[i].resource, &limit) == 0);
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	error = pthread_create(&thread, &attr, thread_main, NULL);
	printf("thread %d\n", error);
	if (error == 0)
		pthread_join(thread, NULL);
	work(1000);
	puts("done");
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first look: three threads sort and add numbers, with zones, a plot, frames and
 * messages. Nothing to link: build it anywhere with the header and -pthread.
 *
 *	tracewrap ./hello
 *	tracewrap report hello.*.tracy
 */
#define _GNU_SOURCE 1 /* pthread_setname_np */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracewrap.h>

#define N_THREADS 3
#define N_ROUNDS  10
#define N_NUMBERS 20000

struct job {
	pthread_t thread;
	unsigned seed;
	uint64_t sum;
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void fill(uint32_t *numbers, unsigned *seed)
{
	TRACEWRAP_ZONE("fill");
	for (size_t i = 0; i < N_NUMBERS; i++)
		numbers[i] = (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

static uint64_t add(const uint32_t *numbers)
{
	TRACEWRAP_ZONE("add");
	uint64_t sum = 0;

	for (size_t i = 0; i < N_NUMBERS; i += 100)
		sum += numbers[i];
	TRACEWRAP_VALUE(sum);
	return sum;
}

static void play(struct job *job, uint32_t *numbers, int round)
{
	TRACEWRAP_ZONE("round");
	char text[32];
	int length = snprintf(text, sizeof(text), "round %d", round);

	TRACEWRAP_TEXT(text, (size_t)length);
	fill(numbers, &job->seed);
	{
		TRACEWRAP_ZONE_COLOUR("sort", 0xcc6633);
		qsort(numbers, N_NUMBERS, sizeof(*numbers), compare);
	}
	job->sum += add(numbers);
	TRACEWRAP_PLOT("sum", (double)job->sum);
}

static void *run(void *argument)
{
	struct job *job = argument;
	uint32_t *numbers = malloc(N_NUMBERS * sizeof(*numbers));
	char name[16];

	snprintf(name, sizeof(name), "sorter-%u", job->seed);
	pthread_setname_np(pthread_self(), name);
	for (int round = 0; numbers && round < N_ROUNDS; round++)
		play(job, numbers, round);
	free(numbers);
	return NULL;
}

int main(void)
{
	struct job jobs[N_THREADS];
	uint64_t sum = 0;

	TRACEWRAP_ZONE("main");
	for (unsigned i = 0; i < N_THREADS; i++) {
		jobs[i] = (struct job){.seed = i + 1};
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) != 0)
			return 1;
	}
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		sum += jobs[i].sum;
		TRACEWRAP_FRAME(NULL);
	}
	TRACEWRAP_MESSAGE("all sorted", strlen("all sorted"));
	printf("hello: sorted %d numbers in %d threads, checksum %llu\n",
	       N_THREADS * N_ROUNDS * N_NUMBERS, N_THREADS, (unsigned long long)sum);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls into a library, and what they cost: run bare, under `tracewrap -t` and under
 * other tracers by tests/bench/run.sh. Prints "floor_best floor_median one_best
 * one_median many_best many_median": nanoseconds of CPU time for two bare timestamps,
 * for a call of one function, and for a call of one out of 64 in random order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "called.h"

#define BLOCKS 200
#define CALLS  4000

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t stamp(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#else
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t two_stamps(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < CALLS; i++) {
		sum += stamp();
		sum ^= stamp();
	}
	return sum;
}

static uint64_t one_function(void)
{
	int x = 0;

	for (int i = 0; i < CALLS; i++)
		x = called_01(x);
	return (uint64_t)x;
}

static uint64_t many_functions(void)
{
	static uint32_t seed = 1;
	int x = 0;

	for (int i = 0; i < CALLS; i++) {
		seed = seed * 1664525 + 1013904223;
		switch (seed >> 26) {
#define ONE(n)                                                                         \
	case 010 * ((0x##n) >> 4) + ((0x##n) & 7):                                     \
		x = called_##n(x);                                                     \
		break;
			CALLED(ONE)
		}
	}
	return (uint64_t)x;
}

int main(void)
{
	static uint64_t (*const what[3])(void) = {two_stamps, one_function,
						  many_functions};
	static double ns[3][BLOCKS];
	volatile uint64_t sink = 0;

	for (int b = 0; b < BLOCKS; b++) {
		for (int i = 0; i < 3; i++) {
			double start = cpu_ns();

			sink += what[i]();
			ns[i][b] = (cpu_ns() - start) / CALLS;
		}
	}
	for (int i = 0; i < 3; i++) {
		qsort(ns[i], BLOCKS, sizeof(double), compare);
		printf("%.2f %.2f ", ns[i][0], ns[i][BLOCKS / 2]);
	}
	printf("\n");
	return 0;
}

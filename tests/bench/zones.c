/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does nothing but annotate, and measures what that costs: run bare,
 * under `tracewrap` and under a bare LD_PRELOAD by tests/bench/run.sh. Prints
 * "floor_best floor_median zone_best zone_median", nanoseconds of CPU time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tracewrap.h"

#define BLOCKS 300
#define ZONES  4000

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

int main(void)
{
	static double floor_ns[BLOCKS], zone_ns[BLOCKS];
	volatile uint64_t sink = 0;

	for (int b = 0; b < BLOCKS; b++) {
		double start = cpu_ns();
		uint64_t sum = 0;

		for (int i = 0; i < ZONES; i++) {
			sum += stamp();
			sum ^= stamp();
		}
		sink += sum;
		floor_ns[b] = (cpu_ns() - start) / ZONES;
		start = cpu_ns();
		for (int i = 0; i < ZONES; i++) {
			struct tracewrap_zone z = TRACEWRAP_BEGIN("zone");

			TRACEWRAP_END(z);
		}
		zone_ns[b] = (cpu_ns() - start) / ZONES;
	}
	qsort(floor_ns, BLOCKS, sizeof(double), compare);
	qsort(zone_ns, BLOCKS, sizeof(double), compare);
	printf("%.2f %.2f %.2f %.2f\n", floor_ns[0], floor_ns[BLOCKS / 2], zone_ns[0],
	       zone_ns[BLOCKS / 2]);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does nothing but annotate, and measures what that costs: run bare,
 * under `tracewrap` and under a bare LD_PRELOAD by tests/bench/run.sh, with and without
 * a viewer by tests/bench/live.sh:
 *	zones [PAUSE_MS [BLOCKS]]
 * It waits before it starts, so that a viewer can connect. Prints "floor_best
 * floor_median zone_best zone_median wall": nanoseconds of CPU time, and nanoseconds of
 * wall time that a floor and a zone took together.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tracewrap.h"

#define BLOCKS	   300
#define BLOCKS_MAX 10000
#define ZONES	   4000

static double clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
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

/* CPU time of one of ZONES turns: two readings of the clock. */
static double floor_block(void)
{
	static volatile uint64_t sink;
	double start = cpu_ns();
	uint64_t sum = 0;

	for (int i = 0; i < ZONES; i++) {
		sum += stamp();
		sum ^= stamp();
	}
	sink += sum;
	return (cpu_ns() - start) / ZONES;
}

/* And of one zone. */
static double zone_block(void)
{
	double start = cpu_ns();

	for (int i = 0; i < ZONES; i++) {
		struct tracewrap_zone z = TRACEWRAP_BEGIN("zone");

		TRACEWRAP_END(z);
	}
	return (cpu_ns() - start) / ZONES;
}

int main(int argc, char **argv)
{
	static double floor_ns[BLOCKS_MAX], zone_ns[BLOCKS_MAX];
	int pause_ms = argc > 1 ? atoi(argv[1]) : 0;
	int blocks = argc > 2 ? atoi(argv[2]) : BLOCKS;
	struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000L};
	double wall;

	if (blocks < 1 || blocks > BLOCKS_MAX)
		return 2;
	nanosleep(&pause, NULL);
	wall = -clock_ns(CLOCK_MONOTONIC);
	for (int b = 0; b < blocks; b++) {
		floor_ns[b] = floor_block();
		zone_ns[b] = zone_block();
	}
	wall += clock_ns(CLOCK_MONOTONIC);
	qsort(floor_ns, (size_t)blocks, sizeof(double), compare);
	qsort(zone_ns, (size_t)blocks, sizeof(double), compare);
	printf("%.2f %.2f %.2f %.2f %.2f\n", floor_ns[0], floor_ns[blocks / 2],
	       zone_ns[0], zone_ns[blocks / 2], wall / blocks / ZONES);
	return 0;
}

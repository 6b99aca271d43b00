/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recording clock. Ticks are the CPU's invariant counter where it can be trusted
 * and nanoseconds of CLOCK_MONOTONIC_RAW otherwise; anchors tie ticks to both system
 * clocks. The kind is chosen once per run (by whoever creates the arena) and obeyed by
 * every process of it. tw_clock_ticks is on every event's way; any thread.
 */
#ifndef TW_CLOCK_H
#define TW_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "core/options.h"

enum tw_clock_kind { TW_CLOCK_KIND_COUNTER = 0, TW_CLOCK_KIND_RAW = 1 };

/* The same moment on all clocks. */
struct tw_clock_anchor {
	uint64_t ticks;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t wall_ns;      /* CLOCK_REALTIME */
};

/* Why the counter is or is not used; index into tw_clock_reasons. */
enum tw_clock_reason {
	TW_CLOCK_REASON_INVARIANT,
	TW_CLOCK_REASON_ASKED,
	TW_CLOCK_REASON_NOT_INVARIANT,
	TW_CLOCK_REASON_UNSTABLE,
	TW_CLOCK_REASON_COUNT
};
extern const char *const tw_clock_reasons[TW_CLOCK_REASON_COUNT];

/* Picks the clock of a run. Never fails. */
enum tw_clock_kind tw_clock_choose(enum tw_clock_choice choice,
				   enum tw_clock_reason *reason);

/* Takes an anchor: the tightest of a few readings. */
struct tw_clock_anchor tw_clock_anchor_take(enum tw_clock_kind kind);

static inline uint64_t tw_clock_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t tw_clock_counter(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

static inline uint64_t tw_clock_ticks(enum tw_clock_kind kind)
{
	return __builtin_expect(kind == TW_CLOCK_KIND_COUNTER, 1) ? tw_clock_counter()
								  : tw_clock_raw_ns();
}

#endif

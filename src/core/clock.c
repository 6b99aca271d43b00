/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice of the recording clock and its anchors; see clock.h. Runs once per run
 * (choice) and about once a second in the pump (anchors).
 */
#include "core/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <string.h>

#include "core/sys.h"

const char *const tw_clock_reasons[TW_CLOCK_REASON_COUNT] = {
	[TW_CLOCK_REASON_INVARIANT] = "the CPU's counter is invariant",
	[TW_CLOCK_REASON_ASKED] = "--clock asked for it",
	[TW_CLOCK_REASON_NOT_INVARIANT] = "the CPU's counter is not invariant",
	[TW_CLOCK_REASON_UNSTABLE] = "the kernel does not trust the CPU's counter",
};

/* Kernel clock sources that are themselves built on an invariant counter. */
static const char *const trusted_sources[] = {
	"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "xen",
};

static int counter_is_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return 1; /* the Arm generic timer is, by its architecture */
#endif
}

/* An unreadable clock source (no /sys in a container) does not speak against the CPU.
 */
static int kernel_trusts_counter(void)
{
	char name[64] = "";
	int fd = tw_sys_open("/sys/devices/system/clocksource/clocksource0/"
			     "current_clocksource",
			     O_RDONLY, 0);
	long n;

	if (fd < 0)
		return 1;
	n = tw_sys_read(fd, name, sizeof(name) - 1);
	tw_sys_close(fd);
	if (n <= 0)
		return 1;
	name[n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(trusted_sources) / sizeof(*trusted_sources); i++)
		if (strcmp(name, trusted_sources[i]) == 0)
			return 1;
	return 0;
}

enum tw_clock_kind tw_clock_choose(enum tw_clock_choice choice,
				   enum tw_clock_reason *reason)
{
	*reason = TW_CLOCK_REASON_ASKED;
	if (choice == TW_CLOCK_TSC)
		return TW_CLOCK_KIND_COUNTER;
	if (choice == TW_CLOCK_MONOTONIC)
		return TW_CLOCK_KIND_RAW;
	*reason = TW_CLOCK_REASON_NOT_INVARIANT;
	if (!counter_is_invariant())
		return TW_CLOCK_KIND_RAW;
	*reason = TW_CLOCK_REASON_UNSTABLE;
	if (!kernel_trusts_counter())
		return TW_CLOCK_KIND_RAW;
	*reason = TW_CLOCK_REASON_INVARIANT;
	return TW_CLOCK_KIND_COUNTER;
}

struct tw_clock_anchor tw_clock_anchor_take(enum tw_clock_kind kind)
{
	struct tw_clock_anchor best = {0};
	uint64_t best_gap = UINT64_MAX;

	/* A reading torn apart by a context switch shows as a wide gap: take the best.
	 */
	for (int i = 0; i < 5; i++) {
		uint64_t before = tw_clock_ticks(kind);
		uint64_t raw = tw_clock_raw_ns();
		uint64_t after = tw_clock_ticks(kind);
		struct timespec wall;

		clock_gettime(CLOCK_REALTIME, &wall);
		if (after - before >= best_gap)
			continue;
		best_gap = after - before;
		best.ticks = before + (after - before) / 2;
		best.monotonic_ns = raw;
		best.wall_ns =
			(uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
	}
	return best;
}

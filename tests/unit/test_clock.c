/* SPDX-License-Identifier: BSD-3-Clause */
/* The recording clock: choice, fallback, anchors. */
#include <criterion/criterion.h>
#include <time.h>

#include "core/clock.h"

Test(clock, obeys_what_the_user_asks_for)
{
	enum tw_clock_reason reason;

	cr_assert_eq(tw_clock_choose(TW_CLOCK_MONOTONIC, &reason), TW_CLOCK_KIND_RAW);
	cr_assert_eq(reason, TW_CLOCK_REASON_ASKED);
	cr_assert_eq(tw_clock_choose(TW_CLOCK_TSC, &reason), TW_CLOCK_KIND_COUNTER);
	cr_assert_eq(reason, TW_CLOCK_REASON_ASKED);
}

Test(clock, always_finds_one_and_says_why)
{
	enum tw_clock_reason reason = TW_CLOCK_REASON_COUNT;
	enum tw_clock_kind kind = tw_clock_choose(TW_CLOCK_AUTO, &reason);

	cr_assert(kind == TW_CLOCK_KIND_COUNTER || kind == TW_CLOCK_KIND_RAW);
	cr_assert_lt(reason, TW_CLOCK_REASON_COUNT);
	cr_assert_not_null(tw_clock_reasons[reason]);
	cr_assert_eq(kind == TW_CLOCK_KIND_COUNTER,
		     reason == TW_CLOCK_REASON_INVARIANT);
}

Test(clock, raw_ticks_are_nanoseconds)
{
	struct tw_clock_anchor a = tw_clock_anchor_take(TW_CLOCK_KIND_RAW);

	/* The same clock, read a moment apart. */
	cr_assert_leq(a.ticks > a.monotonic_ns ? a.ticks - a.monotonic_ns
					       : a.monotonic_ns - a.ticks,
		      100000000u);
}

Test(clock, anchors_give_the_rate_of_the_counter)
{
	enum tw_clock_reason reason;
	enum tw_clock_kind kind = tw_clock_choose(TW_CLOCK_AUTO, &reason);
	struct timespec nap = {0, 20000000};
	struct tw_clock_anchor a[3];
	double rate[2];

	for (int i = 0; i < 3; i++) {
		a[i] = tw_clock_anchor_take(kind);
		nanosleep(&nap, NULL);
	}
	for (int i = 0; i < 2; i++) {
		cr_assert_gt(a[i + 1].ticks, a[i].ticks);
		cr_assert_gt(a[i + 1].monotonic_ns, a[i].monotonic_ns);
		cr_assert_geq(a[i + 1].wall_ns, a[i].wall_ns);
		rate[i] = (double)(a[i + 1].ticks - a[i].ticks) /
			  (double)(a[i + 1].monotonic_ns - a[i].monotonic_ns);
	}
	/* An interrupt may tear one reading; a wrong unit would be off by far more. */
	cr_assert_float_eq(rate[0] / rate[1], 1.0, 0.01);
}

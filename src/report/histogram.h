/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distribution of one name's durations, for quantiles. The first values are kept as
 * they are: exact, and most names of a program have few. Then a log-linear histogram of
 * 32 steps an octave takes over: a quantile is off by at most 1/64 (1.6 %), below 64 it
 * is exact. Octaves take memory when they are first hit. Report only, single thread.
 */
#ifndef TW_HISTOGRAM_H
#define TW_HISTOGRAM_H

#include <stdint.h>

#define TW_HISTOGRAM_VALUES  32u
#define TW_HISTOGRAM_STEPS   32u
#define TW_HISTOGRAM_OCTAVES 60u

struct tw_octaves;

struct tw_histogram {
	uint64_t *values; /* while there are few */
	struct tw_octaves *octaves;
	uint32_t n_values, room;
};

/* Counts one value. Returns 0 or -ENOMEM. */
int tw_histogram_add(struct tw_histogram *histogram, uint64_t value)
	__attribute__((warn_unused_result));

/*
 * The smallest value that at least `permille` of the counted ones do not exceed
 * (nearest rank), as the middle of its step; 0 for an empty histogram.
 */
uint64_t tw_histogram_quantile(const struct tw_histogram *histogram, unsigned permille);

void tw_histogram_free(struct tw_histogram *histogram);

#endif

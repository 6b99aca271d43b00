/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See histogram.h. Octave 0 holds 0..31, octave o > 0 the values whose highest bit is
 * bit o + 4, in 32 steps of 2^(o-1).
 */
#include "report/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEP_BITS 5

/* Counters stop at their end: that takes four billion zones of one name in one step. */
typedef uint32_t steps[TW_HISTOGRAM_STEPS];

struct tw_octaves {
	uint8_t place[TW_HISTOGRAM_OCTAVES]; /* 1 + index into steps; 0 = none */
	uint8_t n, room;
	steps *steps;
};

static unsigned octave_of(uint64_t value)
{
	if (value < TW_HISTOGRAM_STEPS)
		return 0;
	return (unsigned)(63 - __builtin_clzll(value)) - STEP_BITS + 1;
}

static unsigned step_of(uint64_t value, unsigned octave)
{
	return (unsigned)(octave ? value >> (octave - 1) : value) &
	       (TW_HISTOGRAM_STEPS - 1);
}

static uint64_t middle_of(unsigned octave, unsigned step)
{
	if (octave == 0)
		return step;
	return ((uint64_t)(TW_HISTOGRAM_STEPS + step) << (octave - 1)) +
	       (((uint64_t)1 << (octave - 1)) >> 1);
}

static int open_octave(struct tw_octaves *o, unsigned octave)
{
	if (o->n == o->room) {
		uint8_t room = (uint8_t)(o->room + 3);
		void *grown = realloc(o->steps, room * sizeof(*o->steps));

		if (!grown)
			return -ENOMEM;
		o->steps = grown;
		o->room = room;
	}
	memset(o->steps[o->n], 0, sizeof(*o->steps));
	o->place[octave] = ++o->n;
	return 0;
}

static int count(struct tw_octaves *o, uint64_t value)
{
	unsigned octave = octave_of(value);
	uint32_t *counter;

	if (o->place[octave] == 0 && open_octave(o, octave) < 0)
		return -ENOMEM;
	counter = &o->steps[o->place[octave] - 1][step_of(value, octave)];
	*counter += *counter < UINT32_MAX;
	return 0;
}

/* From single values to octaves. */
static int spill(struct tw_histogram *h)
{
	h->octaves = calloc(1, sizeof(*h->octaves));
	if (!h->octaves)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->n_values; i++)
		if (count(h->octaves, h->values[i]) < 0)
			return -ENOMEM;
	free(h->values);
	h->values = NULL;
	h->n_values = h->room = 0;
	return 0;
}

int tw_histogram_add(struct tw_histogram *h, uint64_t value)
{
	if (h->octaves)
		return count(h->octaves, value);
	if (h->n_values == TW_HISTOGRAM_VALUES)
		return spill(h) < 0 ? -ENOMEM : count(h->octaves, value);
	if (h->n_values == h->room) {
		uint32_t room = h->room ? h->room * 2 : 4;
		uint64_t *grown = realloc(h->values, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		h->values = grown;
		h->room = room;
	}
	h->values[h->n_values++] = value;
	return 0;
}

/* Which of n values in order a quantile is, from 1. */
static uint64_t rank_of(uint64_t n, unsigned permille)
{
	uint64_t rank = n / 1000 * permille + (n % 1000 * permille + 999) / 1000;

	return rank ? rank : 1;
}

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static uint64_t quantile_of_values(const struct tw_histogram *h, unsigned permille)
{
	uint64_t sorted[TW_HISTOGRAM_VALUES];

	if (h->n_values == 0)
		return 0;
	memcpy(sorted, h->values, h->n_values * sizeof(*sorted));
	qsort(sorted, h->n_values, sizeof(*sorted), compare);
	return sorted[rank_of(h->n_values, permille) - 1];
}

static uint64_t count_all(const struct tw_octaves *o)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < o->n; i++)
		for (unsigned step = 0; step < TW_HISTOGRAM_STEPS; step++)
			n += o->steps[i][step];
	return n;
}

uint64_t tw_histogram_quantile(const struct tw_histogram *h, unsigned permille)
{
	const struct tw_octaves *o = h->octaves;
	uint64_t rank, seen = 0;

	if (!o)
		return quantile_of_values(h, permille);
	rank = rank_of(count_all(o), permille);
	for (unsigned octave = 0; octave < TW_HISTOGRAM_OCTAVES; octave++) {
		if (o->place[octave] == 0)
			continue;
		for (unsigned step = 0; step < TW_HISTOGRAM_STEPS; step++) {
			seen += o->steps[o->place[octave] - 1][step];
			if (seen >= rank)
				return middle_of(octave, step);
		}
	}
	return 0;
}

void tw_histogram_free(struct tw_histogram *h)
{
	if (h->octaves)
		free(h->octaves->steps);
	free(h->octaves);
	free(h->values);
	memset(h, 0, sizeof(*h));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words at the end of a run: at most 12 lines on stderr, silenced by --quiet.
 */
#ifndef TW_SUMMARY_H
#define TW_SUMMARY_H

#include "cmd/keeper.h"
#include "cmd/outputs.h"

struct tw_summary {
	const struct tw_keeper_news *news;
	const struct tw_outputs *outputs;
	const struct tw_config *config;
	struct tw_arena *arena;
	const char *program;
	const char *not_recorded; /* why the program itself could not be, or NULL */
	uint64_t wall_ns;
	uint64_t ns_per_event; /* what an event costs here, measured */
};

void tw_summary_print(const struct tw_summary *summary);

/* Measures what recording one event costs on this machine; about 50 us of work. */
uint64_t tw_summary_measure(const struct tw_config *config);

#endif

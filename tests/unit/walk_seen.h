/* SPDX-License-Identifier: BSD-3-Clause */
/* Test help: walks a file and keeps a copy of everything that came by. */
#ifndef TW_WALK_SEEN_H
#define TW_WALK_SEEN_H

#include "spool_builder.h"
#include "trace/walk.h"

#define SEEN_MAX 512

/* What a walk saw, copied. */
struct seen {
	struct tw_zone zones[SEEN_MAX];
	char texts[SEEN_MAX][64], names[SEEN_MAX][64];
	uint32_t n_zones;
	uint64_t message_ns[SEEN_MAX];
	char messages[SEEN_MAX][64];
	uint32_t n_messages;
	double plot;
	char plot_name[64], frame_name[64], mark[64];
	uint64_t mark_ns, gate_ns;
	int n_gates_on, n_gates_off;
	struct tw_walk_counts counts;
};

extern struct seen seen; /* by the last walk */
extern struct tw_fault fault;

/* Saves the file and opens it as a timeline. */
struct tw_timeline *open_file(const struct bytes *file);

/* Walks it into `seen`. */
void walk(struct tw_timeline *timeline);

void expect_zone(uint32_t i, uint32_t location, uint64_t begin, uint64_t duration,
		 uint64_t self, uint64_t depth);

/* Events: alpha[100..1000]{ beta[200..300], gamma[400..900]{ beta[500..600] } } */
void put_tree(struct payload *p);

/* Two threads and three blocks each, with everything in them; times stay the same
 * whatever single block is lost. */
struct bytes busy_file(void);

#endif

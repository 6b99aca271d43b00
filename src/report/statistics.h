/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The statistics of zones by name, filled from the zone walker. One row for each (name,
 * file, line, layer), and with a grouping for each of them in each process or thread.
 * Memory grows with rows. Report only, single thread.
 */
#ifndef TW_STATISTICS_H
#define TW_STATISTICS_H

#include "core/options.h"
#include "report/histogram.h"
#include "trace/walk.h"

struct tw_row {
	const struct tw_place *place;
	const struct tw_process *process; /* NULL unless grouped */
	const struct tw_thread *thread;	  /* NULL unless grouped by thread */
	uint64_t count;
	uint64_t total_ns, self_ns, min_ns, max_ns;
	struct tw_histogram histogram; /* empty for a single zone */
};

struct tw_statistics;

/* NULL without memory. The timeline must outlive it. */
struct tw_statistics *tw_statistics_new(const struct tw_timeline *timeline,
					enum tw_by by);
void tw_statistics_free(struct tw_statistics *statistics);

/* Counts one zone in. Returns 0 or -ENOMEM. */
int tw_statistics_add(struct tw_statistics *statistics, const struct tw_zone *zone)
	__attribute__((warn_unused_result));

/*
 * The rows, highest first; when grouped, group by group in the order of their numbers.
 * Owned by the statistics, which take no more zones after this.
 */
const struct tw_row *tw_statistics_sort(struct tw_statistics *statistics,
					enum tw_sort sort, size_t *n);

uint64_t tw_row_mean_ns(const struct tw_row *row);
uint64_t tw_row_p99_ns(const struct tw_row *row);

/* How many zones of that thread were counted. */
uint64_t tw_statistics_thread_zones(const struct tw_statistics *statistics,
				    uint32_t thread);

#endif

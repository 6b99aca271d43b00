/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns ticks of the recording clock into nanoseconds since the session's start, by
 * the line through the first and the last anchor of a spool. Filled by the timeline's
 * first pass, then read-only.
 */
#ifndef TW_CLOCK_MAP_H
#define TW_CLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"

#define TW_CLOCK_SHIFT 48

struct tw_clock_map {
	struct tw_clock_anchor first; /* by ticks */
	struct tw_clock_anchor last;
	uint64_t n_anchors;
	uint32_t kind;	 /* enum tw_clock_kind of the anchors */
	uint64_t origin; /* ticks of the session's start; UINT64_MAX = not known yet */
	uint64_t factor; /* ns per tick, times 2^TW_CLOCK_SHIFT */
	bool is_assumed; /* the rate is a guess: 1 tick = 1 ns */
};

void tw_clock_map_init(struct tw_clock_map *map);
void tw_clock_map_anchor(struct tw_clock_map *map, const struct tw_clock_anchor *anchor,
			 uint32_t kind);

/* The session is at least as old as `ticks`; 0 means unknown and is ignored. */
void tw_clock_map_seen(struct tw_clock_map *map, uint64_t ticks);

/* Settles origin and rate; ticks can be converted from here on. */
void tw_clock_map_finish(struct tw_clock_map *map);

/* Wall clock (ns since 1970) of the origin; 0 when there is no anchor. */
uint64_t tw_clock_map_wall_ns(const struct tw_clock_map *map);

/* Nanoseconds since the origin; 0 for earlier ticks, never more than INT64_MAX. */
static inline uint64_t tw_clock_map_ns(const struct tw_clock_map *map, uint64_t ticks)
{
	unsigned __int128 ns;

	if (ticks <= map->origin)
		return 0;
	ns = (unsigned __int128)(ticks - map->origin) * map->factor;
	ns = (ns + ((uint64_t)1 << (TW_CLOCK_SHIFT - 1))) >> TW_CLOCK_SHIFT;
	return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

#endif

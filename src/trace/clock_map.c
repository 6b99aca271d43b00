/* SPDX-License-Identifier: BSD-3-Clause */
/* See clock_map.h. */
#include "trace/clock_map.h"

#include <string.h>

#define ONE_TO_ONE ((uint64_t)1 << TW_CLOCK_SHIFT)

void tw_clock_map_init(struct tw_clock_map *map)
{
	memset(map, 0, sizeof(*map));
	map->origin = UINT64_MAX;
	map->factor = ONE_TO_ONE;
}

void tw_clock_map_anchor(struct tw_clock_map *map, const struct tw_clock_anchor *anchor,
			 uint32_t kind)
{
	if (map->n_anchors == 0 || anchor->ticks < map->first.ticks)
		map->first = *anchor;
	if (map->n_anchors == 0 || anchor->ticks > map->last.ticks)
		map->last = *anchor;
	map->n_anchors++;
	map->kind = kind;
	tw_clock_map_seen(map, anchor->ticks);
}

void tw_clock_map_seen(struct tw_clock_map *map, uint64_t ticks)
{
	if (ticks != 0 && ticks < map->origin)
		map->origin = ticks;
}

/* The rate between the outer anchors, or 0 when they give none. */
static uint64_t measured_factor(const struct tw_clock_map *map)
{
	uint64_t ticks = map->last.ticks - map->first.ticks;
	unsigned __int128 factor;

	if (map->n_anchors < 2 || ticks == 0 ||
	    map->last.monotonic_ns <= map->first.monotonic_ns)
		return 0;
	factor = (unsigned __int128)(map->last.monotonic_ns - map->first.monotonic_ns)
		 << TW_CLOCK_SHIFT;
	factor = (factor + ticks / 2) / ticks;
	return factor > UINT64_MAX ? 0 : (uint64_t)factor;
}

void tw_clock_map_finish(struct tw_clock_map *map)
{
	if (map->origin == UINT64_MAX)
		map->origin = 0;
	if (map->n_anchors && map->kind == TW_CLOCK_KIND_RAW)
		return; /* ticks are nanoseconds already */
	map->factor = measured_factor(map);
	if (map->factor == 0) {
		map->factor = ONE_TO_ONE;
		map->is_assumed = true;
	}
}

uint64_t tw_clock_map_wall_ns(const struct tw_clock_map *map)
{
	uint64_t before;

	if (map->n_anchors == 0)
		return 0;
	before = tw_clock_map_ns(map, map->first.ticks);
	return map->first.wall_ns > before ? map->first.wall_ns - before : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which locations of a trace a `.tracy` file has. It has room for 32,767; the first so
 * many that are used get it, all others share one location for each source file, and
 * their zones carry their names (file_gather.c sees to it).
 */
#include <stdlib.h>

#include "tracy/file_plan.h"

static struct tw_tracy_place *add(struct tw_tracy_place **list, uint32_t *n,
				  uint32_t location)
{
	if (!*list)
		*list = calloc(TW_TRACY_PLACES_MAX, sizeof(**list));
	if (!*list)
		return NULL;
	(*list)[*n].location = location;
	return &(*list)[(*n)++];
}

/* The last folded location takes all files that are left. */
static int16_t fold(struct tw_tracy_plan *plan, uint32_t location)
{
	struct tw_tracy_places *p = &plan->places;
	const struct tw_place *place = tw_timeline_place(plan->timeline, location);
	uint32_t n_strings = plan->timeline->strings.n;
	uint32_t file = place->file_id < n_strings ? place->file_id : 0;

	if (!p->files)
		p->files = calloc(n_strings + 1, sizeof(*p->files));
	if (!p->files)
		return 0;
	if (p->files[file])
		return p->files[file];
	if (p->n_folded < TW_TRACY_PLACES_MAX &&
	    !add(&p->folded, &p->n_folded, location))
		return 0;
	p->files[file] = (int16_t) - (int32_t)p->n_folded;
	return p->files[file];
}

int16_t tw_tracy_place_use(struct tw_tracy_plan *plan, uint32_t location)
{
	struct tw_tracy_places *p = &plan->places;
	uint32_t at = tw_tracy_place_index(plan, location);
	int16_t id;

	if (!p->ids) {
		p->n_ids = plan->timeline->places.n + 1;
		p->ids = calloc(p->n_ids, sizeof(*p->ids));
		if (!p->ids)
			return 0;
	}
	id = p->ids[at];
	if (id == 0) {
		if (p->n_fixed >= TW_TRACY_PLACES_MAX)
			id = fold(plan, at);
		else if (add(&p->fixed, &p->n_fixed, at))
			id = (int16_t)p->n_fixed;
		p->ids[at] = id;
	}
	return id;
}

void tw_tracy_places_free(struct tw_tracy_places *p)
{
	free(p->ids);
	free(p->fixed);
	free(p->folded);
	free(p->files);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plots, frame sets and pools of memory of a `.tracy` file that is being made: a name
 * stands for one of them in each process. Part of the first pass (file_gather.c).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracy/file_plan.h"

#define SERIES_MAX 65536u /* plots or frame sets; the points of more are left out */

/* The main frame set and the default pool are always there, and always the first. */
int tw_tracy_series_prepare(struct tw_tracy_plan *plan)
{
	struct tw_tracy_series_set *sets[] = {&plan->frames, &plan->pools};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		sets[i]->series = calloc(16, sizeof(*sets[i]->series));
		if (!sets[i]->series)
			return -ENOMEM;
		sets[i]->room = 16;
		sets[i]->n = 1;
	}
	plan->frames.series[0].string =
		tw_tracy_strings_add(&plan->strings, tw_slice_of("Frame"), false);
	return 0;
}

struct tw_slice tw_tracy_program(const struct tw_process *process)
{
	struct tw_slice name = process->program;
	uint32_t at = name.n_bytes;

	while (at > 0 && name.text[at - 1] != '/')
		at--;
	name.text += at;
	name.n_bytes -= at;
	return name;
}

struct tw_slice tw_tracy_series_text(const struct tw_tracy_plan *plan,
				     const struct tw_tracy_series_set *set,
				     const struct tw_tracy_series *s, char *buffer)
{
	struct tw_slice name = tw_timeline_string(plan->timeline, s->name);
	const struct tw_process *process =
		tw_table_get(&plan->timeline->processes, s->process);
	struct tw_slice program;

	if (name.n_bytes == 0)
		name = tw_slice_of(set == &plan->plots	 ? "plot"
				   : set == &plan->pools ? "memory"
							 : "Frame");
	if (!s->is_shared)
		return name;
	if (!process)
		process = &plan->timeline->unknown_process;
	program = tw_tracy_program(process);
	snprintf(buffer, TW_TRACY_TEXT_MAX + 1, "%.*s [%.*s %u]",
		 (int)(name.n_bytes < 512 ? name.n_bytes : 512), name.text,
		 (int)(program.n_bytes < 400 ? program.n_bytes : 400), program.text,
		 process->pid);
	return tw_slice_of(buffer);
}

/* The first process that uses a name has it; with the others it says whose it is. */
static uint32_t name_series(struct tw_tracy_plan *plan,
			    const struct tw_tracy_series_set *set,
			    struct tw_tracy_series *s)
{
	char buffer[TW_TRACY_TEXT_MAX + 1];

	for (uint32_t i = 0; i < set->n && !s->is_shared; i++)
		s->is_shared = set->series[i].name == s->name;
	return tw_tracy_strings_add(&plan->strings,
				    tw_tracy_series_text(plan, set, s, buffer), false);
}

struct tw_tracy_series *tw_tracy_series_find(struct tw_tracy_plan *plan,
					     struct tw_tracy_series_set *set,
					     uint32_t name,
					     const struct tw_process *process)
{
	struct tw_tracy_series *s;

	/* The nameless ones of the first process that has some are the main ones. */
	if ((set == &plan->frames || set == &plan->pools) && name == 0 &&
	    set->series[0].n == 0) {
		set->series[0].process = process->number;
		return &set->series[0];
	}
	for (uint32_t i = 0; i < set->n; i++) {
		set->last = set->last < set->n ? set->last : 0;
		s = &set->series[set->last];
		if (s->name == name && s->process == process->number)
			return s;
		set->last++;
	}
	if (set->n >= SERIES_MAX)
		return NULL;
	if (set->n == set->room) {
		uint32_t room = set->room ? set->room * 2 : 16;

		s = realloc(set->series, room * sizeof(*s));
		if (!s)
			return NULL;
		set->series = s;
		set->room = room;
	}
	s = &set->series[set->n];
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->process = process->number;
	s->string = name_series(plan, set, s);
	set->last = set->n++;
	return s;
}

int tw_tracy_series_add(struct tw_tracy_plan *plan, struct tw_tracy_series_set *set,
			const struct tw_event *event, double value)
{
	struct tw_tracy_series *s =
		tw_tracy_series_find(plan, set, event->id, event->thread->process);
	struct tw_sort_item item = {.ns = tw_tracy_time(event->ns)};

	if (!s || !isfinite(value)) {
		plan->n_left_out++;
		return 0;
	}
	if (s->n == 0 || value < s->min)
		s->min = value;
	if (s->n == 0 || value > s->max)
		s->max = value;
	s->sum += value;
	s->n++;
	item.key = (uint32_t)(s - set->series);
	memcpy(&item.value, &value, sizeof(value));
	return tw_sorter_add(&set->points, item);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames with an end, in a `.tracy` file that is being made: begins and ends come from
 * any thread and are paired in the order of time. Frames of a set follow one another: a
 * begin ends the frame before it where that one's end is missing.
 */
#include <endian.h>
#include <errno.h>

#include "tracy/file_plan.h"

int tw_tracy_frame_add(struct tw_tracy_plan *plan, const struct tw_event *event)
{
	struct tw_tracy_series_set *set = &plan->spans;
	struct tw_tracy_series *s =
		tw_tracy_series_find(plan, set, event->id, event->thread->process);

	if (!s) {
		plan->n_left_out++;
		return 0;
	}
	return tw_sorter_add(
		&set->points,
		(struct tw_sort_item){.key = (uint32_t)(s - set->series),
				      .ns = tw_tracy_time(event->ns),
				      .value = event->kind == TW_EVENT_FRAME_END});
}

/* The set whose frames are being paired. */
struct pairing {
	struct tw_tracy_plan *plan;
	struct tw_tracy_series *series;
	uint64_t ns; /* times are differences to the one before */
	uint64_t begin_ns;
	bool is_open;
};

static void put_frame(struct pairing *p, uint64_t end_ns)
{
	uint64_t times[2] = {htole64(p->begin_ns - p->ns),
			     htole64(end_ns - p->begin_ns)};
	uint32_t no_image = UINT32_MAX;

	tw_scratch_put(&p->plan->span_bytes, times, sizeof(times));
	tw_scratch_put(&p->plan->span_bytes, &no_image, sizeof(no_image));
	p->ns = end_ns;
	p->series->n++;
	p->is_open = false;
}

static void end_set(struct pairing *p)
{
	if (!p->is_open)
		return;
	p->plan->n_mended++;
	put_frame(p, tw_tracy_time(p->plan->last_ns));
}

static void add(struct pairing *p, const struct tw_sort_item *item)
{
	if (item->value) {
		if (p->is_open)
			put_frame(p, item->ns);
		else
			p->plan->n_left_out++;
		return;
	}
	if (p->is_open) {
		p->plan->n_mended++;
		put_frame(p, item->ns);
	}
	p->begin_ns = item->ns;
	p->is_open = true;
}

int tw_tracy_frames_finish(struct tw_tracy_plan *plan)
{
	struct tw_tracy_series_set *set = &plan->spans;
	struct pairing p = {.plan = plan};
	struct tw_sort_item item;
	int more, error = tw_sorter_sort(&set->points);

	if (error)
		return error;
	while ((more = tw_sorter_next(&set->points, &item)) > 0) {
		if (p.series != &set->series[item.key]) {
			end_set(&p);
			p = (struct pairing){.plan = plan,
					     .series = &set->series[item.key]};
		}
		add(&p, &item);
	}
	end_set(&p);
	return more < 0 ? more : plan->span_bytes.error;
}

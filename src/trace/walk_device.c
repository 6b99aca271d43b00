/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones of devices as zones: on our clock, with depth and self time. On a track, a zone
 * lies in another when it ends no later; two that only overlap lie side by side.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/walk_private.h"

struct open {
	uint64_t begin_ns, end_ns, inside_ns;
	uint32_t location;
	int64_t end; /* of the device's clock */
};

struct track {
	struct walk *walk;
	struct tw_thread *thread;
	struct open open[TW_DEVICE_DEPTH_MAX];
	uint32_t n;
};

static uint64_t ns_of(const struct track *track, int64_t time)
{
	return tw_device_whole_ns(&track->walk->devices, track->thread->device, time);
}

static int finish(struct track *track)
{
	const struct open *o = &track->open[--track->n];
	struct walk *w = track->walk;
	struct tw_zone zone = {
		.thread = track->thread,
		.location = o->location,
		.begin_ns = o->begin_ns,
		.duration_ns = o->end_ns - o->begin_ns,
		.depth = track->n,
		.text = {"", 0},
		.name = {"", 0},
	};

	zone.self_ns =
		zone.duration_ns > o->inside_ns ? zone.duration_ns - o->inside_ns : 0;
	if (w->ops->wants_text)
		zone.colour = tw_timeline_place(w->timeline, o->location)->colour;
	if (track->n) {
		struct open *around = &track->open[track->n - 1];

		around->inside_ns += zone.duration_ns;
		zone.shares_begin = around->begin_ns == o->begin_ns;
	}
	w->counts->n_zones++;
	w->counts->n_device_zones++;
	if (o->end_ns > w->counts->last_ns)
		w->counts->last_ns = o->end_ns;
	return w->ops->zone(w->ops->context, &zone);
}

static int add(struct track *track, const struct tw_device_span *span)
{
	struct walk *w = track->walk;
	struct tw_event begin = {.thread = track->thread,
				 .kind = TW_EVENT_ZONE_BEGIN,
				 .id = span->location};
	struct open *o;

	while (track->n) {
		int result;

		o = &track->open[track->n - 1];
		if (track->n < TW_DEVICE_DEPTH_MAX && tw_device_is_inside(span, o->end))
			break;
		result = finish(track);
		if (result)
			return result;
	}
	o = &track->open[track->n++];
	o->begin_ns = ns_of(track, span->begin);
	o->end_ns = ns_of(track, span->end);
	if (o->end_ns < o->begin_ns)
		o->end_ns = o->begin_ns;
	o->inside_ns = 0;
	o->location = span->location;
	o->end = span->end;
	begin.ns = o->begin_ns;
	return w->ops->begin ? w->ops->begin(w->ops->context, &begin) : 0;
}

int tw_walk_devices(struct walk *w)
{
	const struct tw_devices *d = &w->devices;
	struct track *track;
	int result = 0;

	if (!d->n_spans)
		return 0;
	track = calloc(1, sizeof(*track));
	if (!track)
		return -ENOMEM;
	track->walk = w;
	tw_devices_sort(&w->devices);
	for (size_t i = 0; i < d->n_spans && result == 0; i++) {
		if (!i || d->spans[i].track != d->spans[i - 1].track)
			track->thread =
				tw_table_get(&w->timeline->threads, d->spans[i].track);
		result = add(track, &d->spans[i]);
		if (i + 1 == d->n_spans || d->spans[i + 1].track != d->spans[i].track)
			while (track->n && result == 0)
				result = finish(track);
	}
	free(track);
	return result;
}

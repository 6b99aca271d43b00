/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices in a `.tracy` file that is being made: a GPU context each, their tracks as
 * the context's threads, and on each track a tree of zones. Times are put on our clock
 * here; what the host did to start a zone is not in a trace, so its host times are the
 * same. Memory grows with the busiest track and with looks at clocks.
 */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_plan.h"

#define SIGN	    (UINT64_C(1) << 63) /* makes signed times sort as unsigned */
#define AT_ONCE	    256u		/* zones that are read at a time */
#define TYPE_OPENCL 3 /* what the live client says to viewers that know no other */
#define TYPE_CUSTOM 7

/* A zone as it waits to be written: in the order of begins, outer ones first. */
struct zone {
	uint64_t begin_ns, end_ns;
	int64_t end; /* of the device's clock */
	uint32_t location;
	uint32_t n_children;
};

static uint32_t device_of(const struct tw_tracy_plan *plan, uint32_t track)
{
	const struct tw_thread *t = tw_table_get(&plan->timeline->threads, track);

	return t ? t->device : 0;
}

int tw_tracy_device_add(struct tw_tracy_plan *plan, const struct tw_event *event)
{
	struct tw_tracy_devices *d = &plan->devices;
	struct tw_device_span span;
	int error;

	if (event->kind == TW_EVENT_DEVICE_CLOCK)
		return tw_devices_add_clock(&d->clocks, plan->timeline, event);
	/* Checked and decoded there, but sorted outside of memory. */
	error = tw_devices_add_zone(&d->clocks, plan->timeline, event);
	if (error)
		return error;
	span = d->clocks.spans[0];
	d->clocks.n_spans = 0;
	return tw_sorter_add(&d->spans,
			     (struct tw_sort_item){.key = span.track,
						   .ns = (uint64_t)span.begin ^ SIGN,
						   .then = ~((uint64_t)span.end ^ SIGN),
						   .id = span.location});
}

/* Zones that are open, by their index on the track; and all counts of children. */
struct nest {
	struct tw_tracy_plan *plan;
	struct zone *zones; /* of the track */
	size_t n, room;
	size_t open[TW_DEVICE_DEPTH_MAX];
	uint32_t n_open;
};

static uint64_t ns_of(const struct tw_tracy_plan *plan, uint32_t device, int64_t time)
{
	return tw_tracy_time(tw_device_whole_ns(&plan->devices.clocks, device, time));
}

/* Adds a zone where it lies in the tree of its track. */
static int add_zone(struct nest *nest, struct tw_tracy_track *track,
		    const struct tw_device_span *span)
{
	struct tw_tracy_plan *plan = nest->plan;
	struct zone *zone;

	if (nest->n == nest->room) {
		size_t room = nest->room ? nest->room * 2 : 1024;

		zone = realloc(nest->zones, room * sizeof(*zone));
		if (!zone)
			return -ENOMEM;
		nest->zones = zone;
		nest->room = room;
	}
	while (nest->n_open &&
	       (nest->n_open == TW_DEVICE_DEPTH_MAX ||
		!tw_device_is_inside(span,
				     nest->zones[nest->open[nest->n_open - 1]].end)))
		nest->n_open--;
	if (nest->n_open == 0)
		track->n_roots++;
	else if (nest->zones[nest->open[nest->n_open - 1]].n_children++ == 0)
		plan->devices.n_parents++;
	zone = &nest->zones[nest->n];
	memset(zone, 0, sizeof(*zone));
	zone->begin_ns = ns_of(plan, track->device, span->begin);
	zone->end_ns = ns_of(plan, track->device, span->end);
	if (zone->end_ns < zone->begin_ns)
		zone->end_ns = zone->begin_ns;
	if (zone->end_ns > plan->last_ns)
		plan->last_ns = zone->end_ns;
	zone->end = span->end;
	zone->location = span->location;
	nest->open[nest->n_open++] = nest->n++;
	return 0;
}

static void end_track(struct nest *nest, struct tw_tracy_track *track)
{
	struct tw_tracy_devices *d = &nest->plan->devices;

	if (!track)
		return;
	track->offset = d->zones.n_bytes;
	track->n_zones = nest->n;
	tw_scratch_put(&d->zones, nest->zones, nest->n * sizeof(*nest->zones));
	d->n_zones += nest->n;
	nest->n = 0;
	nest->n_open = 0;
}

static struct tw_tracy_track *begin_track(struct tw_tracy_plan *plan, uint32_t number)
{
	struct tw_tracy_devices *d = &plan->devices;
	struct tw_tracy_track *track;

	if ((d->n_tracks & (d->n_tracks - 1)) == 0) {
		uint32_t room = d->n_tracks ? d->n_tracks * 2 : 1;

		track = realloc(d->tracks, room * sizeof(*track));
		if (!track)
			return NULL;
		d->tracks = track;
	}
	track = &d->tracks[d->n_tracks++];
	memset(track, 0, sizeof(*track));
	track->thread = number;
	track->device = device_of(plan, number);
	plan->threads[number].is_referred_to = true;
	return track;
}

/* All spans, track by track, become zones. */
static int nest_all(struct nest *nest)
{
	struct tw_tracy_plan *plan = nest->plan;
	struct tw_tracy_track *track = NULL;
	struct tw_sort_item item;
	int more;

	while ((more = tw_sorter_next(&plan->devices.spans, &item)) > 0) {
		struct tw_device_span span = {.track = item.key,
					      .location = (uint32_t)item.id,
					      .begin = (int64_t)(item.ns ^ SIGN),
					      .end = (int64_t)(~item.then ^ SIGN)};
		int16_t place = tw_tracy_place_use(plan, span.location);

		if (!track || track->thread != item.key) {
			end_track(nest, track);
			track = begin_track(plan, item.key);
		}
		if (!track || place == 0)
			return -ENOMEM;
		if (add_zone(nest, track, &span) < 0)
			return -ENOMEM;
		tw_tracy_place_of(plan, place)->n_device_zones++;
		plan->n_left_out += place < 0; /* such a zone carries no name */
	}
	end_track(nest, track);
	return more < 0 ? more : plan->devices.zones.error;
}

static int compare_tracks(const void *left, const void *right)
{
	const struct tw_tracy_track *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* The device's name, and whose it is when there are several processes. */
static uint32_t name_device(struct tw_tracy_plan *plan, uint32_t device)
{
	const struct tw_thread *t = tw_table_get(&plan->timeline->threads, device);
	struct tw_slice name = t ? t->name : tw_slice_of(""), program;

	if (name.n_bytes == 0)
		name = tw_slice_of("device");
	if (!t || plan->timeline->n_processes < 2)
		return tw_tracy_strings_add(&plan->strings, name, false);
	program = tw_tracy_program(t->process);
	return tw_tracy_strings_format(
		&plan->strings, "%.*s [%.*s %u]",
		(int)(name.n_bytes < 400 ? name.n_bytes : 400), name.text,
		(int)(program.n_bytes < 400 ? program.n_bytes : 400), program.text,
		t->process->pid);
}

static int name_devices(struct tw_tracy_plan *plan)
{
	struct tw_tracy_devices *d = &plan->devices;

	if (d->n_tracks)
		qsort(d->tracks, d->n_tracks, sizeof(*d->tracks), compare_tracks);
	d->names = calloc(d->n_tracks + 1, sizeof(*d->names));
	if (!d->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n_tracks; i++)
		if (i == 0 || d->tracks[i].device != d->tracks[i - 1].device)
			d->names[d->n_devices++] =
				name_device(plan, d->tracks[i].device);
	return plan->strings.table.error;
}

int tw_tracy_devices_finish(struct tw_tracy_plan *plan)
{
	struct nest nest = {.plan = plan};
	int error = tw_sorter_sort(&plan->devices.spans);

	tw_devices_sort(&plan->devices.clocks);
	if (!error)
		error = nest_all(&nest);
	free(nest.zones);
	tw_sorter_free(&plan->devices.spans);
	plan->result->counts.n_zones += plan->devices.n_zones;
	plan->result->counts.n_device_zones += plan->devices.n_zones;
	return error ? error : name_devices(plan);
}

/* The track that is being written. */
struct tree {
	struct tw_tracy_plan *plan;
	struct tw_tracy_out *out;
	uint64_t ns; /* times are differences to the one before */
	uint16_t thread;
	struct {
		uint64_t end_ns;
		uint32_t n_left; /* children to come */
	} open[TW_DEVICE_DEPTH_MAX];
	uint32_t n_open;
};

static void put_times(struct tree *t, uint64_t ns)
{
	tw_tracy_u64(t->out, ns - t->ns); /* the host's */
	tw_tracy_u64(t->out, ns - t->ns);
	t->ns = ns;
}

static void put_zone(struct tree *t, const struct zone *zone)
{
	uint32_t at = tw_tracy_place_index(t->plan, zone->location);

	put_times(t, zone->begin_ns);
	tw_tracy_u16(t->out, (uint16_t)t->plan->places.ids[at]);
	tw_tracy_u24(t->out, 0); /* callstack */
	tw_tracy_u16(t->out, t->thread);
	tw_tracy_u64(t->out, zone->n_children);
	if (t->n_open)
		t->open[t->n_open - 1].n_left--;
	t->open[t->n_open].end_ns = zone->end_ns;
	t->open[t->n_open++].n_left = zone->n_children;
	while (t->n_open && t->open[t->n_open - 1].n_left == 0) {
		put_times(t, t->open[--t->n_open].end_ns);
		if (tw_tracy_has(t->out, TW_TRACY_HAS_GPU_NOTES))
			tw_tracy_u16(t->out, 0); /* query */
	}
}

static int write_track(struct tw_tracy_plan *plan, struct tw_tracy_out *out,
		       const struct tw_tracy_track *track)
{
	struct tree t = {.plan = plan,
			 .out = out,
			 .thread = plan->threads[track->thread].short_number};
	uint64_t offset = track->offset;
	struct zone zones[AT_ONCE];

	tw_tracy_u64(out, plan->threads[track->thread].id);
	tw_tracy_u64(out, track->n_roots);
	for (uint64_t left = track->n_zones; left > 0;) {
		size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;
		int error = tw_scratch_get(&plan->devices.zones, offset, zones,
					   n * sizeof(zones[0]));

		if (error)
			return error;
		for (size_t i = 0; i < n; i++)
			put_zone(&t, &zones[i]);
		offset += n * sizeof(zones[0]);
		left -= n;
	}
	return 0;
}

/* How the device's clock runs, and whether somebody looked at it more than once. */
static float period_of(const struct tw_devices *clocks, uint32_t device,
		       bool *is_calibrated)
{
	float period = 1;
	unsigned n = 0;

	for (size_t i = 0; i < clocks->n_looks; i++)
		if (clocks->looks[i].number == device && n++ == 0)
			period = (float)clocks->looks[i].ns_per_tick;
	*is_calibrated = n > 1;
	return period;
}

static int write_device(struct tw_tracy_plan *plan, struct tw_tracy_out *out,
			const struct tw_tracy_track *tracks, uint32_t n, uint32_t name)
{
	bool is_custom = tw_tracy_has(out, TW_TRACY_HAS_CUSTOM_GPU), is_calibrated;
	float period = period_of(&plan->devices.clocks, tracks->device, &is_calibrated);
	uint64_t n_zones = 0;
	uint32_t bits;
	int error = 0;

	for (uint32_t i = 0; i < n; i++)
		n_zones += tracks[i].n_zones;
	memcpy(&bits, &period, sizeof(bits));
	tw_tracy_u64(out, 0); /* of no one thread */
	tw_tracy_u8(out, is_calibrated);
	tw_tracy_u64(out, n_zones);
	tw_tracy_u32(out, bits);
	tw_tracy_u8(out, is_custom ? TYPE_CUSTOM : TYPE_OPENCL);
	tw_tracy_u24(out, name);
	tw_tracy_u64(out, 0); /* overflow */
	if (tw_tracy_has(out, TW_TRACY_HAS_GPU_NOTES))
		tw_tracy_u64(out, 0);
	tw_tracy_u64(out, n);
	for (uint32_t i = 0; i < n && !error; i++)
		error = write_track(plan, out, &tracks[i]);
	if (tw_tracy_has(out, TW_TRACY_HAS_GPU_NOTES))
		tw_tracy_u64(out, 0);
	return error;
}

int tw_tracy_write_devices(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_devices *d = &plan->devices;
	uint32_t first = 0, number = 0;
	int error = 0;

	tw_tracy_u64(out, d->n_zones);
	tw_tracy_u64(out, d->n_parents);
	tw_tracy_u64(out, d->n_devices);
	while (first < d->n_tracks && !error) {
		uint32_t n = 1;

		while (first + n < d->n_tracks &&
		       d->tracks[first + n].device == d->tracks[first].device)
			n++;
		error = write_device(plan, out, &d->tracks[first], n,
				     d->names[number++]);
		first += n;
	}
	return error;
}

void tw_tracy_devices_free(struct tw_tracy_devices *d)
{
	tw_devices_free(&d->clocks);
	tw_sorter_free(&d->spans);
	tw_scratch_free(&d->zones);
	free(d->tracks);
	free(d->names);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones of devices onto the wire. A device is a context of the viewer, its tracks are
 * rows of it. Times are put on our clock here, with what is known of the device's when
 * a zone is met, so contexts tell nanoseconds since the run's start and need no
 * calibration. A zone comes whole, outer before inner: its end is kept until the next
 * one of its track begins later. Viewers take a time that is 2^31 below the one before
 * it for a counter that has turned round, so times of one context are kept close: a
 * track that is told far behind the others gets a context of its own. See feed.h.
 */
#include "tracy/feed_private.h"

#define FALL_MAX       (INT64_C(1) << 30) /* ns; half of what a viewer bears */
#define FLUSH_NS       (FALL_MAX / 4)
#define TIME_MAX       ((INT64_C(1) << 47) - 1) /* viewers' times have 48 bits */
#define RATE_ERROR_MAX 0.01			/* a look that is further off is bad */
#define RATE_NS	       5e8 /* looks so far apart tell the rate better than the device */

static struct tw_feed_device *find_device(struct tw_feed *feed, uint32_t number)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, number);

	if (!t || t->kind != TW_THREAD_DEVICE)
		return NULL;
	if (!t->unit && feed->n_devices < TW_FEED_DEVICES)
		t->unit = (uint16_t)++feed->n_devices;
	return t->unit ? &feed->devices[t->unit - 1] : NULL;
}

/* The track of that number, or NULL. */
static struct tw_feed_track *find_track(struct tw_feed *feed, uint32_t number)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, number);

	if (!t || t->kind != TW_THREAD_DEVICE_TRACK)
		return NULL;
	if (!t->unit && feed->n_tracks < TW_FEED_TRACKS) {
		t->unit = (uint16_t)++feed->n_tracks;
		feed->tracks[t->unit - 1].number = number;
	}
	return t->unit ? &feed->tracks[t->unit - 1] : NULL;
}

/*
 * A look at the clock may be delayed, by the bus or because the thread had to wait: one
 * that makes the device run far off its own word is not believed, and the rate between
 * two looks is that of the device unless they are far apart.
 */
static void on_look(struct tw_feed_device *d, int64_t time, double ns, double rate)
{
	double since = ns - d->first_ns;
	double measured = since / ((double)time - (double)d->first_time);

	if (!d->n_looks) {
		d->first_time = time;
		d->first_ns = ns;
	} else if (!(measured > rate * (1 - RATE_ERROR_MAX) &&
		     measured < rate * (1 + RATE_ERROR_MAX))) {
		return;
	} else if (since >= RATE_NS) {
		rate = measured;
	}
	d->n_looks++;
	d->time = time;
	d->ns = ns;
	d->ns_per_tick = rate;
}

static void on_clock(struct tw_feed *feed, const struct tw_feed_event *e)
{
	struct tw_feed_device *d = find_device(feed, e->id);
	struct tw_device_clock clock;
	double ns;

	if (!d || e->n_bytes != sizeof(clock))
		return;
	memcpy(&clock, e->payload, sizeof(clock));
	if (!(clock.ns_per_tick > 0 && clock.ns_per_tick < 1e9))
		return;
	ns = ((double)le64toh(clock.ticks) - (double)feed->first_ticks) * feed->tick_ns;
	on_look(d, (int64_t)le64toh((uint64_t)clock.device), ns, clock.ns_per_tick);
}

/* On our clock: ns since the run's start. */
static int64_t to_ns(const struct tw_feed_device *d, int64_t time)
{
	double ns = (double)time; /* nobody looked: taken for our own time */

	if (d->n_looks)
		ns = d->ns + ((double)time - (double)d->time) * d->ns_per_tick;
	if (!(ns > 0))
		return 0;
	return ns < (double)TIME_MAX ? (int64_t)ns : TIME_MAX;
}

static void send_zone(struct tw_feed *feed, const struct tw_feed_track *track,
		      uint64_t location, int64_t ns)
{
	struct tw_feed_context *c = &feed->contexts[track->context - 1];
	double ticks;

	if (ns < c->last_ns - FALL_MAX) {
		ns = c->last_ns - FALL_MAX;
		feed->lost[TW_FEED_LOSS_DEVICE_TIMES]++;
	}
	c->last_ns = ns;
	ticks = (double)ns / feed->tick_ns;
	tw_wire_device_zone(feed->wire, feed->first_ticks + (uint64_t)ticks,
			    feed->threads[track->number].id, track->context - 1,
			    c->query++, location, ns);
}

/* Ends the innermost zone, at the latest at `ns`. */
static void end_zone(struct tw_feed *feed, struct tw_feed_track *track, int64_t ns)
{
	int64_t end_ns = track->open[--track->n_open].end_ns;

	if (end_ns > ns)
		end_ns = ns;
	/* Not before the last begin, which it was around. */
	send_zone(feed, track, 0, end_ns > track->begin_ns ? end_ns : track->begin_ns);
}

/* Ends that a context would send too late for its times; the earliest first. */
static void flush_before(struct tw_feed *feed, uint32_t context, int64_t ns)
{
	struct tw_feed_track *first;

	do {
		first = NULL;
		for (uint32_t i = 0; i < feed->n_tracks; i++) {
			struct tw_feed_track *t = &feed->tracks[i];
			int64_t end_ns;

			if (t->context != context || !t->n_open)
				continue;
			end_ns = t->open[t->n_open - 1].end_ns;
			if (end_ns < ns &&
			    (!first || end_ns < first->open[first->n_open - 1].end_ns))
				first = t;
		}
		if (first)
			end_zone(feed, first, TIME_MAX);
	} while (first);
	feed->contexts[context - 1].flushed_ns = ns;
}

/* Returns its number + 1, 0 when there is none left. */
static uint32_t open_context(struct tw_feed *feed, uint32_t device, uint32_t track)
{
	char name[512];
	struct tw_text t = tw_text_in(name, sizeof(name));
	const struct tw_feed_thread *thread = tw_feed_thread(feed, device);

	if (feed->n_contexts == TW_FEED_CONTEXTS)
		return 0;
	tw_wire_device(feed->wire, feed->first_ticks, feed->n_contexts);
	tw_feed_add_name(feed, &t, thread);
	if (track) {
		tw_text_add(&t, ": ");
		tw_feed_add_name(feed, &t, &feed->threads[track]);
	}
	if (feed->n_processes > 1)
		tw_feed_add_process(feed, &t, thread->process);
	tw_wire_device_name(feed->wire, feed->n_contexts, name, t.used);
	return ++feed->n_contexts;
}

/* The viewer shows the row under the track's name. */
static void introduce(struct tw_feed *feed, const struct tw_feed_track *track)
{
	feed->row = NULL;
	tw_wire_thread(feed->wire, feed->threads[track->number].id);
	tw_wire_introduce(feed->wire);
}

/* A context that can take a time of `ns`; false: there is none left. */
static bool find_context(struct tw_feed *feed, struct tw_feed_track *track,
			 uint32_t number, struct tw_feed_device *device, int64_t ns)
{
	uint32_t context;

	if (!track->context) {
		if (!device->context)
			device->context = open_context(feed, number, 0);
		if (!device->context)
			return false;
		track->context = device->context;
		introduce(feed, track);
	}
	if (track->is_alone ||
	    ns >= feed->contexts[track->context - 1].last_ns - FALL_MAX)
		return true;
	context = open_context(feed, number, track->number);
	if (!context)
		return false;
	while (track->n_open)
		end_zone(feed, track, feed->contexts[track->context - 1].last_ns);
	track->context = context;
	track->is_alone = true;
	return true;
}

static void begin_zone(struct tw_feed *feed, struct tw_feed_track *track,
		       const struct tw_feed_device *device,
		       const struct tw_device_zone *zone, int64_t ns)
{
	struct tw_feed_context *c = &feed->contexts[track->context - 1];
	int64_t end_ns = to_ns(device, zone->end);
	bool is_folded;

	/* The clock may have been looked at since the outer one came. */
	if (track->n_open) {
		int64_t limit = track->open[track->n_open - 1].end_ns;

		ns = ns < limit ? ns : limit;
		end_ns = end_ns < limit ? end_ns : limit;
	}
	if (ns - c->flushed_ns > 2 * FLUSH_NS)
		flush_before(feed, track->context, ns - FLUSH_NS);
	send_zone(feed, track, tw_feed_place(feed, zone->location, &is_folded), ns);
	track->begin_ns = ns;
	track->open[track->n_open].end = zone->end;
	track->open[track->n_open++].end_ns = end_ns > ns ? end_ns : ns;
}

static void on_zone(struct tw_feed *feed, const struct tw_feed_event *e)
{
	struct tw_feed_track *track = find_track(feed, e->id);
	uint32_t number = track ? feed->threads[track->number].device : 0;
	struct tw_feed_device *device = find_device(feed, number);
	struct tw_device_zone zone;
	int64_t ns;

	if (!track || !device || e->n_bytes != sizeof(zone)) {
		feed->lost[TW_FEED_LOSS_DEVICES]++;
		return;
	}
	memcpy(&zone, e->payload, sizeof(zone));
	zone.location = le32toh(zone.location);
	zone.begin = (int64_t)le64toh((uint64_t)zone.begin);
	zone.end = (int64_t)le64toh((uint64_t)zone.end);
	ns = to_ns(device, zone.begin);
	if (ns < track->begin_ns)
		ns = track->begin_ns;
	/* One that only overlaps lies beside the other, which is cut where it begins.
	 */
	while (track->n_open) {
		int64_t end = track->open[track->n_open - 1].end;

		if (track->n_open < TW_FEED_TRACK_DEPTH && zone.begin < end &&
		    zone.end <= end)
			break;
		end_zone(feed, track, ns);
	}
	if (find_context(feed, track, number, device, ns))
		begin_zone(feed, track, device, &zone, ns);
	else
		feed->lost[TW_FEED_LOSS_DEVICES]++;
}

void tw_feed_device_event(struct tw_feed *feed, const struct tw_feed_event *e)
{
	if (e->kind == TW_EVENT_DEVICE_CLOCK)
		on_clock(feed, e);
	else
		on_zone(feed, e);
}

void tw_feed_close_track(struct tw_feed *feed, struct tw_feed_thread *t)
{
	struct tw_feed_track *track = find_track(feed, (uint32_t)(t - feed->threads));

	if (track && track->n_open)
		flush_before(feed, track->context,
			     track->open[0].end_ns < TIME_MAX
				     ? track->open[0].end_ns + 1
				     : TIME_MAX);
}

void tw_feed_close_devices(struct tw_feed *feed)
{
	for (uint32_t i = 1; i <= feed->n_contexts; i++)
		flush_before(feed, i, INT64_MAX);
}

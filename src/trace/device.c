/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See device.h. Between two looks at a device's clock time runs evenly, before the
 * first and after the last as in the piece next to it. A look that would make the
 * device run more than 1 % off its own word is taken for a bad one: reading a clock
 * over a bus can be delayed.
 */
#include "trace/device.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RATE_ERROR_MAX 0.01

static void *grow(void *array, size_t n, size_t *room, size_t bytes)
{
	void *larger;

	if (n < *room)
		return array;
	larger = realloc(array, (*room ? *room * 2 : 64) * bytes);
	if (larger)
		*room = *room ? *room * 2 : 64;
	return larger;
}

static bool is_kind(const struct tw_timeline *t, uint32_t number,
		    enum tw_thread_kind kind)
{
	const struct tw_thread *thread = tw_table_get(&t->threads, number);

	return thread && thread->kind == kind;
}

int tw_devices_add_zone(struct tw_devices *d, const struct tw_timeline *t,
			const struct tw_event *event)
{
	struct tw_device_zone zone;
	struct tw_device_span *spans;

	if (event->n_bytes != sizeof(zone) ||
	    !is_kind(t, event->id, TW_THREAD_DEVICE_TRACK))
		return -EBADMSG;
	memcpy(&zone, event->payload, sizeof(zone));
	spans = grow(d->spans, d->n_spans, &d->span_room, sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	d->spans = spans;
	spans[d->n_spans++] = (struct tw_device_span){
		.track = event->id,
		.location = le32toh(zone.location),
		.begin = (int64_t)le64toh((uint64_t)zone.begin),
		.end = (int64_t)le64toh((uint64_t)zone.end),
	};
	return 0;
}

int tw_devices_add_clock(struct tw_devices *d, const struct tw_timeline *t,
			 const struct tw_event *event)
{
	struct tw_device_clock clock;
	struct tw_device_look *looks;

	if (event->n_bytes != sizeof(clock) || !is_kind(t, event->id, TW_THREAD_DEVICE))
		return -EBADMSG;
	memcpy(&clock, event->payload, sizeof(clock));
	if (!(clock.ns_per_tick > 0 && clock.ns_per_tick < 1e9))
		return -EBADMSG;
	looks = grow(d->looks, d->n_looks, &d->look_room, sizeof(*looks));
	if (!looks)
		return -ENOMEM;
	d->looks = looks;
	looks[d->n_looks++] = (struct tw_device_look){
		.number = event->id,
		.device = (int64_t)le64toh((uint64_t)clock.device),
		.ns = (double)tw_clock_map_ns(&t->clock, le64toh(clock.ticks)),
		.ns_per_tick = clock.ns_per_tick,
	};
	return 0;
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int order_spans(const void *left, const void *right)
{
	const struct tw_device_span *a = left, *b = right;
	int result = order(a->track, b->track);

	if (!result)
		result = order(a->begin, b->begin);
	return result ? result : order(b->end, a->end);
}

static int order_looks(const void *left, const void *right)
{
	const struct tw_device_look *a = left, *b = right;
	int result = order(a->number, b->number);

	return result ? result : order(a->device, b->device);
}

/* Does `b` follow from `a` with the device's own rate? */
static bool agrees(const struct tw_device_look *a, const struct tw_device_look *b)
{
	double ticks = (double)b->device - (double)a->device;
	double expected = ticks * a->ns_per_tick;
	double error = b->ns - a->ns - expected;

	return ticks > 0 && error <= expected * RATE_ERROR_MAX &&
	       -error <= expected * RATE_ERROR_MAX;
}

void tw_devices_sort(struct tw_devices *d)
{
	size_t kept = 0;

	if (d->n_spans)
		qsort(d->spans, d->n_spans, sizeof(*d->spans), order_spans);
	if (d->n_looks)
		qsort(d->looks, d->n_looks, sizeof(*d->looks), order_looks);
	for (size_t i = 0; i < d->n_looks; i++)
		if (!kept || d->looks[kept - 1].number != d->looks[i].number ||
		    agrees(&d->looks[kept - 1], &d->looks[i]))
			d->looks[kept++] = d->looks[i];
	d->n_looks = kept;
}

/* The first look at this device, or NULL. */
static const struct tw_device_look *first_look(const struct tw_devices *d,
					       uint32_t device)
{
	size_t low = 0, high = d->n_looks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->looks[middle].number < device)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n_looks && d->looks[low].number == device ? &d->looks[low]
								  : NULL;
}

/* The last look at or before `time` that another one follows; `first` if none. */
static const struct tw_device_look *look_before(const struct tw_devices *d,
						const struct tw_device_look *first,
						int64_t time)
{
	const struct tw_device_look *end = d->looks + d->n_looks, *low = first;
	size_t n = 0;

	while (first + n < end && first[n].number == first->number)
		n++;
	while (n > 2) {
		size_t half = n / 2;

		if (low[half].device <= time) {
			low += half;
			n -= half;
		} else {
			n = half + 1;
		}
	}
	return low;
}

double tw_device_ns(const struct tw_devices *d, uint32_t device, int64_t time)
{
	const struct tw_device_look *a = first_look(d, device), *b;
	double rate;

	if (!a)
		return (double)time; /* nobody looked: taken for our own time */
	a = look_before(d, a, time);
	b = a + 1;
	rate = a->ns_per_tick;
	if (b < d->looks + d->n_looks && b->number == device)
		rate = (b->ns - a->ns) / ((double)b->device - (double)a->device);
	return a->ns + ((double)time - (double)a->device) * rate;
}

void tw_devices_free(struct tw_devices *d)
{
	free(d->spans);
	free(d->looks);
	memset(d, 0, sizeof(*d));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones of devices: collected while a timeline is read, then put on our clock and into
 * each other. A device tells its times when it likes, by whatever thread, so nothing
 * can be said of a zone before all of them and all looks at the device's clock are
 * known. Memory grows with the zones of devices: 24 bytes each. Used by the zone walker
 * and by the .tracy writer; one thread.
 */
#ifndef TW_DEVICE_H
#define TW_DEVICE_H

#include "trace/timeline.h"

struct tw_device_span {
	uint32_t track; /* number */
	uint32_t location;
	int64_t begin, end; /* of the device's clock */
};

/* The device's clock showed `device` at our time `ns`. */
struct tw_device_look {
	uint32_t number; /* of the device */
	int64_t device;
	double ns;
	double ns_per_tick;
};

/* On a track, a zone lies in an open one that ends at `end` when it ends no later. */
static inline bool tw_device_is_inside(const struct tw_device_span *span, int64_t end)
{
	return span->begin < end && span->end <= end;
}

#define TW_DEVICE_DEPTH_MAX                                                            \
	256u /* nested zones of a track; others lie side by side                       \
	      */

struct tw_devices {
	struct tw_device_span *spans;
	struct tw_device_look *looks;
	size_t n_spans, span_room;
	size_t n_looks, look_room;
};

/* Take in an event of that kind: 0, -EBADMSG for a payload that is none, -ENOMEM. */
int tw_devices_add_zone(struct tw_devices *devices, const struct tw_timeline *timeline,
			const struct tw_event *event)
	__attribute__((warn_unused_result));
int tw_devices_add_clock(struct tw_devices *devices, const struct tw_timeline *timeline,
			 const struct tw_event *event)
	__attribute__((warn_unused_result));

/* Once, when all is known: spans by track, begin and (falling) end. */
void tw_devices_sort(struct tw_devices *devices);

/* A time of a device on our clock, once sorted: ns since the session's start. */
double tw_device_ns(const struct tw_devices *devices, uint32_t device, int64_t time);

/* The same, rounded, and where a trace has times. */
static inline uint64_t tw_device_whole_ns(const struct tw_devices *devices,
					  uint32_t device, int64_t time)
{
	double ns = tw_device_ns(devices, device, time);

	if (!(ns > 0))
		return 0;
	return ns < 9e18 ? (uint64_t)(ns + 0.5) : UINT64_C(9000000000000000000);
}

void tw_devices_free(struct tw_devices *devices);

#endif

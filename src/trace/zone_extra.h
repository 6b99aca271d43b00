/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What few zones have (text, name, colour, value, call stack), kept from the event that
 * brings it to the zone's end and then recycled. Part of the zone walker (walk.c).
 */
#ifndef TW_ZONE_EXTRA_H
#define TW_ZONE_EXTRA_H

#include <endian.h>
#include <string.h>

#include "trace/walk.h"

struct tw_zone_extra;

struct tw_extra_pool {
	struct tw_zone_extra *free;
};

/*
 * Takes in a ZONE_TEXT, _NAME, _COLOUR, _VALUE or STACK event; *extra is made when
 * NULL. Returns 0, -EBADMSG for a payload that is none, -ENOMEM.
 */
int tw_zone_extra_add(struct tw_extra_pool *pool, struct tw_zone_extra **extra,
		      const struct tw_event *event) __attribute__((warn_unused_result));

/* Fills in the zone's fields; they live until the extra is released. */
void tw_zone_extra_show(const struct tw_zone_extra *extra, struct tw_zone *zone);

void tw_zone_extra_release(struct tw_extra_pool *pool, struct tw_zone_extra *extra);
void tw_extra_pool_free(struct tw_extra_pool *pool);

/* The eight payload bytes of an event; the caller has checked n_bytes. */
static inline uint64_t tw_event_u64(const struct tw_event *event)
{
	uint64_t v;

	memcpy(&v, event->payload, sizeof(v));
	return le64toh(v);
}

#endif

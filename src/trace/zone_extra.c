/* SPDX-License-Identifier: BSD-3-Clause */
/* See zone_extra.h. */
#include "trace/zone_extra.h"

#include <errno.h>
#include <stdlib.h>

struct buffer {
	char *bytes;
	uint32_t n, room;
};

struct tw_zone_extra {
	struct tw_zone_extra *next_free;
	uint64_t value;
	bool has_value;
	uint32_t colour;
	struct buffer text, name;
	struct buffer frames;
};

/* A recycled one keeps its buffers: their room will be needed again. */
static struct tw_zone_extra *take(struct tw_extra_pool *pool)
{
	struct tw_zone_extra *e = pool->free;

	if (!e)
		return calloc(1, sizeof(*e));
	pool->free = e->next_free;
	e->has_value = false;
	e->colour = e->text.n = e->name.n = e->frames.n = 0;
	return e;
}

void tw_zone_extra_release(struct tw_extra_pool *pool, struct tw_zone_extra *e)
{
	if (!e)
		return;
	e->next_free = pool->free;
	pool->free = e;
}

void tw_extra_pool_free(struct tw_extra_pool *pool)
{
	while (pool->free) {
		struct tw_zone_extra *next = pool->free->next_free;

		free(pool->free->text.bytes);
		free(pool->free->name.bytes);
		free(pool->free->frames.bytes);
		free(pool->free);
		pool->free = next;
	}
}

/* Appends, after a newline if it holds something; the rest of a text that grows beyond
 * all reason is left out. */
static int append(struct buffer *b, const struct tw_event *event)
{
	uint32_t newline = b->n > 0;
	uint32_t more = event->n_bytes;

	if (b->n + newline >= TW_ZONE_TEXT_MAX)
		return 0;
	if (more > TW_ZONE_TEXT_MAX - b->n - newline)
		more = TW_ZONE_TEXT_MAX - b->n - newline;
	if (b->n + newline + more > b->room) {
		uint32_t room = (b->n + newline + more) * 2;
		char *bytes = realloc(b->bytes, room);

		if (!bytes)
			return -ENOMEM;
		b->bytes = bytes;
		b->room = room;
	}
	if (newline)
		b->bytes[b->n++] = '\n';
	if (more)
		memcpy(b->bytes + b->n, event->payload, more);
	b->n += more;
	return 0;
}

int tw_zone_extra_add(struct tw_extra_pool *pool, struct tw_zone_extra **extra,
		      const struct tw_event *event)
{
	struct tw_zone_extra *e = *extra ? *extra : take(pool);

	if (!e)
		return -ENOMEM;
	*extra = e;
	switch (event->kind) {
	case TW_EVENT_ZONE_TEXT:
		return append(&e->text, event);
	case TW_EVENT_ZONE_NAME:
		e->name.n = 0; /* the last name wins */
		return append(&e->name, event);
	case TW_EVENT_STACK:
		e->frames.n = 0;
		return append(&e->frames, event);
	case TW_EVENT_ZONE_COLOUR:
		e->colour = event->id & 0xffffff;
		return 0;
	case TW_EVENT_ZONE_VALUE:
		if (event->n_bytes != sizeof(e->value))
			return -EBADMSG;
		e->has_value = true;
		e->value = tw_event_u64(event);
		return 0;
	default:
		return -EBADMSG;
	}
}

void tw_zone_extra_show(const struct tw_zone_extra *e, struct tw_zone *zone)
{
	zone->has_value = e->has_value;
	zone->value = e->value;
	if (e->colour)
		zone->colour = e->colour;
	if (e->text.n)
		zone->text = (struct tw_slice){e->text.bytes, e->text.n};
	if (e->name.n)
		zone->name = (struct tw_slice){e->name.bytes, e->name.n};
	zone->frames = (const uint32_t *)(const void *)e->frames.bytes;
	zone->n_frames = e->frames.n / (uint32_t)sizeof(*zone->frames);
}

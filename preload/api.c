/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The annotation interface behind include/tracewrap.h. Any thread, signal handlers.
 * zone_begin and zone_end are the hot path: thread pointer, limit, clock, claim, store.
 */
#include <string.h>

#include "core/intern.h"
#include "self.h"
#include "tracewrap.h"

#define EXPORT __attribute__((visibility("default")))
#define COLD   __attribute__((noinline, cold))

static uint32_t intern(const char *text)
{
	return text ? tw_intern_string(tw_self.view.arena, text, strlen(text)) : 0;
}

static COLD uint32_t find_location(struct tracewrap_location *l)
{
	struct tw_location location = {
		.line = l->line, .colour = l->colour, .layer = TW_LAYER_USER};
	uint32_t id;

	location.name = intern(l->name);
	location.function = intern(l->function);
	location.file = intern(l->file);
	id = tw_intern_location(tw_self.view.arena, &location);
	__atomic_store_n(&l->id, id, __ATOMIC_RELAXED);
	return id;
}

/* No producer yet, ring full, gate closed or a new location. */
static COLD uint32_t begin_slow(struct tracewrap_location *l)
{
	struct tw_producer *p = tw_self_producer();
	uint32_t id = __atomic_load_n(&l->id, __ATOMIC_RELAXED);

	if (!p)
		return 0;
	if (!id)
		id = find_location(l);
	tw_producer_begin_slow(p, id);
	return p->depth;
}

static uint32_t zone_begin(struct tracewrap_location *l)
{
	struct tw_producer *p = tw_thread_producer;
	uint32_t id = __atomic_load_n(&l->id, __ATOMIC_RELAXED);

	if (__builtin_expect(!id, 0) ||
	    __builtin_expect(!tw_producer_begin(p, tw_self.clock, id), 0))
		return begin_slow(l);
	return p->depth;
}

/*
 * The zone is not the innermost, or its end needs the slow path. Zones left open inside
 * (longjmp) end with it; a zone that is already gone (its thread forked, or an outer
 * zone ended) stays gone.
 */
static COLD void end_slow(uint32_t token)
{
	struct tw_producer *p = tw_thread_producer;

	if (p->ring && p->depth >= token)
		tw_producer_unwind(p, token - 1);
}

static void zone_end(uint32_t token)
{
	struct tw_producer *p = tw_thread_producer;

	if (__builtin_expect(p->depth != token, 0) ||
	    __builtin_expect(!tw_producer_end(p, tw_self.clock), 0))
		end_slow(token);
}

static void push(enum tw_event_kind kind, uint32_t id, const void *payload,
		 size_t bytes)
{
	struct tw_producer *p = tw_self_producer();

	if (p)
		tw_producer_push(p, kind, id, payload, bytes);
}

static void zone_text(const char *text, size_t bytes)
{
	push(TW_EVENT_ZONE_TEXT, 0, text, bytes);
}

static void zone_name(const char *text, size_t bytes)
{
	push(TW_EVENT_ZONE_NAME, 0, text, bytes);
}

static void zone_colour(uint32_t rgb)
{
	push(TW_EVENT_ZONE_COLOUR, rgb, NULL, 0);
}

static void zone_value(uint64_t value)
{
	push(TW_EVENT_ZONE_VALUE, 0, &value, sizeof(value));
}

static void message(const char *text, size_t bytes, uint32_t rgb)
{
	push(TW_EVENT_MESSAGE, rgb, text, bytes);
}

static void plot(const char *name, double value)
{
	if (tw_self_producer())
		push(TW_EVENT_PLOT, intern(name), &value, sizeof(value));
}

static void frame(const char *name)
{
	if (tw_self_producer())
		push(TW_EVENT_FRAME, intern(name), NULL, 0);
}

static void thread_name(const char *name)
{
	struct tw_producer *p = tw_self_producer();

	if (p && name)
		atomic_store_explicit(&p->ring->name, intern(name),
				      memory_order_release);
}

extern const struct tracewrap_api tracewrap_api_1;
EXPORT const struct tracewrap_api tracewrap_api_1 = {
	.bytes = sizeof(struct tracewrap_api),
	.version = 1,
	.zone_begin = zone_begin,
	.zone_end = zone_end,
	.zone_text = zone_text,
	.zone_name = zone_name,
	.zone_colour = zone_colour,
	.zone_value = zone_value,
	.message = message,
	.plot = plot,
	.frame = frame,
	.thread_name = thread_name,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The annotation interface behind include/tracewrap.h. Any thread, signal handlers.
 * zone_begin and zone_end are the hot path: thread pointer, limit, clock, claim, store.
 */
#include <string.h>

#include "core/intern.h"
#include "frame.h"
#include "self.h"
#include "slot.h"
#include "tracewrap.h"

#define EXPORT __attribute__((visibility("default")))
#define COLD   __attribute__((noinline, cold))

static uint32_t intern(const char *text)
{
	return text ? tw_intern_string(tw_self.view.arena, text, strlen(text)) : 0;
}

static COLD uint32_t find_location(struct tracewrap_location *l, enum tw_layer layer)
{
	struct tw_location location = {
		.line = l->line, .colour = l->colour, .layer = (uint8_t)layer};
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
		id = find_location(l, TW_LAYER_USER);
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

static void frame_begin(const char *name)
{
	if (tw_self_producer())
		push(TW_EVENT_FRAME_BEGIN, intern(name), NULL, 0);
}

static void frame_end(const char *name)
{
	if (tw_self_producer())
		push(TW_EVENT_FRAME_END, intern(name), NULL, 0);
}

static uint32_t location_of(struct tracewrap_location *l, enum tw_layer layer)
{
	uint32_t id = __atomic_load_n(&l->id, __ATOMIC_RELAXED);

	return id ? id : find_location(l, layer);
}

static uint32_t zone_begin_stack(struct tracewrap_location *l, void *const *addresses,
				 size_t n)
{
	struct tw_producer *p = tw_self_producer();
	uint32_t frames[TW_FRAMES_MAX];

	if (!p)
		return 0;
	if (n > TW_FRAMES_MAX)
		n = TW_FRAMES_MAX;
	for (size_t i = 0; i < n; i++)
		frames[i] = tw_frame_location((uintptr_t)addresses[i]);
	tw_producer_begin_stack(p, location_of(l, TW_LAYER_USER), frames, (uint32_t)n);
	return p->depth;
}

static uint32_t fiber_new(const char *name)
{
	return tw_slot_new(TW_THREAD_FIBER, 0, name);
}

static void fiber_enter(uint32_t fiber)
{
	struct tw_producer *p = tw_self_producer();

	if (p && tw_slot_is(fiber, TW_THREAD_FIBER))
		tw_producer_enter(p, &tw_self.producers[fiber - 1]);
}

static void fiber_leave(void)
{
	tw_producer_leave(tw_thread_producer);
}

static void fiber_free(uint32_t fiber)
{
	if (tw_slot_is(fiber, TW_THREAD_FIBER))
		tw_slot_free(fiber);
}

static uint32_t lock_new(struct tracewrap_location *l, int is_shared)
{
	struct tw_lock_birth birth = {.type = is_shared ? TW_LOCK_SHARED
							: TW_LOCK_EXCLUSIVE};
	uint32_t lock;

	if (!tw_self_producer())
		return 0;
	lock = atomic_fetch_add(&tw_self.view.arena->n_locks, 1) + 1;
	birth.location = location_of(l, TW_LAYER_USER);
	push(TW_EVENT_LOCK_NEW, lock, &birth, sizeof(birth));
	return lock;
}

static void lock_event(uint32_t lock, int what)
{
	if (lock && what >= TRACEWRAP_LOCK_GONE &&
	    what <= TRACEWRAP_LOCK_RELEASE_SHARED)
		push(TW_EVENT_LOCK_GONE + (uint32_t)what, lock, NULL, 0);
}

_Static_assert(TW_EVENT_LOCK_GONE + TRACEWRAP_LOCK_RELEASE_SHARED ==
		       TW_EVENT_LOCK_RELEASE_SHARED,
	       "lock events stand in the same order in both lists");

static void memory_alloc(const char *pool, const void *address, size_t bytes)
{
	struct tw_memory_block block = {(uintptr_t)address, bytes};

	if (tw_self_producer())
		push(TW_EVENT_MEMORY_ALLOC, intern(pool), &block, sizeof(block));
}

static void memory_free(const char *pool, const void *address)
{
	uint64_t at = (uintptr_t)address;

	if (tw_self_producer())
		push(TW_EVENT_MEMORY_FREE, intern(pool), &at, sizeof(at));
}

static void device_clock(uint32_t device, int64_t time, double ns_per_tick)
{
	struct tw_device_clock clock = {time, tw_clock_ticks(tw_self.clock),
					ns_per_tick};

	if (tw_slot_is(device, TW_THREAD_DEVICE))
		push(TW_EVENT_DEVICE_CLOCK, device, &clock, sizeof(clock));
}

static uint32_t device_new(const char *name, int64_t time, double ns_per_tick)
{
	uint32_t device = tw_slot_new(TW_THREAD_DEVICE, 0, name);

	device_clock(device, time, ns_per_tick);
	return device;
}

static uint32_t device_track(uint32_t device, const char *name)
{
	if (!tw_slot_is(device, TW_THREAD_DEVICE))
		return 0;
	return tw_slot_new(TW_THREAD_DEVICE_TRACK, device - 1, name);
}

static void device_zone(uint32_t track, struct tracewrap_location *l, int64_t begin,
			int64_t end)
{
	struct tw_device_zone zone = {.begin = begin, .end = end};

	if (!tw_slot_is(track, TW_THREAD_DEVICE_TRACK))
		return;
	zone.location = location_of(l, TW_LAYER_DEVICE);
	push(TW_EVENT_DEVICE_ZONE, track, &zone, sizeof(zone));
}

extern const struct tracewrap_api tracewrap_api_1;
EXPORT const struct tracewrap_api tracewrap_api_1 = {
	.bytes = sizeof(struct tracewrap_api),
	.version = 2,
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
	.frame_begin = frame_begin,
	.frame_end = frame_end,
	.zone_begin_stack = zone_begin_stack,
	.fiber_new = fiber_new,
	.fiber_enter = fiber_enter,
	.fiber_leave = fiber_leave,
	.fiber_free = fiber_free,
	.lock_new = lock_new,
	.lock_event = lock_event,
	.memory_alloc = memory_alloc,
	.memory_free = memory_free,
	.device_new = device_new,
	.device_track = device_track,
	.device_clock = device_clock,
	.device_zone = device_zone,
};

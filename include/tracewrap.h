/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotations for programs that may run under tracewrap. Nothing to link: when
 * libtracewrap.so is not preloaded, an annotation is one load and one branch.
 *
 *	#include <tracewrap.h>
 *
 *	void work(const char *file)
 *	{
 *		TRACEWRAP_ZONE("work");             // until the end of the block
 *		TRACEWRAP_TEXT(file, strlen(file)); // of the innermost open zone
 *		...
 *	}
 *
 *	struct tracewrap_zone z = TRACEWRAP_BEGIN("step");
 *	...
 *	TRACEWRAP_END(z);                           // also ends zones left open inside
 *
 * Names of zones, plots and frames must be string literals or live as long as the
 * program. C99 and C++11, GCC or Clang. Define TRACEWRAP_DISABLE to compile it all
 *away.
 */
#ifndef TRACEWRAP_H
#define TRACEWRAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source. `id` belongs to tracewrap; the rest does not change. */
struct tracewrap_location {
	const char *name; /* NULL: the function's name is shown */
	const char *function;
	const char *file;
	uint32_t line;
	uint32_t colour; /* 0xRRGGBB, 0 = viewer's choice */
	uint32_t id;
	uint32_t reserved;
};

/* An open zone of this thread; pass it to TRACEWRAP_END. */
struct tracewrap_zone {
	uint32_t token;
};

/* What libtracewrap.so offers; grows at its end, `bytes` tells how far. */
struct tracewrap_api {
	uint32_t bytes;
	uint32_t version;
	uint32_t (*zone_begin)(struct tracewrap_location *location);
	void (*zone_end)(uint32_t token);
	void (*zone_text)(const char *text, size_t bytes);
	void (*zone_name)(const char *text, size_t bytes);
	void (*zone_colour)(uint32_t rgb);
	void (*zone_value)(uint64_t value);
	void (*message)(const char *text, size_t bytes, uint32_t rgb);
	void (*plot)(const char *name, double value);
	void (*frame)(const char *name);
	void (*thread_name)(const char *name);
	/* version 2 */
	void (*frame_begin)(const char *name);
	void (*frame_end)(const char *name);
	uint32_t (*zone_begin_stack)(struct tracewrap_location *location,
				     void *const *addresses, size_t n);
	uint32_t (*fiber_new)(const char *name);
	void (*fiber_enter)(uint32_t fiber);
	void (*fiber_leave)(void);
	void (*fiber_free)(uint32_t fiber);
	uint32_t (*lock_new)(struct tracewrap_location *location, int is_shared);
	void (*lock_event)(uint32_t lock, int what);
	void (*memory_alloc)(const char *pool, const void *address, size_t bytes);
	void (*memory_free)(const char *pool, const void *address);
	uint32_t (*device_new)(const char *name, int64_t time, double ns_per_tick);
	uint32_t (*device_track)(uint32_t device, const char *name);
	void (*device_clock)(uint32_t device, int64_t time, double ns_per_tick);
	void (*device_zone)(uint32_t track, struct tracewrap_location *location,
			    int64_t begin, int64_t end);
};

/* What happened to a lock. */
enum tracewrap_lock_event {
	TRACEWRAP_LOCK_GONE,
	TRACEWRAP_LOCK_WAIT,
	TRACEWRAP_LOCK_OBTAIN,
	TRACEWRAP_LOCK_RELEASE,
	TRACEWRAP_LOCK_WAIT_SHARED,
	TRACEWRAP_LOCK_OBTAIN_SHARED,
	TRACEWRAP_LOCK_RELEASE_SHARED
};

#ifndef TRACEWRAP_DISABLE

/* One per program or library that includes this; NULL when not preloaded. */
__attribute__((weak, visibility("hidden")))
const struct tracewrap_api *tracewrap_api_ptr;

/* libc's, weak: no -ldl, no _GNU_SOURCE, and a static program links. */
#ifdef __cplusplus
extern void *tracewrap_dlsym_(void *handle, const char *name) noexcept __asm__("dlsym")
	__attribute__((weak));
#else
extern void *tracewrap_dlsym_(void *handle, const char *name) __asm__("dlsym")
	__attribute__((weak));
#endif

__attribute__((constructor(101), unused)) static void tracewrap_find_(void)
{
	if (!tracewrap_api_ptr && tracewrap_dlsym_)
		tracewrap_api_ptr = (const struct tracewrap_api *)tracewrap_dlsym_(
			(void *)0, "tracewrap_api_1");
}

static inline struct tracewrap_zone
tracewrap_begin_(struct tracewrap_location *location)
{
	struct tracewrap_zone z = {0};

	if (__builtin_expect(tracewrap_api_ptr != NULL, 0))
		z.token = tracewrap_api_ptr->zone_begin(location);
	return z;
}

static inline void tracewrap_end_(struct tracewrap_zone z)
{
	if (__builtin_expect(z.token != 0, 0))
		tracewrap_api_ptr->zone_end(z.token);
}

static inline void tracewrap_leave_(struct tracewrap_zone *z)
{
	tracewrap_end_(*z);
}

/* clang-format off */
#define TRACEWRAP_JOIN2_(a, b) a##b
#define TRACEWRAP_JOIN_(a, b) TRACEWRAP_JOIN2_(a, b)
#define TRACEWRAP_AT_(name, colour) __extension__({                               \
	static struct tracewrap_location tracewrap_location_ = {                  \
		(name), __func__, __FILE__, __LINE__, (colour), 0, 0};            \
	tracewrap_begin_(&tracewrap_location_); })
#define TRACEWRAP_PLACE_(name) __extension__({                                    \
	static struct tracewrap_location tracewrap_location_ = {                  \
		(name), __func__, __FILE__, __LINE__, 0, 0, 0};                   \
	&tracewrap_location_; })
#define TRACEWRAP_CALL_(...) do {                                                 \
	if (__builtin_expect(tracewrap_api_ptr != NULL, 0))                       \
		tracewrap_api_ptr->__VA_ARGS__; } while (0)
#define TRACEWRAP_HAS_(member) (tracewrap_api_ptr && tracewrap_api_ptr->bytes >   \
	offsetof(struct tracewrap_api, member))
#define TRACEWRAP_CALL_2_(member, ...) do {                                       \
	if (__builtin_expect(TRACEWRAP_HAS_(member), 0))                          \
		tracewrap_api_ptr->member(__VA_ARGS__); } while (0)
#define TRACEWRAP_GET_2_(member, ...)                                             \
	(__builtin_expect(TRACEWRAP_HAS_(member), 0)                              \
		? tracewrap_api_ptr->member(__VA_ARGS__) : 0)

/* A zone until the end of the enclosing block, also by return, break or exception. */
#define TRACEWRAP_ZONE(name) TRACEWRAP_ZONE_COLOUR(name, 0)
#define TRACEWRAP_ZONE_COLOUR(name, colour)                                       \
	struct tracewrap_zone TRACEWRAP_JOIN_(tracewrap_zone_, __LINE__)          \
		__attribute__((cleanup(tracewrap_leave_), unused)) =              \
		TRACEWRAP_AT_(name, colour)
/* A zone from here to TRACEWRAP_END, on the same thread. */
#define TRACEWRAP_BEGIN(name) TRACEWRAP_AT_(name, 0)
#define TRACEWRAP_BEGIN_COLOUR(name, colour) TRACEWRAP_AT_(name, colour)
#define TRACEWRAP_END(zone) tracewrap_end_(zone)

/* Attach to the innermost open zone of this thread. Text past 4096 bytes is cut. */
#define TRACEWRAP_TEXT(text, bytes) TRACEWRAP_CALL_(zone_text((text), (bytes)))
#define TRACEWRAP_NAME(text, bytes) TRACEWRAP_CALL_(zone_name((text), (bytes)))
#define TRACEWRAP_COLOUR(rgb) TRACEWRAP_CALL_(zone_colour(rgb))
#define TRACEWRAP_VALUE(value) TRACEWRAP_CALL_(zone_value((uint64_t)(value)))

#define TRACEWRAP_MESSAGE(text, bytes) TRACEWRAP_CALL_(message((text), (bytes), 0))
#define TRACEWRAP_MESSAGE_COLOUR(text, bytes, rgb) TRACEWRAP_CALL_(message((text), (bytes), (rgb)))
#define TRACEWRAP_PLOT(name, value) TRACEWRAP_CALL_(plot((name), (double)(value)))
#define TRACEWRAP_FRAME(name) TRACEWRAP_CALL_(frame(name)) /* NULL: the main frame */
#define TRACEWRAP_THREAD_NAME(name) TRACEWRAP_CALL_(thread_name(name))

/* Frames with a begin and an end, in a set of their own name. */
#define TRACEWRAP_FRAME_BEGIN(name) TRACEWRAP_CALL_2_(frame_begin, (name))
#define TRACEWRAP_FRAME_END(name) TRACEWRAP_CALL_2_(frame_end, (name))

/* A zone that shows its call stack: n code addresses, innermost first (backtrace(3)). */
#define TRACEWRAP_BEGIN_STACK(name, addresses, n) ((struct tracewrap_zone){          \
	TRACEWRAP_GET_2_(zone_begin_stack, TRACEWRAP_PLACE_(name), (addresses), (n))})

/* Fibers: from enter to leave (or the next enter) what this thread does is the fiber's.
 * A fiber that runs on several threads keeps one row. New returns 0 without tracewrap. */
#define TRACEWRAP_FIBER_NEW(name) TRACEWRAP_GET_2_(fiber_new, (name))
#define TRACEWRAP_FIBER_ENTER(fiber) TRACEWRAP_CALL_2_(fiber_enter, (fiber))
#define TRACEWRAP_FIBER_LEAVE() TRACEWRAP_CALL_2_(fiber_leave, )
#define TRACEWRAP_FIBER_FREE(fiber) TRACEWRAP_CALL_2_(fiber_free, (fiber))

/* Locks: wait before, obtain after taking it, release after giving it back. */
#define TRACEWRAP_LOCK_NEW(name, is_shared)                                       \
	TRACEWRAP_GET_2_(lock_new, TRACEWRAP_PLACE_(name), (is_shared))
#define TRACEWRAP_LOCK_EVENT(lock, what) TRACEWRAP_CALL_2_(lock_event, (lock), (what))

/* Memory, by pool; the pool NULL is the program's own. */
#define TRACEWRAP_ALLOC(pool, address, bytes)                                     \
	TRACEWRAP_CALL_2_(memory_alloc, (pool), (address), (bytes))
#define TRACEWRAP_FREE(pool, address) TRACEWRAP_CALL_2_(memory_free, (pool), (address))

/* Devices: a device's clock shows `time` now and ticks every ns_per_tick. Tell it again
 * now and then. Of one track, tell zones in the order of their begins. */
#define TRACEWRAP_DEVICE_NEW(name, time, ns_per_tick)                             \
	TRACEWRAP_GET_2_(device_new, (name), (time), (ns_per_tick))
#define TRACEWRAP_DEVICE_TRACK(device, name)                                      \
	TRACEWRAP_GET_2_(device_track, (device), (name))
#define TRACEWRAP_DEVICE_CLOCK(device, time, ns_per_tick)                         \
	TRACEWRAP_CALL_2_(device_clock, (device), (time), (ns_per_tick))
#define TRACEWRAP_DEVICE_ZONE(track, name, begin, end)                            \
	TRACEWRAP_CALL_2_(device_zone, (track), TRACEWRAP_PLACE_(name), (begin), (end))
/* clang-format on */

#else /* TRACEWRAP_DISABLE */

#define TRACEWRAP_ZONE(name)			   ((void)0)
#define TRACEWRAP_ZONE_COLOUR(name, colour)	   ((void)0)
#define TRACEWRAP_BEGIN(name)			   ((struct tracewrap_zone){0})
#define TRACEWRAP_BEGIN_COLOUR(name, colour)	   ((struct tracewrap_zone){0})
#define TRACEWRAP_END(zone)			   ((void)(zone))
#define TRACEWRAP_TEXT(text, bytes)		   ((void)0)
#define TRACEWRAP_NAME(text, bytes)		   ((void)0)
#define TRACEWRAP_COLOUR(rgb)			   ((void)0)
#define TRACEWRAP_VALUE(value)			   ((void)0)
#define TRACEWRAP_MESSAGE(text, bytes)		   ((void)0)
#define TRACEWRAP_MESSAGE_COLOUR(text, bytes, rgb) ((void)0)
#define TRACEWRAP_PLOT(name, value)		   ((void)0)
#define TRACEWRAP_FRAME(name)			   ((void)0)
#define TRACEWRAP_THREAD_NAME(name)		   ((void)0)
#define TRACEWRAP_FRAME_BEGIN(name)		   ((void)0)
#define TRACEWRAP_FRAME_END(name)		   ((void)0)
#define TRACEWRAP_BEGIN_STACK(name, addresses, n)  ((struct tracewrap_zone){0})
#define TRACEWRAP_FIBER_NEW(name)		   0u
#define TRACEWRAP_FIBER_ENTER(fiber)		   ((void)(fiber))
#define TRACEWRAP_FIBER_LEAVE()			   ((void)0)
#define TRACEWRAP_FIBER_FREE(fiber)		   ((void)(fiber))
#define TRACEWRAP_LOCK_NEW(name, is_shared)	   0u
#define TRACEWRAP_LOCK_EVENT(lock, what)	   ((void)(lock))
#define TRACEWRAP_ALLOC(pool, address, bytes)	   ((void)0)
#define TRACEWRAP_FREE(pool, address)		   ((void)0)
#define TRACEWRAP_DEVICE_NEW(name, time, ns)	   0u
#define TRACEWRAP_DEVICE_TRACK(device, name)	   0u
#define TRACEWRAP_DEVICE_CLOCK(device, time, ns)   ((void)(device))
#define TRACEWRAP_DEVICE_ZONE(track, name, b, e)   ((void)(track))

#endif

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thunk's slow paths: the first event of a thread or of a function, a full ring, a
 * clock that is not the processor's, zones and frames that end out of order. On the
 * calling thread, possibly in a signal handler; the thunk has saved every register.
 */
#include "preload/native/thunk.h"

#include <cpuid.h>
#include <errno.h>

#include "preload/native/hooks.h"
#include "preload/self.h"

/* The layouts that thunk_x86_64.S knows by number. */
#define IS_AT(type, field, offset)                                                     \
	_Static_assert(offsetof(type, field) == (offset), #type "." #field)
IS_AT(struct tw_producer, head, 0);
IS_AT(struct tw_producer, begin_limit, 8);
IS_AT(struct tw_producer, end_limit, 16);
IS_AT(struct tw_producer, slots, 24);
IS_AT(struct tw_producer, mask, 32);
IS_AT(struct tw_producer, depth, 48);
IS_AT(struct tw_frame, return_address, 0);
IS_AT(struct tw_frame, saved, 8);
IS_AT(struct tw_frame, sp, 16);
IS_AT(struct tw_frame, hook, 24);
IS_AT(struct tw_frame, token, 32);
IS_AT(struct tw_frame, resume, 40);
IS_AT(struct tw_frames, next, 0);
IS_AT(struct tw_frames, end, 8);
IS_AT(struct tw_hook, real, 0);
IS_AT(struct tw_hook, word, 8);
_Static_assert(sizeof(struct tw_frame) == 64 && sizeof(struct tw_hook) == 16 &&
		       TW_HOOKS_MAX == 16384 && TW_EVENT_ZONE_BEGIN == 1 &&
		       TW_EVENT_ZONE_END == 2,
	       "thunk_x86_64.S has these");

static _Atomic uint32_t always_open = 1, never_open;

_Atomic uint32_t *tw_thunk_gate = &never_open;
uint8_t tw_thunk_has_xsave;

void tw_thunk_start(void)
{
	uint32_t a, b, c, d;

	tw_thunk_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
	/* Without an arena yet, the first call makes one: tw_thunk_begin_slow. */
	tw_thunk_gate = tw_self.view.arena ? &tw_self.view.arena->gate : &always_open;
}

void tw_thunk_stop(void)
{
	tw_thunk_gate = &never_open;
}

static bool has_fast_clock(void)
{
	return tw_self.clock == TW_CLOCK_KIND_COUNTER;
}

static void begin_zone(struct tw_producer *p, struct tw_frame *f)
{
	struct tw_hook *hook = f->hook;
	uint32_t location = tw_hook_location(hook);

	/* The word is what makes calls fast from now on. */
	if (has_fast_clock())
		atomic_store_explicit(&hook->word,
				      (uint64_t)TW_EVENT_ZONE_BEGIN << 48 | location,
				      memory_order_relaxed);
	tw_producer_begin_slow(p, location);
	f->token = has_fast_clock() ? p->depth : p->depth | TW_FRAME_IS_SLOW;
}

void tw_thunk_begin_slow(struct tw_frame *f)
{
	int saved = errno;
	struct tw_producer *p = tw_self_producer();

	f->token = TW_FRAME_IS_SLOW; /* no zone */
	if (p) {
		if (tw_thunk_gate == &always_open)
			tw_thunk_gate = &tw_self.view.arena->gate;
		begin_zone(p, f);
	}
	errno = saved;
}

static uint32_t depth_of(const struct tw_frame *f)
{
	return f->token & ~TW_FRAME_IS_SLOW;
}

/*
 * Zones form a stack even where calls do not: those of calls that are still open on
 * another stack of this thread end with the zone around them and begin again.
 */
static void end_zone(struct tw_producer *p, const struct tw_frame *f)
{
	static const char words[] = "continued";
	uint32_t depth = p->depth, own = depth_of(f);

	if (!own || own > depth)
		return; /* it has no zone, or a zone around it ended first */
	tw_producer_unwind(p, own - 1);
	for (struct tw_frame *g = (struct tw_frame *)f + 1; g < tw_frames.next; g++)
		if (!g->is_left && depth_of(g) > own && depth_of(g) <= depth) {
			begin_zone(p, g);
			tw_producer_push(p, TW_EVENT_ZONE_TEXT, 0, words,
					 sizeof(words) - 1);
		}
}

struct tw_frame *tw_thunk_end_slow(struct tw_frame *f)
{
	int saved = errno;
	struct tw_producer *p = tw_thread_producer;
	struct tw_frame *next = tw_frames_leave(f);

	if (p->ring)
		end_zone(p, f);
	errno = saved;
	return next;
}

void tw_thunk_unwound(struct tw_frame *f)
{
	struct tw_frame *next = tw_thunk_end_slow(f);

	if (next)
		tw_frames.next = next;
}

void tw_thunk_jump(uintptr_t sp)
{
	int saved = errno;
	struct tw_producer *p = tw_thread_producer;
	struct tw_frame *first = tw_frames_cut(sp);

	if (first && p->ring)
		end_zone(p, first);
	if (first)
		tw_frames_trim();
	errno = saved;
}

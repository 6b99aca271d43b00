/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start and end of the native room; contract in native.h.
 */
#include "preload/native/native.h"

#include <pthread.h>

#include "core/text.h"
#include "preload/log.h"
#include "preload/native/choose.h"
#include "preload/native/frames.h"
#include "preload/native/hooks.h"
#include "preload/native/patch.h"
#include "preload/native/thunk.h"
#include "preload/self.h"

static bool is_on;
static size_t usual_stack;

bool tw_native_is_on(void)
{
	return is_on;
}

static void find_usual_stack(void)
{
	pthread_attr_t attributes;

	if (pthread_getattr_default_np(&attributes))
		return;
	pthread_attr_getstacksize(&attributes, &usual_stack);
	pthread_attr_destroy(&attributes);
}

static void say_how_many(void)
{
	char text[64];
	struct tw_text t = tw_text_in(text, sizeof(text));

	tw_text_add_u64(&t, tw_hook_count());
	tw_log(TW_LOG_STEP, "native functions hooked", text);
}

void tw_native_start(void)
{
	static struct tw_choice own;

	/* Under a bare LD_PRELOAD a child may have no arena yet. */
	if (!tw_self.view.arena)
		tw_choice_fill(&own, &tw_self.config);
	if (!tw_choose_start(tw_self.view.arena ? &tw_self.view.arena->choice : &own))
		return;
	find_usual_stack();
	tw_frames_born_main();
	tw_jump_start();
	tw_thunk_start();
	is_on = true;
	tw_patch_start();
	say_how_many();
}

size_t tw_native_usual_stack(void)
{
	return usual_stack;
}

void tw_native_thread_born(size_t stack_bytes)
{
	if (is_on && stack_bytes)
		tw_frames_born(stack_bytes);
}

void tw_native_thread_dies(void)
{
	if (is_on)
		tw_frames_die();
}

void tw_native_stop(void)
{
	tw_thunk_stop();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back end of last resort: the profile function (PyEval_SetProfile), which every
 * version has. It is set for the thread that arms and, through the threading module,
 * for threads that start later. It sees less: not the threads that a program starts by
 * other means, nothing after the program has set a profile function of its own, and
 * before 3.12 not the resumes of generators by throw() and close(). So the summary
 * says that this one was in use.
 */
#include "core/intern.h"
#include "object.h"
#include "shadow.h"
#include "special.h"

enum what { WHAT_CALL = 0, WHAT_RETURN = 3 };

/* A frame's code object, borrowed: the frame that runs holds it. */
static tw_o *code_of(tw_o *frame)
{
	tw_o *code = tw_py_call.frame_code ? tw_py_call.frame_code(frame)
					   : tw_py_call.attribute(frame, "f_code");

	if (code)
		tw_py_call.drop(code);
	else
		tw_py_call.error_clear();
	return code;
}

static void begin(uint64_t word)
{
	uint32_t id = TW_PY_ID(word);

	if (TW_PY_FLAGS(word) & TW_PY_SPECIAL) {
		id = tw_py_special_begin(word, NULL);
		if (!id) {
			tw_py_shadow_begin_quiet();
			return;
		}
	}
	tw_py_shadow_begin(id ? id : TW_LOCATION_OVERFLOW);
}

static int on_profile(tw_o *self, tw_o *frame, int what, tw_o *argument);

/* The first event of a thread of the threading module: from here on as in C. */
static tw_o *on_thread(tw_o *self, tw_o *arguments)
{
	tw_o *frame = tw_py_call.tuple_get(arguments, 0);

	(void)self;
	tw_py_call.set_profile(on_profile, NULL);
	if (frame)
		on_profile(NULL, frame, WHAT_CALL, NULL);
	tw_py_call.keep(tw_py_call.at_none);
	return tw_py_call.at_none;
}

static struct tw_py_function thread_row = {"tracewrap_profile", on_thread,
					   TW_PY_VARARGS, NULL};

/* The threading module has just been made: it passes our hook on to its threads. */
static void follow_threads(void)
{
	struct tw_py_aside aside = tw_py_aside_put();
	tw_o *modules = tw_py_call.modules();
	tw_o *threading = modules ? tw_py_call.dict_get(modules, "threading") : NULL;
	tw_o *hook = threading ? tw_py_function_new(&thread_row) : NULL;

	if (hook)
		tw_py_release(
			tw_py_call.call_method(threading, "setprofile", "O", hook));
	tw_py_release(hook);
	tw_py_call.error_clear();
	tw_py_aside_take(&aside);
}

static int on_profile(tw_o *self, tw_o *frame, int what, tw_o *argument)
{
	tw_o *code;
	uint64_t word;

	(void)self;
	(void)argument;
	if (what != WHAT_CALL && what != WHAT_RETURN)
		return 0;
	code = code_of(frame);
	word = code ? tw_py_code_word(code) : 0;
	if (!code || TW_PY_FLAGS(word) & TW_PY_SKIPPED)
		return 0;
	if (what == WHAT_CALL)
		begin(word);
	else
		tw_py_shadow_end();
	if (what == WHAT_RETURN && tw_py_special_of(word) == TW_PY_THREADING)
		follow_threads();
	return 0;
}

bool tw_py_profile_install(void)
{
	if (tw_py_call.set_profile_all)
		tw_py_call.set_profile_all(on_profile, NULL);
	else
		tw_py_call.set_profile(on_profile, NULL);
	return true;
}

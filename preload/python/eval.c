/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back end up to 3.11: PEP 523. The interpreter calls our function for each frame
 * instead of its own, and we call the one that was there before (its own, or another
 * tool's). Begin and end are one C call, so they pair by themselves: a generator is a
 * zone for each resume, an exception ends the zone as a return does.
 *
 * Runs on every Python thread with the interpreter's lock. With `is_thrown` the hook is
 * entered with an exception set; nothing here may clear it (struct tw_py_aside).
 */
#include "special.h"
#include "stack.h"
#include "zone.h"

/* Of the code object in a frame, in all versions from 3.6 to 3.11. */
#define FRAME_CODE	32
/* frame_owner of a frame that lies in the thread's stack: its call has just begun. */
#define OWNED_BY_THREAD 0

/* In 3.11 a frame begins with its function; of that, a field with a known value and
 * the version, which changes when anything that matters to a caller does. */
#define FUNCTION_VECTORCALL 120
#define FUNCTION_VERSION    128

typedef tw_o *(*eval_two)(char *frame, int is_thrown);
typedef tw_o *(*eval_three)(void *state, char *frame, int is_thrown);

static eval_two next_two;
static eval_three next_three;
static int locals_offset; /* 0 = not known */
static int globals_offset;
static int owner_offset;

/*
 * Early releases of 3.11 run a __getitem__ without asking the hook once they have
 * specialised its call. They do that only for functions whose version fits into 16
 * bits, so this one gets a larger one, and a unique one, before the second call.
 */
static void keep_from_specialising(const char *frame)
{
	static uint32_t unused_version = UINT32_MAX;
	char *function = *(char *const *)frame;
	uint32_t *version = (uint32_t *)(function + FUNCTION_VERSION);

	if (tw_py_call.at_function_vectorcall &&
	    *(void **)(function + FUNCTION_VECTORCALL) ==
		    tw_py_call.at_function_vectorcall &&
	    *version <= UINT16_MAX)
		*version = unused_version--;
}

/*
 * What the hot path does not know at once. Returns the location, or 0: no zone. In 3.11
 * calling a generator function runs its frame up to where the generator is made; the
 * program sees no call there, and neither does the trace.
 */
static __attribute__((noinline)) uint32_t enter_slow(const char *frame, tw_o *code,
						     uint64_t word)
{
	tw_o *const *locals =
		locals_offset ? (tw_o *const *)(frame + locals_offset) : NULL;
	struct tw_py_frame known = {locals, *(tw_o *const *)(frame + globals_offset)};

	if (!tw_py_code_is(word, code))
		word = tw_py_code_find(code, &known);
	if (TW_PY_FLAGS(word) & TW_PY_SKIPPED)
		return 0;
	if (TW_PY_FLAGS(word) & TW_PY_GENERATOR && owner_offset >= 0 &&
	    frame[owner_offset] == OWNED_BY_THREAD)
		return 0;
	if (TW_PY_FLAGS(word) & TW_PY_SPECIAL &&
	    (locals || tw_py_special_of(word) == TW_PY_OWN))
		return tw_py_special_begin(word, locals);
	if (TW_PY_FLAGS(word) & TW_PY_GETITEM)
		keep_from_specialising(frame);
	return TW_PY_ID(word);
}

static inline __attribute__((always_inline)) uint32_t enter(const char *frame)
{
	tw_o *code = *(tw_o *const *)(frame + FRAME_CODE);
	uint64_t word = tw_py_code_peek(code);
	uint32_t id = (uint32_t)word;

	if (TW_PY_UNLIKELY(!tw_py_code_is(word, code)) ||
	    TW_PY_UNLIKELY(word & TW_PY_FLAGS_ALL)) {
		id = enter_slow(frame, code, word);
		if (!id)
			return 0;
	}
	return tw_py_zone_begin(id);
}

/* Up to 3.8. */
static tw_o *hook_two(char *frame, int is_thrown)
{
	uint32_t token;
	tw_o *result;

	if (tw_py_stack_is_low() &&
	    tw_py_stack_call((void *)hook_two, frame, (void *)(long)is_thrown, 0,
			     (void **)&result))
		return result;
	token = enter(frame);
	result = next_two(frame, is_thrown);
	if (token)
		tw_py_zone_end(token);
	return result;
}

/* From 3.9. */
static tw_o *hook_three(void *state, char *frame, int is_thrown)
{
	uint32_t token;
	tw_o *result;

	if (tw_py_stack_is_low() && tw_py_stack_call((void *)hook_three, state, frame,
						     is_thrown, (void **)&result))
		return result;
	token = enter(frame);
	result = next_three(state, frame, is_thrown);
	if (token)
		tw_py_zone_end(token);
	return result;
}

/* Variables of frames are looked at only where the frame type's size says the same. */
static void find_locals(const struct tw_py_abi *abi)
{
	long size = tw_py_number_of(tw_py_call.at_frame_type, "__basicsize__", 0);
	/* Up to 3.10 the frame object ends in them; in 3.11 it holds 48 bytes more. */
	long expected =
		abi->minor <= 10 ? abi->frame_locals + 8 : abi->frame_locals + 48;

	locals_offset = size == expected ? abi->frame_locals : 0;
}

static bool set_slot(const struct tw_py_abi *abi)
{
	/* A thread state begins with: previous, next, interpreter (3.6 to 3.8). */
	char *interpreter = ((char **)tw_py_call.thread_state())[2];
	void **slot = (void **)(interpreter + abi->eval_slot);

	if (*slot != tw_py_call.at_eval_default)
		return false;
	next_two = (eval_two)*slot;
	*slot = (void *)hook_two;
	return true;
}

bool tw_py_eval_install(void)
{
	const struct tw_py_abi *abi = tw_py.abi;
	void *interpreter;
	eval_three now;

	/* Debug builds have larger headers: every offset differs there. */
	if (!abi || abi->hook != TW_PYTHON_HOOK_EVAL || tw_py_header_bytes() != 16)
		return false;
	owner_offset = abi->frame_owner;
	globals_offset = abi->frame_globals;
	find_locals(abi);
	if (abi->eval_arguments == 2)
		return set_slot(abi);
	if (!tw_py_call.set_eval || !tw_py_call.get_eval || !tw_py_call.interpreter)
		return false;
	interpreter = tw_py_call.interpreter();
	now = (eval_three)tw_py_call.get_eval(interpreter);
	if (now != hook_three) {
		next_three = now;
		tw_py_call.set_eval(interpreter, (void *)hook_three);
	}
	return true;
}

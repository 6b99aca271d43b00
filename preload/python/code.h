/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code object -> location id. A direct-mapped table answers on an event's way: one load
 * and one comparison; no reference is held and no string is looked at. A code object is
 * entered when it is first met (its names are interned then, once) and is taken out by
 * CPython's own callback when it dies, before its address can be used again: a dead
 * function's name never shows on another.
 *
 * A table word is: location id (28 bits), flags (8), and the upper bits of the address
 * (28). With the slot number they give the whole address of an object that is aligned
 * to 16 bytes below 2^48; others are never entered and ask each time.
 */
#ifndef TW_PYTHON_CODE_H
#define TW_PYTHON_CODE_H

#include <stdatomic.h>
#include <stdint.h>

#include "call.h"

#define TW_PY_TAG_SHIFT 36

/* Variables and globals of a frame; both may be NULL. */
struct tw_py_frame {
	tw_o *const *locals; /* before 3.11 the first argument tells the class */
	tw_o *globals;
};

enum tw_py_code_flag {
	TW_PY_GENERATOR = 1 << 0, /* 3.11: a generator, coroutine or asynchronous one */
	TW_PY_GETITEM = 1 << 1,	  /* 3.11: a __getitem__ that could get lost */
	TW_PY_SKIPPED = 1 << 2,	  /* not recorded: filtered out */
	TW_PY_SPECIAL = 7 << 3,	  /* its arguments say something: special.h */
};

#define TW_PY_ID(word)	    ((uint32_t)(word)&0xfffffff)
#define TW_PY_FLAGS(word)   ((uint32_t)((word) >> 28) & 255)
#define TW_PY_FLAGS_ALL	    (255ull << 28)
#define TW_PY_SPECIAL_SHIFT 3
#define TW_PY_TAG(code)	    ((uint64_t)(uintptr_t)(code) >> 20)
#define TW_PY_SLOT_N	    65536u
#define TW_PY_SLOT(code)                                                               \
	(((uintptr_t)(code) >> 4 ^ (uintptr_t)(code) >> 20) & (TW_PY_SLOT_N - 1))

extern _Atomic uint64_t tw_py_codes[TW_PY_SLOT_N];

/* The word of a code object, or one whose upper bits differ from TW_PY_TAG(code). */
static inline uint64_t tw_py_code_peek(const tw_o *code)
{
	return atomic_load_explicit(&tw_py_codes[TW_PY_SLOT(code)],
				    memory_order_relaxed);
}

static inline bool tw_py_code_is(uint64_t word, const tw_o *code)
{
	return word >> TW_PY_TAG_SHIFT == TW_PY_TAG(code);
}

/*
 * The word of a code object, entered if it is new; id 0 when it cannot be (then it is
 * not recorded). `frame` is what is known of the frame that is about to run it; NULL
 * when it is the one that runs. Slow; keeps errno and the exception that is set.
 */
uint64_t tw_py_code_find(tw_o *code, const struct tw_py_frame *frame);

/* The same where no frame is known and the table is asked first. */
static inline uint64_t tw_py_code_word(tw_o *code)
{
	uint64_t word = tw_py_code_peek(code);

	return tw_py_code_is(word, code) ? word : tw_py_code_find(code, NULL);
}

/* Once for each interpreter: asks for the callback. False: no recording. */
bool tw_py_code_start(void);

/* In a sub-interpreter, when the first has started: true when codes are known alike. */
bool tw_py_code_start_sub(void);

/* The interpreter is gone: forgets all codes. */
void tw_py_code_forget(void);

/*
 * From here on calls of Python functions are not recorded, or are again; calls that are
 * under way keep what they have. Costs something only while it is silent: no code is in
 * the table then.
 */
void tw_py_code_silence(bool is_silent);
bool tw_py_code_is_silent(void);

#endif

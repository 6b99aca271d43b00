/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C stack for deep recursion. A frame evaluation hook makes CPython 3.11 nest C calls
 * where it has none without us (about 450 bytes a call), and lengthens those of older
 * versions: a program that recurses deeply, and works without us, would run out of
 * stack. So the hook goes on in fresh memory when half of the thread's stack is used.
 */
#ifndef TW_PYTHON_STACK_H
#define TW_PYTHON_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct tw_py_segment;

/* The calling thread's stack; initial-exec. */
struct tw_py_stack {
	uintptr_t floor; /* frames below it ask; UINTPTR_MAX: not known yet */
	uintptr_t low;	 /* where the current stack ends */
	struct tw_py_segment *segment; /* the current one; NULL: the thread's own */
	struct tw_py_segment *first;   /* kept for the next time */
};
extern _Thread_local struct tw_py_stack tw_py_stack
	__attribute__((tls_model("initial-exec")));

static inline bool tw_py_stack_is_low(void)
{
	return __builtin_expect(
		(uintptr_t)__builtin_frame_address(0) < tw_py_stack.floor, 0);
}

/*
 * Called when the stack is low: runs function(a, b, c) on fresh memory and stores its
 * result; false when it should run where it is, because there is no need or no memory.
 */
bool tw_py_stack_call(void *function, void *a, void *b, long c, void **result);

/* Gives back the memory of the calling thread, which is ending. */
void tw_py_stack_leave(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callable Python objects that run a C function of ours: for sys.monitoring (where the
 * way to the function must be short), gc.callbacks and threading. Made while arming.
 */
#ifndef TW_PYTHON_OBJECT_H
#define TW_PYTHON_OBJECT_H

#include "call.h"

/* Arguments as CPython's vectorcall has them; the result is a new reference. */
typedef tw_o *(*tw_py_vectorcall)(tw_o *self, tw_o *const *arguments, size_t n,
				  tw_o *keywords);

/* From 3.12: an object of a type of its own. NULL, no exception set: cannot be had. */
tw_o *tw_py_object_new(tw_py_vectorcall function);

/* Gives such an object another function; the one it had. */
tw_py_vectorcall tw_py_object_swap(tw_o *object, tw_py_vectorcall function);

/* A builtin function, in every version; the interpreter keeps pointing to its row. */
struct tw_py_function {
	const char *name;
	tw_o *(*function)(tw_o *self, tw_o *arguments); /* a tuple; new reference */
	int flags;					/* TW_PY_VARARGS */
	const char *text;
};
#define TW_PY_VARARGS 1
tw_o *tw_py_function_new(struct tw_py_function *row);

/* The interpreter is gone, and the type with it. */
void tw_py_object_forget(void);

#endif

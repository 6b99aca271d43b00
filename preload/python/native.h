/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C functions that Python code calls, as zones (--python-c): builtins, methods of
 * builtin types, functions of extension modules. Both back ends tell us the object that
 * is called; here it gets a location.
 */
#ifndef TW_PYTHON_NATIVE_H
#define TW_PYTHON_NATIVE_H

#include "call.h"

/*
 * Begins a zone on the calling thread, unless it is a Python function that is called:
 * that has a zone of its own. tw_py_shadow_end_native ends it.
 */
void tw_py_native_begin(tw_o *callable);

/* Back end up to 3.11: the calling thread, which is new, reports C calls from now on.
 */
void tw_py_native_watch(void);

/* The interpreter is gone. */
void tw_py_native_forget(void);

#endif

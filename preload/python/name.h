/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a code object is called: qualified name, file and first line. Asked once for
 * each code object, from code.c, with the exception put aside.
 */
#ifndef TW_PYTHON_NAME_H
#define TW_PYTHON_NAME_H

#include "call.h"

struct tw_py_name {
	const char *function; /* never NULL; "?" when it cannot be had */
	const char *file;     /* never NULL */
	uint32_t line;
	uint32_t flags;	      /* co_flags */
	uint32_t n_arguments; /* co_argcount */
	tw_o *holders[2];
};

#define TW_PY_CO_GENERATOR (0x20u | 0x80u | 0x200u) /* generator, coroutine, async */

/* Asks; `locals` as in struct tw_py_frame. The texts live until tw_py_name_end. */
void tw_py_name_begin(struct tw_py_name *name, tw_o *code, tw_o *const *locals);
void tw_py_name_end(struct tw_py_name *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the standard library whose arguments tell something: an import is named
 * by its module, a thread by threading. Recognised once, when their code object is
 * entered; asked on each of their (rare) calls.
 */
#ifndef TW_PYTHON_SPECIAL_H
#define TW_PYTHON_SPECIAL_H

#include "code.h"
#include "name.h"

/* Three bits of a table word's flags. */
enum tw_py_special {
	TW_PY_ORDINARY,
	TW_PY_IMPORT,	     /* importlib: _find_and_load(name, ...) */
	TW_PY_THREAD_STARTS, /* threading: Thread._bootstrap_inner(self) */
	TW_PY_THREAD_NAMED,  /* threading: Thread.name = name */
	TW_PY_THREADING,     /* threading: the module's own code */
	TW_PY_OWN,	     /* ours, or Python is silenced: no zone */
};

static inline enum tw_py_special tw_py_special_of(uint64_t word)
{
	return (TW_PY_FLAGS(word) & TW_PY_SPECIAL) >> TW_PY_SPECIAL_SHIFT;
}

/* Which of them a code object is, by its names. */
enum tw_py_special tw_py_special_find(const struct tw_py_name *name);

/*
 * A call of a special function begins; `word` is its table word. `locals` are the
 * variables of its frame, or NULL: then they are asked for by name, in the frame that
 * runs. Returns the location for the zone; 0: there is none.
 */
uint32_t tw_py_special_begin(uint64_t word, tw_o *const *locals);

#endif

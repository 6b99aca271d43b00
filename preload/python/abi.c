/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs between minor versions of CPython, one row each. To add a version: copy
 * the last row, run tests/real/t_python_*.sh with that interpreter on the PATH.
 *
 * Offsets are those of release builds for 64-bit machines, read from each version's
 * headers (frameobject.h, pystate.h, internal/pycore_frame.h) and checked before use:
 * eval_slot must hold the default evaluation function, frame_locals must agree with the
 * size of the frame type, and what is taken for a code object must be one.
 */
#include <stddef.h>

#include "python.h"

#define EVAL	TW_PYTHON_HOOK_EVAL
#define MONITOR TW_PYTHON_HOOK_MONITOR

/* clang-format off */
static const struct tw_py_abi rows[] = {
	/* minor  back end  arguments  slot  globals  locals  owner  fast */
	{  6,     EVAL,     2,         112,  48,      376,    -1,    false },
	{  7,     EVAL,     2,         464,  48,      360,    -1,    false },
	{  8,     EVAL,     2,         568,  48,      360,    -1,    false },
	{  9,     EVAL,     3,         -1,   48,      360,    -1,    false },
	{ 10,     EVAL,     3,         -1,   48,      352,    -1,    false },
	{ 11,     EVAL,     3,         -1,   8,       72,     69,    false },
	{ 12,     MONITOR,  3,         -1,   -1,      -1,     -1,    true },
	{ 13,     MONITOR,  3,         -1,   -1,      -1,     -1,    true },
	{ 14,     MONITOR,  3,         -1,   -1,      -1,     -1,    true },
	{ 15,     MONITOR,  3,         -1,   -1,      -1,     -1,    true },
};
/* clang-format on */

const struct tw_py_abi *tw_py_abi_find(int major, int minor)
{
	for (size_t i = 0; major == 3 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].minor == minor)
			return &rows[i];
	return NULL;
}

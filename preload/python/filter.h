/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which functions are recorded: --python-include, --python-exclude and --mine. Asked
 * once for each code object, when it is entered; its word then says it for good.
 */
#ifndef TW_PYTHON_FILTER_H
#define TW_PYTHON_FILTER_H

#include "name.h"

/* True when there is anything to ask. */
bool tw_py_filter_is_on(void);

/*
 * Is this function to be left out? `globals` are those of its module, or NULL. With the
 * exception put aside.
 */
bool tw_py_filter_skips(const struct tw_py_name *name, tw_o *globals);

/* For the summary: true when an include pattern is set and nothing matched it. */
bool tw_py_filter_is_idle(void);

#endif

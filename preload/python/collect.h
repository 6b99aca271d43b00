/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Garbage collections as zones, through the interpreter's own list gc.callbacks: the
 * program finds one entry more in it than it put there.
 */
#ifndef TW_PYTHON_COLLECT_H
#define TW_PYTHON_COLLECT_H

/*
 * With the interpreter's lock, while arming and again at the first imports: 3.6 and 3.7
 * are armed so early that there is nothing to import from yet. Does its work once.
 */
void tw_py_collect_install(void);

/* The interpreter is gone. */
void tw_py_collect_forget(void);

#endif

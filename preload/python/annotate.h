/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zones that Python code opened itself: what other files must tell annotate.c. A zone
 * is known by a number, not by its depth alone, because its end may come at any time:
 * by `del`, from a destructor, after the function that opened it has returned.
 */
#ifndef TW_PYTHON_ANNOTATE_H
#define TW_PYTHON_ANNOTATE_H

#include <stdint.h>

/* Zones of the calling thread (or of the fiber it runs) from this token on are closed.
 */
void tw_py_annotate_cut(uint32_t token);

/* The calling thread ends: gives back its memory. */
void tw_py_annotate_leave(void);

#endif

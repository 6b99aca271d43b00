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

/* Where zones of Python code lie that are opened while a fiber runs: beside a task's
 * row, else on the fiber itself. task.c. */
struct tw_producer;
struct tw_producer *tw_py_task_zones(struct tw_producer *fiber);

/* The calling thread ends: gives back its memory. */
void tw_py_annotate_leave(void);

#endif

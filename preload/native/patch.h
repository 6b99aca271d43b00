/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the calls that were chosen and sending them through stubs: the slots through
 * which loaded objects call each other. Nothing but slots is written.
 */
#ifndef TW_PATCH_H
#define TW_PATCH_H

#include <stdbool.h>
#include <stddef.h>

/* The objects of the start; before any other thread. */
void tw_patch_start(void);

/*
 * Objects that came since, unless `is_deep` (RTLD_DEEPBIND) is said of them with what
 * is certain only. Call it where a dl* function has just succeeded or is about to be
 * called: the program's dlerror is reset. Any thread, not in a signal handler.
 */
void tw_patch_new(bool is_deep);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pump's home inside the traced process, for a bare LD_PRELOAD. Under `tracewrap
 * CMD` none of this runs.
 */
#ifndef TW_HOME_H
#define TW_HOME_H

#include <stdbool.h>

/* The arena: made in the first process, emptied in a fork's child. False: no memory. */
bool tw_home_open(void);

/* Starts the pump for this process, whose slot is claimed. False: pass-through. */
bool tw_home_start(void);

/* Orderly end: waits, but not long, until the pump has written everything. */
void tw_home_end(void);

/* Records the exit code of this process; exit.c. */
void tw_exit_note(int code);

#endif

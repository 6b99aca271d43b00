/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is being written under another name is removed when a signal (Ctrl-C,
 * a closed terminal) ends us, so that no half of it is left behind. One at a time; main
 * thread. Used by output.c.
 */
#ifndef TW_PART_H
#define TW_PART_H

#include <sys/types.h>

/* The name of the n-th attempt of process `pid` for `path`; NULL without memory. */
char *tw_part_name(const char *path, pid_t pid, int n);
#define TW_PART_NAMES 100

/* From here on a signal removes `part`, which stays the caller's. */
void tw_part_guard(const char *part);
void tw_part_release(void);

/* Removes what process `pid`, which was killed, has left behind of `path`. */
void tw_part_sweep(const char *path, pid_t pid);

#endif

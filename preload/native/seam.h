/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the seam at the dl* functions (seam.c) has for the rest of the room.
 */
#ifndef TW_SEAM_H
#define TW_SEAM_H

/* The dlsym behind ours: its answers are not wrapped. */
void *tw_seam_dlsym_of_libc(void *handle, const char *name);

#endif

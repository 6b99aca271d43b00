/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code addresses as locations: module and offset, with the function's name where the
 * module exports it; the rest is looked up when a trace is read. Not for hot paths (it
 * asks the dynamic linker) but any address is asked for once in a while only.
 */
#ifndef TW_FRAME_H
#define TW_FRAME_H

#include <stdint.h>

#define TW_FRAMES_MAX 128u

uint32_t tw_frame_location(uintptr_t address);

#endif

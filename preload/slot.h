/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of the timeline that are no threads: fibers, devices and their tracks. Each has
 * a thread slot of the arena without a ring; its handle is the slot's number + 1, 0
 * when there is none left. A fork's child has none of its parent's. Any thread.
 */
#ifndef TW_SLOT_H
#define TW_SLOT_H

#include "core/ring.h"

uint32_t tw_slot_new(enum tw_thread_kind kind, uint32_t parent, const char *name);

/* Is it a handle of this process, and of that kind? */
bool tw_slot_is(uint32_t handle, enum tw_thread_kind kind);

/* Gives it back; the pump frees it when all of its events have been read. */
void tw_slot_free(uint32_t handle);

#endif

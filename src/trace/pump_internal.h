/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the pump's files share: pump.c (turns), pump_drain.c (rings to blocks),
 * pump_people.c (processes and threads coming and going). Pump's thread only.
 */
#ifndef TW_PUMP_INTERNAL_H
#define TW_PUMP_INTERNAL_H

#include <stddef.h>

#include "trace/pump.h"

/* Whose stream it is. */
static inline struct tw_pump_thread *tw_pump_owner(struct tw_stream_state *stream)
{
	return (struct tw_pump_thread *)((char *)stream -
					 offsetof(struct tw_pump_thread, stream));
}

/* Is this fiber what its carrier runs, as far as has been read? The carrier is kept
 * when it leaves, and may run another by now. */
static inline bool tw_pump_is_running(const struct tw_pump_thread *fiber)
{
	return fiber->carrier && fiber->carrier->fiber == &fiber->stream;
}

/* Empties a thread's ring as far as it is due; true when there may be more. */
bool tw_pump_drain(struct tw_pump *pump, uint32_t index, bool is_forced, bool is_final);

/* Writes growth of a thread's loss and stall counters. */
void tw_pump_count(struct tw_pump *pump, uint32_t index);

/* Newcomers get numbers and META records. */
void tw_pump_meet_processes(struct tw_pump *pump);
void tw_pump_meet_thread(struct tw_pump *pump, uint32_t index);

/* Finds processes that are gone. */
void tw_pump_look_for_dead(struct tw_pump *pump);

/* A slot that cannot be read on is waited for so long, for whatever reason. */
#define TW_PUMP_STUCK_NS 200000000u

/* May a slot whose owner is done be buried: has all been read that goes with it? */
bool tw_pump_thread_is_read(struct tw_pump *pump, uint32_t index);

/* Final drain and farewell of a thread slot, of a process slot. */
void tw_pump_bury_thread(struct tw_pump *pump, uint32_t index);
void tw_pump_bury_process(struct tw_pump *pump, uint32_t index);

#endif

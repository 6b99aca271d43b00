/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording without a traced program: an arena, producers and a pump in the test's
 * own process. For the unit tests of rings, encoder, spool writer and pump.
 */
#ifndef TW_TEST_RIG_H
#define TW_TEST_RIG_H

#include "core/intern.h"
#include "core/ring.h"
#include "trace/pump.h"

struct rig {
	struct tw_config config;
	struct tw_view view;
	struct tw_pump *pump; /* NULL until rig_pump */
	uint32_t process;
	char path[64];
};

/* An arena with one process; `buffer_bytes` of rings. */
void rig_open(struct rig *rig, uint64_t buffer_bytes, bool is_dropping);

/* A thread slot with its producer. */
void rig_thread(struct rig *rig, struct tw_producer *p);

/* Starts a pump into a temporary file. */
void rig_pump(struct rig *rig, uint64_t max_bytes);

/* Ends the file (it stays, at rig->path) and gives the memory back. */
void rig_close(struct rig *rig);

/* Begin and end as hooks do them: fast path, else slow path. */
void rig_begin(struct tw_producer *p, uint32_t location);
void rig_end(struct tw_producer *p);

/* A location of that name. */
uint32_t rig_location(struct rig *rig, const char *name);

/* A committed slot's kind, or 0 when it is not committed. */
unsigned rig_kind_at(const struct tw_producer *p, uint64_t slot);

#endif

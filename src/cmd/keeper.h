/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keeper: the process of `tracewrap CMD` that owns the arena and runs the pump. It
 * is apart from the process that waits for the program, so that it can go on when that
 * one must return (the program left daemons behind) or was killed: recording then
 * continues until the last traced process has ended.
 */
#ifndef TW_KEEPER_H
#define TW_KEEPER_H

#include <sys/types.h>

#include "cmd/outputs.h"
#include "core/arena.h"
#include "trace/pump.h"

/* What the keeper tells: once after start, once at the end or when it stays behind. */
struct tw_keeper_news {
	int error;	 /* of starting: -errno of creating the spool */
	int write_error; /* what stopped the spool, or 0 */
	int is_finished; /* the file is closed; else the keeper goes on alone */
	int32_t keeper_pid;
	uint64_t spool_bytes;
	uint64_t n_events_saved;
	uint64_t n_rotated_events;
	uint32_t n_refused;
	uint32_t live_port; /* where a viewer may come; 0 = nowhere */
	bool has_viewer;    /* one is there */
	struct tw_pump_totals totals;
};

/* Orders to the keeper. */
struct tw_keeper_order {
	enum { TW_ORDER_ENDED = 1, TW_ORDER_TOGGLE = 2 } kind;
	int32_t pid;
	int status; /* of wait(2) */
};

struct tw_keeper {
	pid_t pid;
	int line; /* a socket: orders go in, news come out */
};

/* What a keeper needs to know. */
struct tw_keeper_job {
	const struct tw_config *config;
	const struct tw_view *view;
	int arena_fd;
	pid_t program_pid;
	const char *arena_file; /* removed at the end; NULL for a memfd */
	const struct tw_outputs *outputs;
	const struct tw_pump_session *session;
};

/*
 * Forks the keeper, in which the arena keeps its descriptor: traced processes find it
 * there as /proc/KEEPER/fd/ARENA. Returns 0 or -errno.
 */
int tw_keeper_fork(struct tw_keeper *keeper, const struct tw_keeper_job *job)
	__attribute__((warn_unused_result));

/* Waits for the next news. Returns false when the keeper is gone. */
bool tw_keeper_hear(struct tw_keeper *keeper, struct tw_keeper_news *news);

/* Sends an order; a keeper that is gone is not an error. */
void tw_keeper_tell(struct tw_keeper *keeper, const struct tw_keeper_order *order);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live client: waits for a Tracy viewer, shows it the whole run from the spool and
 * then follows it. It is a task of its own in both homes (a process of the command, a
 * task beside the pump in the traced process) and never in the pump: whatever a viewer
 * does, recording does not notice. Malloc-free, raw system calls, no errno.
 */
#ifndef TW_LIVE_H
#define TW_LIVE_H

#include "core/arena.h"
#include "core/options.h"

#define TW_LIVE_PORT	 8086
#define TW_LIVE_PORTS	 20 /* tried one after another, unless one is asked for */
#define TW_LIVE_PORT_ANY (-1)

enum tw_live_state {
	TW_LIVE_STARTING,
	TW_LIVE_WAITING, /* for a viewer */
	TW_LIVE_SERVING, /* one */
	TW_LIVE_OVER,	 /* done, or there was no port */
};

/* What the outside may know; shared memory. */
struct tw_live_status {
	_Atomic uint32_t state; /* enum tw_live_state; a futex */
	_Atomic uint32_t port;
};

struct tw_live_job {
	struct tw_arena *arena;
	const char *path; /* of the spool */
	const char *name; /* of the program */
	int port;	  /* TW_LIVE_PORT_ANY, or the only one to try */
	bool is_wide;	  /* listen on all interfaces */
	bool is_fork;	  /* viewers are of Tenstorrent's fork, where it matters */
	const struct tw_numbers *announced; /* protocols beside the newest; or NULL */
	bool is_staying;		    /* wait for a viewer after the run, too */
	/* Becomes readable, or is closed, when nothing more will be written; negative:
	 * that is so already. */
	int wake;
	/* With is_staying: once *has_waiter is not 0, `waiter` becoming readable means
	 * that nobody waits any longer. NULL: there is no such thing. */
	const _Atomic uint32_t *has_waiter;
	int waiter;
	struct tw_live_status *status;
};

/* Runs until the run is over and its viewer, if there is one, has seen it all. */
void tw_live_run(const struct tw_live_job *job);

#endif

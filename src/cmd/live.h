/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live client of `tracewrap CMD` (tracy/live.h) as a process of its own, child of
 * the keeper: no viewer can hold the recording up.
 */
#ifndef TW_CMD_LIVE_H
#define TW_CMD_LIVE_H

#include <sys/types.h>

#include "core/arena.h"
#include "tracy/live.h"

struct tw_live_child {
	pid_t pid; /* 0 = none */
	int wake;  /* closed when the spool is whole */
	struct tw_live_status *status;
};

/*
 * Forks it, for the spool at `path` and a program of that command line (arguments
 * separated by NUL). Without a port (--port 0), or when it fails, there is none.
 */
void tw_live_child_start(struct tw_live_child *child, struct tw_arena *arena,
			 const struct tw_config *config, const char *path,
			 const char *command);

/*
 * The spool is whole: waits until a viewer that is there has seen all, with --no-exit
 * until one has come. Calls it off when the other end of socket `line` goes away; -1:
 * there is nobody to watch.
 */
void tw_live_child_end(struct tw_live_child *child, int line);

#endif

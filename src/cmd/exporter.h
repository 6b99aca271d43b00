/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a run's files from its spool, in a process of its own: whatever ends that one
 * (Ctrl-C, no memory), we are there to say where the trace is. Main thread of the
 * command.
 */
#ifndef TW_EXPORTER_H
#define TW_EXPORTER_H

#include <signal.h>

#include "cmd/outputs.h"

/*
 * Makes all files of `outputs`. `signals` are blocked and waited for here; those that
 * end programs end the making of files. Complains; 0 or -errno.
 */
int tw_exporter_run(const struct tw_outputs *outputs, const struct tw_config *config,
		    const sigset_t *signals) __attribute__((warn_unused_result));

#endif

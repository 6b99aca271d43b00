/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a run's trace goes: the spool that is written during the run, and the files
 * that are made from it afterwards. Main thread of the command.
 */
#ifndef TW_OUTPUTS_H
#define TW_OUTPUTS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/options.h"

struct tw_outputs {
	char spool[PATH_MAX];
	bool is_temporary; /* nobody asked for the spool: remove it after the exports */
};

/*
 * Checks all -o names before anything starts: known endings, nothing overwritten
 * without --force. Complains and returns -EINVAL or -EEXIST.
 */
int tw_outputs_check(const struct tw_config *config)
	__attribute__((warn_unused_result));

/* Decides the spool's name once the program's pid is known; 0 or -ENAMETOOLONG. */
int tw_outputs_name(struct tw_outputs *outputs, const struct tw_config *config,
		    const char *program, pid_t pid) __attribute__((warn_unused_result));

/* Makes all other outputs from the finished spool. Complains; 0 or -errno. */
int tw_outputs_export(const struct tw_outputs *outputs, const struct tw_config *config)
	__attribute__((warn_unused_result));

#endif

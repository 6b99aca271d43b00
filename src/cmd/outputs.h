/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a run's trace goes: the spool that is written during the run, and the files
 * that are made from it afterwards. Without -o that is PROGRAM.PID.tracy, and its spool
 * lies beside it until it is made. Main thread of the command.
 */
#ifndef TW_OUTPUTS_H
#define TW_OUTPUTS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/options.h"

struct tw_outputs {
	char spool[PATH_MAX];
	bool is_temporary; /* nobody asked for the spool: it goes when all is made */
	const char *files[TW_OUTPUTS_MAX]; /* made from the spool */
	unsigned n_files;
	char unnamed[PATH_MAX]; /* the file where no name was given */
};

/*
 * Checks all -o names before anything starts: known endings, nothing overwritten
 * without --force. Complains and returns -EINVAL or -EEXIST.
 */
int tw_outputs_check(const struct tw_config *config)
	__attribute__((warn_unused_result));

/* Decides on names once the program's pid is known. Complains; 0 or -errno. */
int tw_outputs_name(struct tw_outputs *outputs, const struct tw_config *config,
		    const char *program, pid_t pid) __attribute__((warn_unused_result));

/* Makes all files from the finished spool. Complains; 0 or -errno. */
int tw_outputs_export(const struct tw_outputs *outputs, const struct tw_config *config)
	__attribute__((warn_unused_result));

/* All files are made: removes a spool that nobody asked for. */
void tw_outputs_remove_spool(const struct tw_outputs *outputs);

/* One line on a terminal that goes again; NULL takes it away. */
void tw_outputs_say_progress(const char *name);

/* The file that `tracewrap report` takes; NULL when there is none. */
const char *tw_outputs_readable(const struct tw_outputs *outputs);

#endif

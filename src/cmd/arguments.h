/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From argv and environment to a command with its settings. Called once by main.
 */
#ifndef TW_ARGUMENTS_H
#define TW_ARGUMENTS_H

#include "cmd/command.h"

struct tw_arguments {
	const struct tw_command *command;
	struct tw_config config;
	int n_operands;
	char **operands; /* points into argv, NULL at the end */
};

/*
 * Decides on the command and reads its options: environment first, the command line
 * wins. argv's pointers are reordered. Complains about the first thing that is wrong.
 * Returns 0 or an exit code.
 */
int tw_arguments_parse(int argc, char **argv, char *const environment[],
		       struct tw_arguments *out) __attribute__((warn_unused_result));

/* Writes what values an option takes ("a size such as 64K, 16M or 4G, at least 1M"). */
void tw_option_accepts(const struct tw_option *option, char *buffer, size_t bytes);

/* Writes "default 256M, at least 1M, at most 1T" or "". */
void tw_option_bounds(const struct tw_option *option, char *buffer, size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sub-commands: one file each, one row each in commands.c. Main thread only.
 */
#ifndef TW_COMMAND_H
#define TW_COMMAND_H

#include "core/options.h"

/* Exit codes of our own; everything else is the traced program's. */
enum tw_exit {
	TW_EXIT_OK = 0,
	TW_EXIT_FINDING = 1, /* doctor: something will not be recorded */
	TW_EXIT_FAULT = 125, /* tracewrap's own fault, or bad usage */
	TW_EXIT_NOT_EXECUTABLE = 126,
	TW_EXIT_NOT_FOUND = 127,
};

struct tw_command {
	const char *name;     /* "report"; "run" is what happens without a name */
	unsigned bit;	      /* enum tw_command_bit: which options it takes */
	const char *synopsis; /* "report [OPTIONS] TRACE" */
	const char *summary;  /* one sentence */
	const char *details;  /* paragraphs for help and man page */
	const char *examples; /* lines of commands */
	/* The first operand ends our options: what follows belongs to another program.
	 */
	bool ends_at_operand;
	/*
	 * Runs with parsed options and the operands that remain; returns the exit code.
	 * NULL, as is the summary: the name is kept for a later release.
	 */
	int (*run)(const struct tw_config *config, int n_operands, char **operands);
};

extern const struct tw_command tw_commands[];
extern const size_t tw_n_commands;

/* The command of that name, those kept for later releases included, or NULL. */
const struct tw_command *tw_command_find(const char *name);

/* Writes what a user types to reach it: "tracewrap" for run, else "tracewrap report".
 */
void tw_command_title(const struct tw_command *command, char *buffer, size_t bytes);

int tw_cmd_run(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_report(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_export(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_doctor(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_ctl(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_bench(const struct tw_config *config, int n_operands, char **operands);
int tw_cmd_help(const struct tw_config *config, int n_operands, char **operands);

/*
 * Prints "tracewrap: ..." and a newline to stderr, as one line in one write;
 * printf-like. Not silenced by --quiet. errno is kept.
 */
void tw_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

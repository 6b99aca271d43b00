/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that explains the command to people and shells: help, man pages,
 * completion, all made from the tables of options, commands and topics. Main thread.
 */
#ifndef TW_HELP_H
#define TW_HELP_H

#include <stdio.h>

#include "cmd/command.h"

/* A fact for help and man page that belongs to no option. */
struct tw_topic {
	const char *section; /* "EXIT STATUS"; the order of sections is help's */
	unsigned commands;   /* enum tw_command_bit */
	const char *term;
	const char *text;
};

extern const struct tw_topic tw_topics[];
extern const size_t tw_n_topics;

/* What `tracewrap` without anything prints. */
void tw_help_usage(FILE *out);

/* `tracewrap COMMAND --help`. */
void tw_help_print(FILE *out, const struct tw_command *command);

/* Writes "-o, --output FILE", without the value when value is false. */
void tw_help_heading(const struct tw_option *option, char *buffer, size_t bytes);

/* Writes help, default and bounds of an option as one sentence. */
void tw_help_sentence(const struct tw_option *option, char *buffer, size_t bytes);

/* A man page in roff; run's page is tracewrap.1 and speaks of the whole. */
void tw_manual_print(FILE *out, const struct tw_command *command);

/* A completion script for bash. */
void tw_completion_print(FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and exports of a run; contract in outputs.h.
 */
#include "cmd/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "export/export.h"

static bool ends_in(const char *name, const char *ending)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ending) == 0;
}

/* `hint` is how the user can do what the fault advises. */
static int check(const char *name, const struct tw_config *config, const char *hint)
{
	struct tw_fault fault;
	int error = tw_export_check(name, config->is_forced, &fault);

	if (error)
		tw_complain("%s%s", fault.text, hint);
	return error;
}

int tw_outputs_check(const struct tw_config *config)
{
	int error = 0;

	for (unsigned i = 0; i < config->n_outputs && !error; i++)
		error = check(config->outputs[i], config, "");
	return error;
}

int tw_outputs_name(struct tw_outputs *outputs, const struct tw_config *config,
		    const char *program, pid_t pid)
{
	const size_t room = sizeof(outputs->spool);
	int n = -1;

	outputs->n_files = 0;
	for (unsigned i = 0; i < config->n_outputs; i++) {
		const char *name = config->outputs[i];

		if (n < 0 && ends_in(name, ".tw"))
			n = snprintf(outputs->spool, room, "%s", name);
		else
			outputs->files[outputs->n_files++] = name;
	}
	outputs->is_temporary = n < 0;
	if (n < 0)
		n = snprintf(outputs->spool, room, "%s.%d.tw",
			     config->n_outputs ? config->outputs[0] : program,
			     (int)pid);
	if (n >= (int)room) {
		tw_complain("the name of the trace is too long; choose one with -o");
		return -ENAMETOOLONG;
	}
	if (config->n_outputs)
		return 0;
	snprintf(outputs->unnamed, room, "%.*s.tracy", n - 3, outputs->spool);
	outputs->files[outputs->n_files++] = outputs->unnamed;
	return check(outputs->unnamed, config, ": -o FILE");
}

void tw_outputs_say_progress(const char *name)
{
	if (isatty(STDERR_FILENO))
		dprintf(STDERR_FILENO, "\r\033[K%s%s%s",
			name ? "tracewrap: writing " : "", name ? name : "",
			name ? " ..." : "");
}

int tw_outputs_export(const struct tw_outputs *outputs, const struct tw_config *config)
{
	int error = 0;

	for (unsigned i = 0; i < outputs->n_files; i++) {
		const char *name = outputs->files[i];
		struct tw_fault fault;

		if (!config->is_quiet)
			tw_outputs_say_progress(name);
		if (tw_export_file(outputs->spool, name, config, NULL, &fault)) {
			error = -EIO;
			tw_complain("%s; the trace is kept: tracewrap export %s -o %s",
				    fault.text, outputs->spool, name);
		}
	}
	if (!config->is_quiet)
		tw_outputs_say_progress(NULL);
	return error;
}

void tw_outputs_remove_spool(const struct tw_outputs *outputs)
{
	if (outputs->is_temporary)
		unlink(outputs->spool);
}

const char *tw_outputs_readable(const struct tw_outputs *outputs)
{
	if (!outputs->is_temporary)
		return outputs->spool;
	for (unsigned i = 0; i < outputs->n_files; i++)
		if (ends_in(outputs->files[i], ".tracy"))
			return outputs->files[i];
	return NULL;
}

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

static bool is_spool(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".tw") == 0;
}

int tw_outputs_check(const struct tw_config *config)
{
	for (unsigned i = 0; i < config->n_outputs; i++) {
		struct tw_fault fault;
		int error =
			tw_export_check(config->outputs[i], config->is_forced, &fault);

		if (error) {
			tw_complain("%s", fault.text);
			return error;
		}
	}
	return 0;
}

int tw_outputs_name(struct tw_outputs *outputs, const struct tw_config *config,
		    const char *program, pid_t pid)
{
	int n = -1;

	for (unsigned i = 0; i < config->n_outputs && n < 0; i++)
		if (is_spool(config->outputs[i]))
			n = snprintf(outputs->spool, sizeof(outputs->spool), "%s",
				     config->outputs[i]);
	outputs->is_temporary = n < 0 && config->n_outputs;
	if (n < 0)
		n = snprintf(outputs->spool, sizeof(outputs->spool), "%s.%d.tw",
			     config->n_outputs ? config->outputs[0] : program,
			     (int)pid);
	return n < (int)sizeof(outputs->spool) ? 0 : -ENAMETOOLONG;
}

/* One line that goes again, on a terminal only: this may take a while. */
static void say_progress(const char *name)
{
	if (isatty(STDERR_FILENO))
		dprintf(STDERR_FILENO, "\r\033[K%s%s%s",
			name ? "tracewrap: writing " : "", name ? name : "",
			name ? " ..." : "");
}

int tw_outputs_export(const struct tw_outputs *outputs, const struct tw_config *config)
{
	int error = 0;

	for (unsigned i = 0; i < config->n_outputs; i++) {
		const char *name = config->outputs[i];
		struct tw_fault fault;

		if (strcmp(name, outputs->spool) == 0)
			continue;
		if (!config->is_quiet)
			say_progress(name);
		if (tw_export_file(outputs->spool, name, config, NULL, &fault)) {
			error = -EIO;
			tw_complain("%s; the trace is kept: tracewrap export %s -o %s",
				    fault.text, outputs->spool, name);
		}
	}
	if (!config->is_quiet)
		say_progress(NULL);
	if (!error && outputs->is_temporary)
		unlink(outputs->spool);
	return error;
}

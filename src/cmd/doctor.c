/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `tracewrap doctor`: what would be recorded, what not, and why. This file holds the
 * order of the checks and the two ways to print them.
 */
#include "cmd/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/writer.h"

#define WHAT_COLUMNS 16

static void (*const checks[])(struct tw_doctor *) = {
	tw_doctor_file,	  tw_doctor_script,  tw_doctor_linkage,	 tw_doctor_sanitizer,
	tw_doctor_relro,  tw_doctor_library, tw_doctor_preloads, tw_doctor_glibc,
	tw_doctor_kernel, tw_doctor_proc,    tw_doctor_memory,	 tw_doctor_seccomp,
	tw_doctor_clock,  tw_doctor_output,  tw_doctor_limits,	 tw_doctor_settings,
};

static const char *const verdict_words[TW_DOCTOR_COUNT] = {
	[TW_DOCTOR_OK] = "ok",
	[TW_DOCTOR_NOTE] = "note",
	[TW_DOCTOR_BAD] = "BAD",
};

void tw_doctor_add(struct tw_doctor *doctor, enum tw_doctor_verdict verdict,
		   const char *what, const char *advice, const char *why, ...)
{
	struct tw_doctor_row *row = &doctor->rows[doctor->n_rows];
	va_list arguments;

	if (doctor->n_rows == TW_DOCTOR_ROWS_MAX)
		return;
	doctor->n_rows++;
	row->verdict = verdict;
	row->what = what;
	snprintf(row->advice, sizeof(row->advice), "%s", advice);
	va_start(arguments, why);
	vsnprintf(row->why, sizeof(row->why), why, arguments);
	va_end(arguments);
}

static void print_table(struct tw_writer *out, const struct tw_doctor *doctor)
{
	for (unsigned i = 0; i < doctor->n_rows; i++) {
		const struct tw_doctor_row *row = &doctor->rows[i];

		tw_writer_format(out, "%-*s %-5s", WHAT_COLUMNS, row->what,
				 verdict_words[row->verdict]);
		tw_writer_plain(out, tw_slice_of(row->why));
		tw_writer_text(out, "\n");
		if (row->advice[0])
			tw_writer_format(out, "%-*s   -> %s\n", WHAT_COLUMNS + 3, "",
					 row->advice);
	}
}

static void print_member(struct tw_writer *out, const char *name, const char *value)
{
	tw_writer_json(out, tw_slice_of(name));
	tw_writer_text(out, ": ");
	tw_writer_json(out, tw_slice_of(value));
}

static void print_json(struct tw_writer *out, const struct tw_doctor *doctor,
		       int status)
{
	tw_writer_format(out, "{\n  \"exit\": %d,\n", status);
	if (doctor->name) {
		tw_writer_text(out, "  ");
		print_member(out, "program", doctor->path);
		tw_writer_text(out, ",\n");
	}
	tw_writer_text(out, "  \"rows\": [\n");
	for (unsigned i = 0; i < doctor->n_rows; i++) {
		const struct tw_doctor_row *row = &doctor->rows[i];

		tw_writer_text(out, "    {");
		print_member(out, "what", row->what);
		tw_writer_text(out, ", ");
		print_member(out, "verdict", verdict_words[row->verdict]);
		tw_writer_text(out, ", ");
		print_member(out, "why", row->why);
		tw_writer_text(out, ", ");
		print_member(out, "advice", row->advice);
		tw_writer_text(out, i + 1 < doctor->n_rows ? "},\n" : "}\n");
	}
	tw_writer_text(out, "  ]\n}\n");
}

/* Prints the findings; returns their exit code, or our own fault's. */
static int print_findings(const struct tw_doctor *doctor, bool is_json, int status)
{
	struct tw_writer *out = malloc(sizeof(*out));
	int error;

	if (!out) {
		tw_complain("not enough memory for doctor: raise `ulimit -v`");
		return TW_EXIT_FAULT;
	}
	tw_writer_init(out, STDOUT_FILENO);
	if (is_json)
		print_json(out, doctor, status);
	else
		print_table(out, doctor);
	error = tw_writer_flush(out);
	free(out);
	if (!error)
		return status;
	tw_complain("cannot write standard output: %s", strerror(-error));
	return TW_EXIT_FAULT;
}

static int judge(const struct tw_doctor *doctor)
{
	int status = TW_EXIT_OK;

	if (doctor->find_error == -EACCES)
		return TW_EXIT_NOT_EXECUTABLE;
	if (doctor->find_error || doctor->program.verdict == TW_PROGRAM_MISSING)
		return TW_EXIT_NOT_FOUND;
	if (doctor->program.error)
		return TW_EXIT_NOT_EXECUTABLE;
	for (unsigned i = 0; i < doctor->n_rows; i++) {
		if (doctor->rows[i].verdict == TW_DOCTOR_BAD)
			status = TW_EXIT_FINDING;
	}
	return status;
}

static void examine_program(struct tw_doctor *doctor, const char *name)
{
	doctor->name = name;
	doctor->find_error = tw_program_find(name, getenv("PATH"), doctor->path,
					     sizeof(doctor->path));
	if (doctor->find_error && doctor->find_error != -EACCES)
		snprintf(doctor->path, sizeof(doctor->path), "%s", name);
	if (!doctor->find_error)
		tw_program_probe(doctor->path, &doctor->program);
}

int tw_cmd_doctor(const struct tw_config *config, int n_operands, char **operands)
{
	static char names[16384]; /* TRACEWRAP_OUTPUT, cut at its colons */
	struct tw_doctor *doctor = calloc(1, sizeof(*doctor));
	const struct tw_option *wrong;
	int status;

	if (!doctor) {
		tw_complain("not enough memory for doctor: raise `ulimit -v`");
		return TW_EXIT_FAULT;
	}
	tw_config_init(&doctor->run);
	wrong = tw_config_read_environment(&doctor->run, environ, TW_CMD_RUN, false,
					   names, sizeof(names));
	doctor->wrong_variable = wrong ? wrong->name : NULL;
	tw_host_read(&doctor->host);
	if (n_operands)
		examine_program(doctor, operands[0]);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](doctor);
	status = print_findings(doctor, config->is_json, judge(doctor));
	free(doctor);
	return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doctor's checks of the program that is to be traced. Nothing is run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor.h"
#include "inspect/script.h"

/* ELF machine numbers people meet; the rest is printed as a number. */
static const struct {
	unsigned number;
	const char *name;
} machines[] = {
	{3, "x86"},	 {8, "MIPS"},	     {20, "PowerPC"}, {21, "PowerPC64"},
	{22, "s390"},	 {40, "ARM"},	     {62, "x86-64"},  {183, "AArch64"},
	{243, "RISC-V"}, {258, "LoongArch"},
};

static void machine_name(unsigned number, char *buffer, size_t bytes)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (machines[i].number == number) {
			snprintf(buffer, bytes, "%s", machines[i].name);
			return;
		}
	}
	snprintf(buffer, bytes, "machine %u", number);
}

/* The file whose ELF facts count: the program, or a script's interpreter. */
static const char *judged_file(const struct tw_doctor *doctor)
{
	return doctor->program.file[0] ? doctor->program.file : doctor->path;
}

void tw_doctor_file(struct tw_doctor *doctor)
{
	const struct tw_verdict_row *verdict;

	if (!doctor->name)
		return;
	if (doctor->find_error == -EACCES)
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "program",
			      "chmod +x, or name its interpreter",
			      "'%s' cannot be executed: %s", doctor->path,
			      strerror(EACCES));
	else if (doctor->find_error)
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "program",
			      "check the name and PATH", "'%s': %s", doctor->name,
			      strerror(-doctor->find_error));
	else if (doctor->program.verdict >= TW_PROGRAM_NOT_EXECUTABLE &&
		 !doctor->program.n_scripts) {
		verdict = &tw_verdict_rows[doctor->program.verdict];
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "program", verdict->advice,
			      "'%s': %s", doctor->path, verdict->why);
	} else
		tw_doctor_add(doctor, TW_DOCTOR_OK, "program", "", "%s", doctor->path);
}

/*
 * `#!/usr/bin/env [-S] [NAME=VALUE]... python3`: env runs next what it finds in PATH,
 * and that is the program people mean.
 */
static void look_behind_env(struct tw_doctor *doctor, const struct tw_script *script)
{
	const char *base = strrchr(script->interpreter, '/');
	char words[TW_SCRIPT_LINE_MAX], path[PATH_MAX];
	struct tw_program target;
	char *rest = words, *word;

	if (!base || strcmp(base, "/env") != 0)
		return;
	snprintf(words, sizeof(words), "%s", script->argument);
	do
		word = strsep(&rest, " \t");
	while (word && (!*word || *word == '-' || strchr(word, '=')));
	if (!word)
		return;
	if (tw_program_find(word, getenv("PATH"), path, sizeof(path))) {
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "script",
			      "install it or put it into PATH",
			      "env will not find its program '%s'", word);
		return;
	}
	tw_program_probe(path, &target);
	tw_doctor_add(doctor,
		      tw_verdict_rows[target.verdict].is_recorded ? TW_DOCTOR_OK
								  : TW_DOCTOR_BAD,
		      "script", tw_verdict_rows[target.verdict].advice,
		      "env runs %s: %s", path, tw_verdict_rows[target.verdict].why);
}

void tw_doctor_script(struct tw_doctor *doctor)
{
	const char *file = doctor->path;
	struct tw_script script;

	if (!doctor->name || doctor->find_error)
		return;
	for (unsigned i = 0; i < doctor->program.n_scripts; i++) {
		char line[2 * TW_SCRIPT_LINE_MAX];

		if (tw_script_read(file, &script))
			return;
		snprintf(line, sizeof(line), "%s%s%s", script.interpreter,
			 script.argument[0] ? " " : "", script.argument);
		tw_doctor_add(doctor, TW_DOCTOR_OK, "script", "",
			      "runs '%s': the interpreter is what is recorded", line);
		file = script.interpreter;
	}
	if (doctor->program.n_scripts)
		look_behind_env(doctor, &script);
}

/* Adds what the verdict's table text cannot know: names and numbers of this file. */
static void describe(const struct tw_doctor *doctor, char *buffer, size_t bytes)
{
	const struct tw_program *program = &doctor->program;
	char machine[32];

	machine_name(program->elf.machine, machine, sizeof(machine));
	switch (program->verdict) {
	case TW_PROGRAM_OTHER_CLASS:
		snprintf(buffer, bytes, " (%u bits, %s)", program->elf.word_bits,
			 machine);
		break;
	case TW_PROGRAM_OK:
		snprintf(buffer, bytes, " (%s, %s, %u libraries)",
			 program->is_loader    ? "the loader itself"
			 : program->elf.is_pie ? "PIE"
					       : "fixed address",
			 machine, program->elf.n_needed);
		break;
	case TW_PROGRAM_MUSL:
	case TW_PROGRAM_OTHER_LIBC:
	case TW_PROGRAM_NO_LOADER:
		snprintf(buffer, bytes, " (loader %s)", program->elf.interpreter);
		break;
	default:
		buffer[0] = '\0';
	}
}

void tw_doctor_linkage(struct tw_doctor *doctor)
{
	const struct tw_verdict_row *row = &tw_verdict_rows[doctor->program.verdict];
	enum tw_doctor_verdict verdict = TW_DOCTOR_BAD;
	char details[TW_INTERPRETER_MAX + 32];

	if (!doctor->name || doctor->find_error)
		return;
	if (doctor->program.verdict >= TW_PROGRAM_NOT_EXECUTABLE &&
	    !doctor->program.n_scripts)
		return;
	if (doctor->program.verdict == TW_PROGRAM_OK)
		verdict = TW_DOCTOR_OK;
	else if (row->is_recorded)
		verdict = TW_DOCTOR_NOTE;
	describe(doctor, details, sizeof(details));
	tw_doctor_add(doctor, verdict, "linkage", row->advice, "%s: %s%s",
		      judged_file(doctor), row->why, details);
}

void tw_doctor_sanitizer(struct tw_doctor *doctor)
{
	if (!doctor->name || doctor->find_error || !doctor->program.elf.sanitizer[0])
		return;
	tw_doctor_add(doctor, TW_DOCTOR_OK, "sanitizer", "",
		      "%s insists on being loaded first: LD_PRELOAD will say so",
		      doctor->program.elf.sanitizer);
}

void tw_doctor_relro(struct tw_doctor *doctor)
{
	const struct tw_elf *elf = &doctor->program.elf;

	if (!doctor->name || doctor->find_error ||
	    doctor->program.verdict != TW_PROGRAM_OK)
		return;
	tw_doctor_add(doctor, TW_DOCTOR_OK, "relocations", "",
		      "%s, %s: neither hinders recording",
		      elf->has_relro ? "read-only after start (RELRO)"
				     : "writable (no RELRO)",
		      elf->is_bind_now ? "bound at start (BIND_NOW)"
				       : "bound on first call");
}

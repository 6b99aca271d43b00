/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of `tracewrap doctor`: rows, and the checks that add them. Main thread.
 *
 * To add a check: a function here, its line in the table of doctor.c.
 */
#ifndef TW_DOCTOR_H
#define TW_DOCTOR_H

#include <limits.h>

#include "cmd/command.h"
#include "inspect/host.h"
#include "inspect/program.h"

#define TW_DOCTOR_ROWS_MAX 64

enum tw_doctor_verdict {
	TW_DOCTOR_OK,
	TW_DOCTOR_NOTE, /* recording works, but a user should know */
	TW_DOCTOR_BAD,	/* something will not be recorded */
	TW_DOCTOR_COUNT
};

struct tw_doctor_row {
	enum tw_doctor_verdict verdict;
	const char *what;
	char why[384];
	char advice[256]; /* "" = nothing to do */
};

struct tw_doctor {
	struct tw_config run;	    /* what run would be told by the environment */
	const char *wrong_variable; /* option of the environment with a wrong value */
	struct tw_host host;
	const char *name; /* program as given, or NULL */
	char path[PATH_MAX];
	int find_error; /* of tw_program_find */
	struct tw_program program;
	char library[PATH_MAX];
	unsigned n_rows;
	struct tw_doctor_row rows[TW_DOCTOR_ROWS_MAX];
};

/* Adds a row; both texts are printf-like, `why` with the arguments. */
void tw_doctor_add(struct tw_doctor *doctor, enum tw_doctor_verdict verdict,
		   const char *what, const char *advice, const char *why, ...)
	__attribute__((format(printf, 5, 6)));

/* doctor_program.c */
void tw_doctor_file(struct tw_doctor *doctor);
void tw_doctor_script(struct tw_doctor *doctor);
void tw_doctor_linkage(struct tw_doctor *doctor);
void tw_doctor_sanitizer(struct tw_doctor *doctor);
void tw_doctor_relro(struct tw_doctor *doctor);

/* doctor_host.c */
void tw_doctor_library(struct tw_doctor *doctor);
void tw_doctor_preloads(struct tw_doctor *doctor);
void tw_doctor_glibc(struct tw_doctor *doctor);
void tw_doctor_kernel(struct tw_doctor *doctor);
void tw_doctor_proc(struct tw_doctor *doctor);
void tw_doctor_memory(struct tw_doctor *doctor);
void tw_doctor_seccomp(struct tw_doctor *doctor);
void tw_doctor_clock(struct tw_doctor *doctor);
void tw_doctor_output(struct tw_doctor *doctor);
void tw_doctor_limits(struct tw_doctor *doctor);
void tw_doctor_settings(struct tw_doctor *doctor);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What help and man pages say beyond options and commands. Read by help.c and manual.c.
 * Rows of a section stand together; text between backticks is printed bold.
 */
#include "cmd/help.h"

#define EVERY	(TW_CMD_ALL & ~TW_CMD_RUN)
#define TRACES	(TW_CMD_RUN | TW_CMD_REPORT | TW_CMD_EXPORT)
#define READERS (TW_CMD_REPORT | TW_CMD_EXPORT)
#define PROGRAM (TW_CMD_RUN | TW_CMD_DOCTOR)

/* clang-format off */
const struct tw_topic tw_topics[] = {
	{ "ENVIRONMENT", PROGRAM, "TRACEWRAP_LIBRARY",
	  "path of libtracewrap.so (default: ../lib/libtracewrap.so beside the command, then "
	  "the folder it was installed to)" },
	{ "ENVIRONMENT", TW_CMD_RUN, "LD_PRELOAD",
	  "libraries that are loaded into the program anyway; they keep their order, and "
	  "libtracewrap.so comes after a sanitizer runtime and before the others" },
	{ "EXIT STATUS", TW_CMD_RUN, "N", "the exit code of PROGRAM" },
	{ "EXIT STATUS", TW_CMD_RUN, "128+N", "PROGRAM was ended by signal N" },
	{ "EXIT STATUS", TW_CMD_DOCTOR, "0", "everything will be recorded" },
	{ "EXIT STATUS", TW_CMD_DOCTOR, "1", "PROGRAM, or a part of it, will not be recorded" },
	{ "EXIT STATUS", EVERY & ~TW_CMD_DOCTOR, "0", "it was done" },
	{ "EXIT STATUS", TW_CMD_ALL, "125", "tracewrap itself failed, or was used wrongly" },
	{ "EXIT STATUS", PROGRAM, "126", "PROGRAM was found but cannot be executed" },
	{ "EXIT STATUS", PROGRAM, "127", "PROGRAM was not found" },
	{ "FILES", TRACES, "PROGRAM.PID.tracy",
	  "the trace: Tracy's viewer opens it, and tracewrap reads it" },
	{ "FILES", TRACES, "PROGRAM.PID.tw",
	  "the trace while it is recorded, and under a bare LD_PRELOAD, where nobody can make "
	  "the other: compressed blocks with checksums" },
	{ "FILES", PROGRAM, "LIBDIR/libtracewrap.so",
	  "the library inside the program; `LD_PRELOAD=libtracewrap.so PROGRAM` records "
	  "without the command" },
	{ "LIMITS", TW_CMD_RUN, "memory",
	  "bounded in every mode: rings of all processes by --buffer-size, the trace file by "
	  "--max-size (the oldest whole blocks go first)" },
	{ "LIMITS", PROGRAM, "static programs", "are run but not recorded; their children are" },
	{ "LIMITS", PROGRAM, "setuid programs", "are run with their rights and not recorded" },
	{ "LIMITS", PROGRAM, "musl, 32-bit programs", "are run and not recorded" },
	{ "LIMITS", PROGRAM, "glibc", "2.34 or newer; Linux 4.14 or newer" },
	{ "LIMITS", READERS, "damaged traces",
	  "are read up to the damage and after it; what is missing is said; a damaged .tracy "
	  "file is refused" },
	{ "LIMITS", READERS, ".tracy files",
	  "have no place for: locations past 32,767 (their names are kept, their lines not), "
	  "NULs in texts, the lowest bit of a location's colours, the thread of a plot or frame; "
	  "what other programs put into one beyond zones, messages, plots and frames is not "
	  "read yet" },
};
/* clang-format on */

const size_t tw_n_topics = sizeof(tw_topics) / sizeof(tw_topics[0]);

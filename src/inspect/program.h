/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "What is this program, and can we be loaded into it?" Asked by doctor, by run, and by
 * the exec wrappers inside the traced process, there possibly in a vfork child or a
 * signal handler: no malloc, no stdio, no locks, no static mutable state, less than 8
 * KiB of stack, errno is kept. Only stat, open, pread, close, getxattr and their like.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include "inspect/elf.h"

/*
 * name, will it be recorded, may LD_PRELOAD name us, word, why, what to do.
 * LD_PRELOAD has to go where the loader would complain on the program's stderr or
 * refuse to start it. A fresh verdict is one row.
 */
/* clang-format off */
#define TW_PROGRAM_VERDICTS(X)                                                               \
	X(OK, 1, 1, "dynamic", "a dynamically linked program of this machine", "")          \
	X(UNREADABLE, 1, 1, "unreadable", "it may be run but not read: what it is cannot be known", \
	  "make it readable to see whether it can be recorded: chmod +r")                   \
	X(STATIC, 0, 1, "static", "statically linked: no loader runs that could load libtracewrap.so", \
	  "link it dynamically (without -static)")                                           \
	X(SETUID, 0, 0, "setuid", "runs with other rights than yours (setuid, setgid or file capabilities): the loader ignores LD_PRELOAD", \
	  "run it as the user it changes to, or trace a copy without the bit")              \
	X(OTHER_CLASS, 0, 0, "other machine", "built for another word size or processor than libtracewrap.so", \
	  "trace a build for this machine")                                                  \
	X(MUSL, 0, 0, "musl", "built for musl, not glibc", "trace a glibc build")            \
	X(OTHER_LIBC, 0, 0, "other libc", "its loader is not glibc's, or of a glibc older than 2.34", \
	  "trace a build for the glibc of this system")                                      \
	X(NO_LOADER, 0, 0, "no loader", "the loader it names does not exist: it cannot start", \
	  "install the C library it was built for")                                          \
	X(DAMAGED, 0, 0, "damaged", "its ELF headers contradict the file",                   \
	  "build or download it again")                                                      \
	X(NOT_ELF, 0, 1, "not ELF", "neither an ELF program nor a script with a #! line",    \
	  "name its interpreter: tracewrap sh FILE")                                         \
	X(TOO_DEEP, 0, 1, "too deep", "a script whose interpreter is a script, more than 5 times", \
	  "start the last interpreter yourself")                                             \
	X(NOT_EXECUTABLE, 0, 1, "not executable", "you may not execute it", "chmod +x, or name its interpreter") \
	X(DIRECTORY, 0, 1, "a directory", "it is a directory", "name a program in it")       \
	X(MISSING, 0, 1, "missing", "there is no such file", "check the name and PATH")
/* clang-format on */

enum tw_program_verdict {
#define TW_X(name, is_recorded, takes_preload, word, why, advice) TW_PROGRAM_##name,
	TW_PROGRAM_VERDICTS(TW_X)
#undef TW_X
		TW_PROGRAM_COUNT
};

struct tw_verdict_row {
	const char *word;
	const char *why;
	const char *advice;
	bool is_recorded;   /* the program will be recorded, as far as can be known */
	bool takes_preload; /* LD_PRELOAD may name us when this is executed */
};

extern const struct tw_verdict_row tw_verdict_rows[TW_PROGRAM_COUNT];

struct tw_program {
	enum tw_program_verdict verdict;
	int error; /* errno that execve will give, or that stopped the probe; 0 */
	unsigned n_scripts;	       /* `#!` files passed on the way */
	bool is_loader;		       /* the program is the dynamic loader itself */
	char file[TW_INTERPRETER_MAX]; /* script interpreter that counts; "" = the path
					*/
	struct tw_elf elf; /* facts of the file that counts, as far as they were read */
};

/*
 * Judges the file that execve(path) would run; relative paths count from the current
 * folder. Returns 0 when exec is expected to work, else the -errno exec is expected to
 * give; *out is filled in either way.
 */
int tw_program_probe(const char *path, struct tw_program *out);

/* The same by descriptor, for fexecve. */
int tw_program_probe_fd(int fd, struct tw_program *out);

/*
 * Finds `name` as execvp does: as it is when it has a slash, else in the folders of
 * `path_variable` (NULL = "/bin:/usr/bin"; empty elements = current folder). Writes the
 * path to buffer. Returns 0, -ENOENT, -EACCES (found, but nowhere executable: the path
 * is the first such file) or -ENAMETOOLONG.
 */
int tw_program_find(const char *name, const char *path_variable, char *buffer,
		    size_t bytes) __attribute__((warn_unused_result));

#endif

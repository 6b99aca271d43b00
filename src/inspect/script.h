/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The `#!` line of a script, read as the kernel reads it. Same rules as program.h: runs
 * inside the traced process, between fork and exec.
 */
#ifndef TW_SCRIPT_H
#define TW_SCRIPT_H

#define TW_SCRIPT_LINE_MAX 256 /* BINPRM_BUF_SIZE: the kernel looks no further */

struct tw_script {
	char interpreter[TW_SCRIPT_LINE_MAX];
	char argument[TW_SCRIPT_LINE_MAX]; /* the rest of the line, one argument, or ""
					    */
};

/* Returns 0, -ENOEXEC when the file has no such line, or -errno. */
int tw_script_read_fd(int fd, struct tw_script *out)
	__attribute__((warn_unused_result));
int tw_script_read(const char *path, struct tw_script *out)
	__attribute__((warn_unused_result));

#endif

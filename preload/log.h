/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words from inside the traced process, only when the user asks with --log: "1"
 * problems, "2" also what we do, to the program's stderr; anything else is a file to
 * append to. Any thread; no stdio, errno kept.
 */
#ifndef TW_LOG_H
#define TW_LOG_H

enum tw_log_level { TW_LOG_PROBLEM = 1, TW_LOG_STEP = 2 };

/* Takes the user's word; NULL or "" = silent. A file is made to an absolute path. */
void tw_log_open(const char *word);

/* Writes "tracewrap[PID]: what: about", at most 16 times a process. `about` may be
 * NULL. */
void tw_log(enum tw_log_level level, const char *what, const char *about);

#endif

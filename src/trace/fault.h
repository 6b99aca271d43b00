/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fault is one line for the user: what is wrong and what to do next. Readers and
 * exporters fill it in, the command prints it. Main thread; no allocation.
 */
#ifndef TW_FAULT_H
#define TW_FAULT_H

#define TW_FAULT_BYTES 4608 /* a whole path and a sentence */

struct tw_fault {
	char text[TW_FAULT_BYTES]; /* no newline, no "tracewrap: " in front */
};

/*
 * Words the fault (printf-like) and returns `error`, a negative errno, so that callers
 * can `return tw_fault_set(...)`. Control bytes (a path may hold any) become '?'.
 */
int tw_fault_set(struct tw_fault *fault, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for memory that could not be had. */
int tw_fault_no_memory(struct tw_fault *fault);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says what a file is that is no spool, so that the error can name the next step.
 * Called by spool_read.c with a file's first bytes; pure function over one table.
 */
#ifndef TW_SPOOL_FOREIGN_H
#define TW_SPOOL_FOREIGN_H

#include <stddef.h>

/* The end of the sentence "'x' is not a tracewrap spool: ". Never NULL; static. */
const char *tw_spool_foreign(const unsigned char *start, size_t n_bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping a spool below --max-size. Called by the spool writer, on the pump's thread.
 */
#ifndef TW_SPOOL_ROTATE_H
#define TW_SPOOL_ROTATE_H

#include "trace/spool_write.h"

/*
 * Replaces the file by one with all META blocks and the newest EVENTS blocks, a third
 * of max_bytes. Old and new together stay within max_bytes because the old one is
 * called full at two thirds. When the copy fails the old file stays and grows no more.
 */
void tw_spool_rotate(struct tw_spool_writer *spool);

/* Writes a fresh file header; 0 or -errno. Defined by the writer. */
int tw_spool_write_header(int fd, uint64_t session);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What writer and reader of `.tracy` files share: magic numbers, limits, and which
 * version has which field. The body is a long sequence of lists without any marks in
 * it: file_write.c spells it out in order, and file_read.c does so once more.
 *
 * To add a Tracy release that changes the body: a row in TW_TRACY_CHANGES, a test of it
 * in file_write.c and file_read.c, and a row in the table of versions in file_write.c.
 */
#ifndef TW_TRACY_FILE_FORMAT_H
#define TW_TRACY_FILE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Containers. Old ones are read by every release so far and written up to 0.10; new
 * ones came with 0.11. Both: u32 packed bytes, block; every block but the last holds
 * exactly TW_TRACY_BLOCK bytes of the body.
 */
#define TW_TRACY_MAGIC_LZ4  "tlZ\x04"
#define TW_TRACY_MAGIC_ZSTD "tZst"
#define TW_TRACY_MAGIC_NEW  "tr\xfdP" /* then u8 compression, u8 streams */
#define TW_TRACY_BLOCK	    65536u

#define TW_TRACY_NUMBER(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define TW_TRACY_OLDEST			     TW_TRACY_NUMBER(0u, 9u, 0u)
#define TW_TRACY_LATEST			     TW_TRACY_NUMBER(0u, 14u, 0u)

/* Since which version the body has (or lacks) something. */
enum tw_tracy_change {
	TW_TRACY_HAS_ON_DEMAND = TW_TRACY_NUMBER(0, 9, 2),
	TW_TRACY_NEW_CONTAINER = TW_TRACY_NUMBER(0, 11, 0),
	TW_TRACY_HAS_GROUP_HINT = TW_TRACY_NUMBER(0, 11, 1),
	TW_TRACY_HAS_DIE = TW_TRACY_NUMBER(0, 11, 2),
	TW_TRACY_HAS_WAKEUP_CPU = TW_TRACY_NUMBER(0, 11, 3),
	TW_TRACY_HAS_CUSTOM_GPU = TW_TRACY_NUMBER(0, 12, 0),
	TW_TRACY_LACKS_DELAY = TW_TRACY_NUMBER(0, 12, 3),
	TW_TRACY_HAS_GPU_NOTES = TW_TRACY_NUMBER(0, 12, 4),
	TW_TRACY_HAS_SEVERITY = TW_TRACY_NUMBER(0, 13, 2),
	TW_TRACY_HAS_SECTIONS = TW_TRACY_NUMBER(0, 13, 5),
};

#define TW_TRACY_PLACES_MAX  32767u    /* static locations; as many dynamic ones */
#define TW_TRACY_STRINGS_MAX 0xfffffeu /* indexes are 24 bits, and 0 means none */
#define TW_TRACY_TIME_MAX    0x7fffffffffffLL /* viewers keep 48 bits, signed */
#define TW_TRACY_TEXT_MAX    1023u	      /* names in the head of the body */
#define TW_TRACY_NO_TID	     (1u << 22) /* above the kernel's: thread of our marks */
#define TW_TRACY_CPUS	     256u	/* lists of context switches, used or not */

#define TW_TRACY_REASON_FIBER 99 /* of a context switch: a fiber ran */

enum { TW_TRACY_REF_INDEX = 1, TW_TRACY_REF_ACTIVE = 2 };

#endif

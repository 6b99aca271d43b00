/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where libtracewrap.so is, and whether it loads. Used by run and doctor, main thread.
 */
#ifndef TW_LIBRARY_H
#define TW_LIBRARY_H

#include <stddef.h>

/* Hidden option: the command, preloaded, says by its exit code whether we are inside.
 */
#define TW_LIBRARY_CHECK_FLAG "--check-library"

/* Exported by the library; its presence is the proof. */
#define TW_LIBRARY_SYMBOL "tracewrap_api_1"

/*
 * Writes the absolute path of the library: $TRACEWRAP_LIBRARY when set, else beside the
 * command, else in the folder it was configured for. Returns 0, -ENOENT, -ENAMETOOLONG,
 * or -EILSEQ when the path holds a blank or colon, which LD_PRELOAD cannot express;
 * then and with a wrong $TRACEWRAP_LIBRARY buffer names the offender, else it is "".
 */
int tw_library_find(char *buffer, size_t bytes) __attribute__((warn_unused_result));

/* Complains about a failure of tw_library_find with what to do next. */
void tw_library_complain(int error, const char *path);

/*
 * Starts the command again with the library preloaded. Returns 0 when it is inside, or
 * -errno with the loader's own words, as far as it said any, in `why`.
 */
int tw_library_check(const char *path, char *why, size_t bytes)
	__attribute__((warn_unused_result));

/* What TW_LIBRARY_CHECK_FLAG runs; returns the exit code. */
int tw_library_check_self(void);

#endif

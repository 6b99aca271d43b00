/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few file calls that judging a program takes, straight to the kernel (core/sys.h):
 * they keep errno, and inside the traced process they do not meet our own wrappers.
 * All return -errno. Any thread, signal handlers, vfork children.
 */
#ifndef TW_FILES_H
#define TW_FILES_H

#include <errno.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/sys.h"

/* struct stat of a 64-bit glibc is the kernel's own. */
_Static_assert(sizeof(long) == 8, "a 32-bit port needs statx here");

static inline int tw_file_stat(const char *path, struct stat *out)
{
	return (int)tw_sys6(SYS_newfstatat, AT_FDCWD, (long)path, (long)out, 0, 0, 0);
}

static inline int tw_file_stat_fd(int fd, struct stat *out)
{
	return (int)tw_sys6(SYS_fstat, fd, (long)out, 0, 0, 0, 0);
}

/* Opens for reading only, and never waits for a FIFO or takes a terminal. */
static inline int tw_file_open(const char *path)
{
	return tw_sys_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
}

/* May the effective user execute it? Kernels before 5.8 know only the real one. */
static inline int tw_file_is_executable(const char *path)
{
	long status =
		tw_sys6(SYS_faccessat2, AT_FDCWD, (long)path, X_OK, AT_EACCESS, 0, 0);

	if (status == -ENOSYS || status == -EPERM)
		status = tw_sys_access(path, X_OK);
	return status == 0;
}

static inline int tw_file_statfs(int fd, struct statfs *out)
{
	return (int)tw_sys6(SYS_fstatfs, fd, (long)out, 0, 0, 0, 0);
}

static inline long tw_file_attribute(int fd, const char *name, void *buffer,
				     size_t bytes)
{
	return tw_sys6(SYS_fgetxattr, fd, (long)name, (long)buffer, (long)bytes, 0, 0);
}

#endif

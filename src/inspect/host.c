/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host facts for doctor. Each is read on its own; one that cannot be read is unknown
 * and never a reason to stop.
 */
#include "inspect/host.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* First line of a small file, without its newline. */
static bool read_line(const char *path, char *buffer, size_t bytes)
{
	FILE *file = fopen(path, "re");
	bool is_read = file && fgets(buffer, (int)bytes, file);

	if (file)
		fclose(file);
	if (is_read)
		buffer[strcspn(buffer, "\n")] = '\0';
	else
		buffer[0] = '\0';
	return is_read;
}

static void read_kernel(struct tw_host *out)
{
	struct utsname name;

	if (uname(&name))
		return;
	snprintf(out->kernel, sizeof(out->kernel), "%s", name.release);
	sscanf(name.release, "%u.%u", &out->kernel_major, &out->kernel_minor);
}

static void read_glibc(struct tw_host *out)
{
	unsigned major = 0, minor = 0;

	if (sscanf(gnu_get_libc_version(), "%u.%u", &major, &minor) == 2 && major == 2)
		out->glibc_minor = minor;
}

/* "Seccomp:\t2" and "NoNewPrivs:\t1" of our own status. */
static void read_status(struct tw_host *out)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	out->seccomp = TW_HOST_UNKNOWN;
	out->no_new_privs = TW_HOST_UNKNOWN;
	out->has_proc = file != NULL;
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Seccomp:", 8) == 0)
			out->seccomp = atoi(line + 8);
		else if (strncmp(line, "NoNewPrivs:", 11) == 0)
			out->no_new_privs = atoi(line + 11);
	}
	if (file)
		fclose(file);
}

static void read_shared_memory(struct tw_host *out)
{
	int fd = memfd_create("tracewrap-doctor", MFD_CLOEXEC);

	out->memfd_error = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	out->shm_error = -tw_host_folder("/dev/shm", &out->shm_free_bytes);
}

static uint64_t read_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

int tw_host_folder(const char *folder, uint64_t *free_bytes)
{
	struct statvfs fs;

	*free_bytes = 0;
	if (access(folder, F_OK) ||
	    faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		return -errno;
	/* access(2) answers for directories on read-only mounts too, with EROFS. */
	if (statvfs(folder, &fs))
		return -errno;
	*free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

void tw_host_read(struct tw_host *out)
{
	char line[64];

	memset(out, 0, sizeof(*out));
	read_kernel(out);
	read_glibc(out);
	read_status(out);
	read_shared_memory(out);
	out->ptrace_scope =
		read_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof(line))
			? atoi(line)
			: TW_HOST_UNKNOWN;
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  out->clock_source, sizeof(out->clock_source));
	out->address_space_bytes = read_limit(RLIMIT_AS);
	out->file_bytes = read_limit(RLIMIT_FSIZE);
	out->n_files = read_limit(RLIMIT_NOFILE);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doctor's checks of the machine, of our own process and of our own library.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "cmd/library.h"
#include "core/clock.h"
#include "inspect/files.h"

#define MIB	     (UINT64_C(1) << 20)
#define GLIBC_FLOOR  34u
#define KERNEL_FLOOR 414u /* 4.14: MADV_WIPEONFORK keeps rings out of children */
#define FILES_FLOOR  16u
#define TABLES_BYTES (64 * MIB) /* names and slots beside the rings, generously */
#define OUTPUT_FLOOR (64 * MIB)

/* "3.5 GiB": for people only. */
static const char *size_text(uint64_t bytes, char *buffer, size_t n)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	size_t unit = 0;

	for (; v >= 1024 && unit < 4; unit++)
		v /= 1024;
	snprintf(buffer, n, "%.*f %s", unit && v < 10 ? 1 : 0, v, units[unit]);
	return buffer;
}

/* The highest GLIBC_2.N the library asks for; 0 = unreadable. */
static unsigned library_glibc(const char *path)
{
	struct tw_elf elf;
	unsigned minor = 0;
	int fd = tw_file_open(path);

	if (fd < 0)
		return 0;
	if (tw_elf_read(fd, &elf) == 0)
		minor = tw_elf_glibc_minor(fd, &elf);
	tw_sys_close(fd);
	return minor;
}

void tw_doctor_library(struct tw_doctor *doctor)
{
	static const char what[] = "libtracewrap.so";
	char why[256];
	int error = tw_library_find(doctor->library, sizeof(doctor->library));

	if (error == -EILSEQ) {
		tw_doctor_add(doctor, TW_DOCTOR_BAD, what,
			      "copy it elsewhere and set TRACEWRAP_LIBRARY",
			      "LD_PRELOAD cannot name '%s': blank or colon in its path",
			      doctor->library);
		return;
	}
	if (error) {
		tw_doctor_add(doctor, TW_DOCTOR_BAD, what,
			      "install it there or set TRACEWRAP_LIBRARY to it",
			      "not readable: %s",
			      doctor->library[0]
				      ? doctor->library
				      : "beside the command or in " TW_LIBDIR);
		doctor->library[0] = '\0';
		return;
	}
	error = tw_library_check(doctor->library, why, sizeof(why));
	if (error)
		tw_doctor_add(doctor, TW_DOCTOR_BAD, what,
			      "install the one that came with this command",
			      "%s does not load: %s", doctor->library,
			      why[0] ? why : strerror(-error));
	else
		tw_doctor_add(doctor, TW_DOCTOR_OK, what, "", "%s loads",
			      doctor->library);
}

/* Entries of LD_PRELOAD, which the loader splits at colons and blanks. */
void tw_doctor_preloads(struct tw_doctor *doctor)
{
	const char *preload = getenv("LD_PRELOAD");
	char *copy = preload ? strdup(preload) : NULL;
	char *rest = copy, *entry;
	unsigned n = 0;

	while ((entry = strsep(&rest, ": \t\n"))) {
		if (!*entry)
			continue;
		n++;
		if (strchr(entry, '/') && access(entry, R_OK))
			tw_doctor_add(doctor, TW_DOCTOR_NOTE, "LD_PRELOAD",
				      "correct or unset LD_PRELOAD",
				      "'%s' cannot be read: %s; the loader complains "
				      "with and "
				      "without tracewrap",
				      entry, strerror(errno));
	}
	if (n)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "LD_PRELOAD", "",
			      "%u librar%s loaded anyway, kept in order behind ours", n,
			      n == 1 ? "y is" : "ies are");
	free(copy);
}

void tw_doctor_glibc(struct tw_doctor *doctor)
{
	unsigned ours = doctor->library[0] ? library_glibc(doctor->library) : 0;
	unsigned needed = ours > GLIBC_FLOOR ? ours : GLIBC_FLOOR;
	unsigned have = doctor->host.glibc_minor;

	tw_doctor_add(doctor, have >= needed ? TW_DOCTOR_OK : TW_DOCTOR_BAD, "glibc",
		      have >= needed
			      ? ""
			      : "use a newer system or build tracewrap on this one",
		      "2.%u is here, 2.%u is needed", have, needed);
}

void tw_doctor_kernel(struct tw_doctor *doctor)
{
	const struct tw_host *host = &doctor->host;
	bool is_new = host->kernel_major * 100 + host->kernel_minor >= KERNEL_FLOOR;

	tw_doctor_add(doctor, is_new ? TW_DOCTOR_OK : TW_DOCTOR_BAD, "kernel",
		      is_new ? "" : "use a newer kernel", "%s is here, 4.14 is needed",
		      host->kernel[0] ? host->kernel : "unknown");
	if (host->ptrace_scope > 0)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "ptrace", "",
			      "yama ptrace_scope is %d: tracewrap needs no ptrace",
			      host->ptrace_scope);
}

void tw_doctor_proc(struct tw_doctor *doctor)
{
	if (doctor->host.has_proc)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "/proc", "", "mounted");
	else
		tw_doctor_add(doctor, TW_DOCTOR_NOTE, "/proc",
			      "mount -t proc proc /proc",
			      "not mounted: command lines and names of threads born "
			      "before us "
			      "are unknown");
}

/* Rings are a memfd; where that is forbidden, a file in /dev/shm. */
void tw_doctor_memory(struct tw_doctor *doctor)
{
	const struct tw_host *host = &doctor->host;
	char size[32];

	if (!host->memfd_error)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "shared memory", "",
			      "memfd_create works");
	else if (!host->shm_error)
		tw_doctor_add(doctor, TW_DOCTOR_NOTE, "shared memory", "",
			      "no memfd_create (%s): rings go to /dev/shm, %s free",
			      strerror(host->memfd_error),
			      size_text(host->shm_free_bytes, size, sizeof(size)));
	else
		tw_doctor_add(
			doctor, TW_DOCTOR_NOTE, "shared memory",
			"allow memfd_create, or mount -t tmpfs tmpfs /dev/shm",
			"no memfd_create (%s), no /dev/shm (%s): rings go to a file in "
			"/tmp, or stay in each process",
			strerror(host->memfd_error), strerror(host->shm_error));
	if (!host->memfd_error && host->shm_error)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "/dev/shm", "",
			      "not usable (%s), and not needed",
			      strerror(host->shm_error));
}

void tw_doctor_seccomp(struct tw_doctor *doctor)
{
	const struct tw_host *host = &doctor->host;

	if (host->seccomp > 0)
		tw_doctor_add(doctor, TW_DOCTOR_NOTE, "seccomp",
			      "if events are missing, record outside the sandbox",
			      "a filter is active on this shell: it may refuse what "
			      "recording "
			      "needs");
	else if (host->seccomp == 0)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "seccomp", "",
			      "no filter is active");
	if (host->no_new_privs > 0)
		tw_doctor_add(
			doctor, TW_DOCTOR_OK, "no_new_privs", "",
			"set: setuid bits have no effect, such programs are recorded");
}

void tw_doctor_clock(struct tw_doctor *doctor)
{
	enum tw_clock_reason reason;
	enum tw_clock_kind kind = tw_clock_choose(doctor->run.clock, &reason);

	tw_doctor_add(
		doctor, kind == TW_CLOCK_KIND_COUNTER ? TW_DOCTOR_OK : TW_DOCTOR_NOTE,
		"clock", "", "%s: %s; the kernel uses %s",
		kind == TW_CLOCK_KIND_COUNTER ? "the processor's counter"
					      : "CLOCK_MONOTONIC_RAW, slower to read",
		tw_clock_reasons[reason],
		doctor->host.clock_source[0] ? doctor->host.clock_source
					     : "an unknown source");
}

static void check_folder(struct tw_doctor *doctor, const char *output)
{
	const char *slash = output ? strrchr(output, '/') : NULL;
	char folder[PATH_MAX] = ".", size[32];
	uint64_t free_bytes;
	int error;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 slash == output ? 1 : (int)(slash - output), output);
	error = tw_host_folder(folder, &free_bytes);
	if (error)
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "output folder",
			      "name a folder you can write to: -o FOLDER/x.tracy",
			      "no trace can be written in '%s': %s", folder,
			      strerror(-error));
	else
		tw_doctor_add(doctor,
			      free_bytes < OUTPUT_FLOOR ? TW_DOCTOR_NOTE : TW_DOCTOR_OK,
			      "output folder",
			      free_bytes < OUTPUT_FLOOR
				      ? "write elsewhere with -o, or set "
					"--max-size"
				      : "",
			      "'%s', %s free", folder,
			      size_text(free_bytes, size, sizeof(size)));
}

void tw_doctor_output(struct tw_doctor *doctor)
{
	if (!doctor->run.n_outputs)
		check_folder(doctor, NULL);
	for (unsigned i = 0; i < doctor->run.n_outputs; i++)
		check_folder(doctor, doctor->run.outputs[i]);
}

void tw_doctor_limits(struct tw_doctor *doctor)
{
	const struct tw_host *host = &doctor->host;
	char limit[32], need[32];
	unsigned n_before = doctor->n_rows;

	if (host->address_space_bytes < doctor->run.buffer_bytes + TABLES_BYTES)
		tw_doctor_add(
			doctor, TW_DOCTOR_NOTE, "limits",
			"raise `ulimit -v`, or lower --buffer-size",
			"address space is limited to %s, recording reserves up to %s: "
			"buffers will be smaller",
			size_text(host->address_space_bytes, limit, sizeof(limit)),
			size_text(doctor->run.buffer_bytes + TABLES_BYTES, need,
				  sizeof(need)));
	if (host->n_files < FILES_FLOOR)
		tw_doctor_add(doctor, TW_DOCTOR_NOTE, "limits", "raise `ulimit -n`",
			      "only %" PRIu64
			      " open files are allowed: outputs may not open",
			      host->n_files);
	if (host->file_bytes != UINT64_MAX &&
	    (!doctor->run.max_bytes || host->file_bytes < doctor->run.max_bytes))
		tw_doctor_add(doctor, TW_DOCTOR_NOTE, "limits",
			      "raise `ulimit -f`, or lower --max-size",
			      "files are limited to %s: a longer trace loses its end",
			      size_text(host->file_bytes, limit, sizeof(limit)));
	if (doctor->n_rows == n_before)
		tw_doctor_add(doctor, TW_DOCTOR_OK, "limits", "",
			      "memory, open files and file size suffice");
}

void tw_doctor_settings(struct tw_doctor *doctor)
{
	if (doctor->wrong_variable)
		tw_doctor_add(doctor, TW_DOCTOR_BAD, "settings", "correct or unset it",
			      "the variable for --%s has a value that is not accepted",
			      doctor->wrong_variable);
}

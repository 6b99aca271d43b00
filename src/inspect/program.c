/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges programs before they are executed. See program.h for where this runs and what
 * it therefore must not do.
 */
#include "inspect/program.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "inspect/files.h"
#include "inspect/script.h"

/* clang-format off */
const struct tw_verdict_row tw_verdict_rows[TW_PROGRAM_COUNT] = {
#define TW_X(name, recorded, preload, word_, why_, advice_) \
	[TW_PROGRAM_##name] = { .word = word_, .why = why_, .advice = advice_, \
				.is_recorded = recorded, .takes_preload = preload },
	TW_PROGRAM_VERDICTS(TW_X)
#undef TW_X
};

/* Loaders by what their file name begins with. Names not listed may be a glibc's. */
static const struct {
	const char *prefix;
	enum tw_program_verdict verdict;
} loaders[] = {
	{ "ld-musl", TW_PROGRAM_MUSL },
	{ "ld-uClibc", TW_PROGRAM_OTHER_LIBC },
	{ "linker", TW_PROGRAM_OTHER_LIBC }, /* Android */
};
/* clang-format on */

#define SCRIPTS_MAX  5 /* exec_binprm() allows as many changes of interpreter */
#define DEFAULT_PATH "/bin:/usr/bin"
#define GLIBC_FLOOR  34 /* glibc 2.34: libpthread and libdl are inside libc */

/* linux/magic and statfs(2): f_flags hold mount flags when ST_VALID is set. */
#define MOUNT_FLAGS_VALID 0x20
#define MOUNT_NOSUID	  0x02

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int judge(struct tw_program *out, enum tw_program_verdict verdict, int error)
{
	out->verdict = verdict;
	out->error = error;
	return -error;
}

static bool is_mounted_nosuid(int fd)
{
	struct statfs fs;

	return tw_file_statfs(fd, &fs) == 0 && (fs.f_flags & MOUNT_FLAGS_VALID) &&
	       (fs.f_flags & MOUNT_NOSUID);
}

/* File capabilities (linux/capability.h: struct vfs_cap_data, little endian). */
static bool gains_capabilities(int fd, bool is_restrained)
{
	unsigned char cap[24];
	long n = tw_file_attribute(fd, "security.capability", cap, sizeof(cap));
	bool is_effective;

	/* Root gains nothing that sets AT_SECURE. ERANGE: a later layout; suppose so.
	 */
	if (getuid() == 0)
		return false;
	if (n < 12)
		return n == -ERANGE;
	is_effective = cap[0] & 1;
	for (size_t i = 4; i < (size_t)n && i < 20; i += 8) {
		if (!is_restrained && (cap[i] | cap[i + 1] | cap[i + 2] | cap[i + 3]))
			return true;
	}
	return is_effective;
}

/*
 * Will the kernel set AT_SECURE (cap_bprm_creds_from_file)? It compares the new
 * effective ids with the old *real* ones: a setuid file of one's own is harmless, and a
 * process that already runs with borrowed rights stays secure.
 */
static bool changes_rights(int fd, const struct stat *status)
{
	bool is_restrained =
		tw_sys6(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1;
	bool obeys_bits = !is_mounted_nosuid(fd);
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (obeys_bits && !is_restrained) {
		if (status->st_mode & S_ISUID)
			uid = status->st_uid;
		if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
			gid = status->st_gid;
	}
	return uid != getuid() || gid != getgid() ||
	       (obeys_bits && gains_capabilities(fd, is_restrained));
}

/* The loader of this very process, or NULL. dl_iterate_phdr would take a lock. */
static const char *own_loader(void)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	const ElfW(Phdr) *table = NULL, *loader = NULL;

	for (size_t i = 0; headers && i < n; i++) {
		if (headers[i].p_type == PT_PHDR)
			table = &headers[i];
		else if (headers[i].p_type == PT_INTERP)
			loader = &headers[i];
	}
	if (!table || !loader)
		return NULL;
	return (const char *)((uintptr_t)headers - table->p_vaddr + loader->p_vaddr);
}

/* A loader of another glibc must be new enough, or it refuses to start the program. */
static bool is_loader_new_enough(const char *path, const struct stat *status)
{
	const char *own = own_loader();
	struct stat own_status;
	struct tw_elf elf;
	unsigned minor = 0;
	int fd;

	if (!own || strcmp(own, path) == 0)
		return true;
	if (tw_file_stat(own, &own_status) == 0 &&
	    own_status.st_dev == status->st_dev && own_status.st_ino == status->st_ino)
		return true;
	fd = tw_file_open(path);
	if (fd < 0)
		return true;
	if (tw_elf_read(fd, &elf) == 0)
		minor = tw_elf_glibc_minor(fd, &elf);
	tw_sys_close(fd);
	return minor >= GLIBC_FLOOR;
}

static int judge_loader(struct tw_program *out)
{
	const char *path = out->elf.interpreter;
	struct stat status;
	int error;

	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++) {
		if (has_prefix(base_name(path), loaders[i].prefix))
			return judge(out, loaders[i].verdict, 0);
	}
	error = tw_file_stat(path, &status);
	if (error)
		return judge(out, TW_PROGRAM_NO_LOADER, -error);
	if (!S_ISREG(status.st_mode) || !is_loader_new_enough(path, &status))
		return judge(out, TW_PROGRAM_OTHER_LIBC, 0);
	return judge(out, TW_PROGRAM_OK, 0);
}

static int judge_elf(struct tw_program *out)
{
	const struct tw_elf *elf = &out->elf;

	if (!elf->is_native)
		return judge(out, TW_PROGRAM_OTHER_CLASS, 0);
	if (elf->type != ET_EXEC && elf->type != ET_DYN)
		return judge(out, TW_PROGRAM_NOT_ELF, ENOEXEC);
	if (elf->interpreter[0])
		return judge_loader(out);
	/* `ld-linux-x86-64.so.2 ./program` obeys LD_PRELOAD although it has no loader.
	 */
	if (has_prefix(elf->soname, "ld-linux") || has_prefix(elf->soname, "ld64.so")) {
		out->is_loader = true;
		return judge(out, TW_PROGRAM_OK, 0);
	}
	return judge(out, TW_PROGRAM_STATIC, 0);
}

/* The file of *fd is a script: puts its interpreter's path into out->file. */
static int step_into_script(int fd, struct tw_program *out)
{
	struct tw_script script;
	int error = tw_script_read_fd(fd, &script);

	if (error)
		return judge(out, TW_PROGRAM_NOT_ELF, ENOEXEC);
	if (++out->n_scripts > SCRIPTS_MAX)
		return judge(out, TW_PROGRAM_TOO_DEEP, ELOOP);
	memcpy(out->file, script.interpreter, sizeof(out->file));
	return 1;
}

/* Judges an open file. Returns 1 when it is a script and out->file is to be judged
 * next. */
static int judge_file(int fd, const struct stat *status, struct tw_program *out)
{
	int error = tw_elf_read(fd, &out->elf);

	if (error == -ENOEXEC)
		return step_into_script(fd, out);
	if (error == -EBADMSG)
		/* Without program headers the kernel refuses; past them it may try. */
		return judge(out, TW_PROGRAM_DAMAGED, out->elf.n_headers ? 0 : ENOEXEC);
	if (error)
		return judge(out, TW_PROGRAM_UNREADABLE, 0);
	if (changes_rights(fd, status)) {
		/* A static setuid program is static first: nothing the user runs
		 * changes it. */
		error = judge_elf(out);
		return out->verdict == TW_PROGRAM_OK ? judge(out, TW_PROGRAM_SETUID, 0)
						     : error;
	}
	return judge_elf(out);
}

static int judge_path(const char *path, struct tw_program *out)
{
	struct stat status;
	int fd, verdict;
	int error = tw_file_stat(path, &status);

	if (error)
		return judge(out, TW_PROGRAM_MISSING, -error);
	if (S_ISDIR(status.st_mode))
		return judge(out, TW_PROGRAM_DIRECTORY, EACCES);
	if (!S_ISREG(status.st_mode) || !tw_file_is_executable(path))
		return judge(out, TW_PROGRAM_NOT_EXECUTABLE, EACCES);
	fd = tw_file_open(path);
	if (fd < 0 && (status.st_mode & S_ISUID) && status.st_uid != getuid())
		return judge(out, TW_PROGRAM_SETUID, 0);
	if (fd < 0)
		return judge(out, TW_PROGRAM_UNREADABLE, 0);
	verdict = judge_file(fd, &status, out);
	tw_sys_close(fd);
	return verdict;
}

static int follow_scripts(int verdict, struct tw_program *out)
{
	while (verdict == 1) {
		char path[TW_INTERPRETER_MAX];

		memcpy(path, out->file, sizeof(path));
		verdict = judge_path(path, out);
	}
	return verdict;
}

int tw_program_probe(const char *path, struct tw_program *out)
{
	memset(out, 0, sizeof(*out));
	return follow_scripts(judge_path(path, out), out);
}

int tw_program_probe_fd(int fd, struct tw_program *out)
{
	struct stat status;
	int error = tw_file_stat_fd(fd, &status);

	memset(out, 0, sizeof(*out));
	if (error)
		return judge(out, TW_PROGRAM_MISSING, -error);
	if (!S_ISREG(status.st_mode))
		return judge(out, TW_PROGRAM_NOT_EXECUTABLE, EACCES);
	return follow_scripts(judge_file(fd, &status, out), out);
}

/* Writes "folder/name"; an empty folder is the current one. */
static bool join_path(const char *folder, size_t n_folder, const char *name,
		      char *buffer, size_t bytes)
{
	size_t n_name = strlen(name);
	size_t n_slash = n_folder && folder[n_folder - 1] != '/';

	if (n_folder + n_slash + n_name >= bytes)
		return false;
	memcpy(buffer, folder, n_folder);
	if (n_slash)
		buffer[n_folder] = '/';
	memcpy(buffer + n_folder + n_slash, name, n_name + 1);
	return true;
}

static bool is_program_file(const char *path, bool *is_refused)
{
	struct stat status;
	int error = tw_file_stat(path, &status);

	if (error) {
		*is_refused |= error == -EACCES;
		return false;
	}
	if (S_ISREG(status.st_mode) && tw_file_is_executable(path))
		return true;
	*is_refused = true;
	return false;
}

/* Position of the next folder of a PATH after the one at p, or NULL. */
static const char *next_folder(const char *p)
{
	p = strchrnul(p, ':');
	return *p ? p + 1 : NULL;
}

static int search_path(const char *name, const char *path, char *buffer, size_t bytes)
{
	const char *refused = NULL;
	int error = -ENOENT;

	for (const char *p = path; p; p = next_folder(p)) {
		bool is_refused = false;

		if (!join_path(p, strcspn(p, ":"), name, buffer, bytes)) {
			error = -ENAMETOOLONG;
			continue;
		}
		if (is_program_file(buffer, &is_refused))
			return 0;
		if (is_refused && !refused)
			refused = p;
	}
	if (!refused)
		return error;
	join_path(refused, strcspn(refused, ":"), name, buffer, bytes);
	return -EACCES;
}

int tw_program_find(const char *name, const char *path_variable, char *buffer,
		    size_t bytes)
{
	if (!*name)
		return -ENOENT;
	if (strlen(name) >= bytes)
		return -ENAMETOOLONG;
	if (!strchr(name, '/'))
		return search_path(name, path_variable ? path_variable : DEFAULT_PATH,
				   buffer, bytes);
	memcpy(buffer, name, strlen(name) + 1);
	return 0;
}

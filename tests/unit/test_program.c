/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judging programs: real ones, odd ones, and files made to break the reader.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inspect/program.h"
#include "inspect/script.h"

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/tw-program-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(program, .init = make_folder, .fini = remove_folder, .timeout = 120);

/* The path of a file in the test's folder; four may be in use at once. */
static const char *in_folder(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, mode_t mode, const void *bytes,
			      size_t n)
{
	const char *path = in_folder(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	cr_assert_eq(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

static const char *write_text(const char *name, mode_t mode, const char *text)
{
	return write_file(name, mode, text, strlen(text));
}

static size_t read_whole(const char *path, unsigned char *buffer, size_t bytes)
{
	int fd = open(path, O_RDONLY);
	size_t n = 0;
	ssize_t got;

	cr_assert_geq(fd, 0);
	while (n < bytes && (got = read(fd, buffer + n, bytes - n)) > 0)
		n += (size_t)got;
	close(fd);
	return n;
}

static enum tw_program_verdict verdict_of(const char *path)
{
	struct tw_program program;

	tw_program_probe(path, &program);
	return program.verdict;
}

Test(program, shell_is_dynamic)
{
	struct tw_program program;

	errno = 4711;
	cr_assert_eq(tw_program_probe("/bin/sh", &program), 0);
	cr_assert_eq(errno, 4711);
	cr_assert_eq(program.verdict, TW_PROGRAM_OK);
	cr_assert_eq(program.n_scripts, 0);
	cr_assert(program.elf.is_native);
	cr_assert_eq(program.elf.word_bits, 64);
	cr_assert_gt(program.elf.n_needed, 0);
	cr_assert_neq(program.elf.interpreter[0], '\0');
	cr_assert_eq(program.elf.sanitizer[0], '\0');
	cr_assert_eq(access(program.elf.interpreter, F_OK), 0);
}

Test(program, table_has_words_for_every_verdict)
{
	for (int i = 0; i < TW_PROGRAM_COUNT; i++) {
		cr_assert(tw_verdict_rows[i].word && *tw_verdict_rows[i].word);
		cr_assert(tw_verdict_rows[i].why && *tw_verdict_rows[i].why);
		cr_assert(i == TW_PROGRAM_OK || *tw_verdict_rows[i].advice);
	}
}

Test(program, what_is_not_a_program_is_named)
{
	struct tw_program program;

	cr_assert_eq(tw_program_probe(in_folder("missing"), &program), -ENOENT);
	cr_assert_eq(program.verdict, TW_PROGRAM_MISSING);
	cr_assert_eq(tw_program_probe(folder, &program), -EACCES);
	cr_assert_eq(program.verdict, TW_PROGRAM_DIRECTORY);
	cr_assert_eq(tw_program_probe(write_text("plain", 0644, "x"), &program),
		     -EACCES);
	cr_assert_eq(program.verdict, TW_PROGRAM_NOT_EXECUTABLE);
	cr_assert_eq(tw_program_probe(write_text("text", 0755, "echo hi\n"), &program),
		     -ENOEXEC);
	cr_assert_eq(program.verdict, TW_PROGRAM_NOT_ELF);
	cr_assert_eq(tw_program_probe(write_text("empty", 0755, ""), &program),
		     -ENOEXEC);
	cr_assert_eq(program.verdict, TW_PROGRAM_NOT_ELF);
	cr_assert_eq(tw_program_probe("/dev/null", &program), -EACCES);
	cr_assert_eq(tw_program_probe("", &program), -ENOENT);
}

Test(program, fifo_is_never_waited_for)
{
	const char *path = in_folder("fifo");

	cr_assert_eq(mkfifo(path, 0777), 0);
	cr_assert_eq(verdict_of(path), TW_PROGRAM_NOT_EXECUTABLE);
}

Test(program, scripts_lead_to_their_interpreter)
{
	struct tw_program program;

	cr_assert_eq(tw_program_probe(write_text("a", 0755, "#!/bin/sh\n"), &program),
		     0);
	cr_assert_eq(program.verdict, TW_PROGRAM_OK);
	cr_assert_eq(program.n_scripts, 1);
	cr_assert_str_eq(program.file, "/bin/sh");
	cr_assert_eq(verdict_of(write_text("b", 0755, "#! \t /bin/sh -e -x \nfoo")),
		     TW_PROGRAM_OK);
	cr_assert_eq(verdict_of(write_text("c", 0755, "#!/no/such/shell\n")),
		     TW_PROGRAM_MISSING);
	cr_assert_eq(verdict_of(write_text("d", 0755, "#!\n")), TW_PROGRAM_NOT_ELF);
	cr_assert_eq(verdict_of(write_text("e", 0755, "#!")), TW_PROGRAM_NOT_ELF);
	cr_assert_eq(verdict_of(write_text("f", 0755, "#!/bin/sh")), TW_PROGRAM_OK);
	cr_assert_eq(verdict_of(write_text("g", 0755, "#!   \t  \n")),
		     TW_PROGRAM_NOT_ELF);
}

/* The kernel is the referee: what it runs must be OK, what it refuses must not be. */
static bool kernel_runs(const char *path)
{
	int status;
	pid_t child = fork();

	if (!child) {
		int null = open("/dev/null", O_RDWR);
		char *arguments[] = {(char *)"x", NULL};

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execve(path, arguments, environ);
		_exit(99);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 99);
}

Test(program, script_chains_end_where_the_kernel_ends_them)
{
	char before[512] = "/bin/true";
	bool was_refused = false;

	for (int i = 0; i < 8; i++) {
		struct tw_program program;
		char name[16], line[600];
		const char *path;

		snprintf(name, sizeof(name), "chain%d", i);
		snprintf(line, sizeof(line), "#!%s\n", before);
		path = write_text(name, 0755, line);
		tw_program_probe(path, &program);
		cr_assert_eq(program.error == 0, kernel_runs(path), "depth %d: %d", i,
			     program.error);
		was_refused |= program.verdict == TW_PROGRAM_TOO_DEEP;
		snprintf(before, sizeof(before), "%s", path);
	}
	cr_assert(was_refused);
}

Test(program, script_that_names_itself_ends)
{
	char line[600];

	snprintf(line, sizeof(line), "#!%s\n", in_folder("self"));
	cr_assert_eq(verdict_of(write_text("self", 0755, line)), TW_PROGRAM_TOO_DEEP);
}

Test(program, long_script_lines_are_cut_as_the_kernel_cuts_them)
{
	char line[600];

	/* The argument is cut: fine. The interpreter is cut: refused. */
	for (int is_argument = 0; is_argument < 2; is_argument++) {
		const char *path;

		memset(line, 'x', sizeof(line));
		line[sizeof(line) - 1] = '\0';
		memcpy(line, is_argument ? "#!/bin/true " : "#!/bin/true/", 12);
		path = write_text("long", 0755, line);
		cr_assert_eq(verdict_of(path) == TW_PROGRAM_OK, is_argument);
		cr_assert_eq(kernel_runs(path), is_argument);
	}
}

Test(program, script_words_are_split_as_the_kernel_splits_them)
{
	struct tw_script script;
	const char *path = write_text("env", 0755, "#!/usr/bin/env  -S a  b \t\nrest");

	cr_assert_eq(tw_script_read(path, &script), 0);
	cr_assert_str_eq(script.interpreter, "/usr/bin/env");
	cr_assert_str_eq(script.argument, "-S a  b");
	cr_assert_eq(tw_script_read(in_folder("missing"), &script), -ENOENT);
	cr_assert_eq(tw_script_read("/bin/sh", &script), -ENOEXEC);
}

/*
 * A small ELF program of our own machine, made here: header, program headers
 * (interpreter, dynamic section, one segment), strings.
 */
struct small_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[4];
	Elf64_Dyn dynamic[8];
	char strings[128];
	char interpreter[64];
};

static struct small_elf make_elf(void)
{
	struct small_elf elf = {0};
	struct tw_program own;

	tw_program_probe("/bin/sh", &own);
	memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
	elf.header.e_ident[EI_CLASS] = ELFCLASS64;
	elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.header.e_type = ET_DYN;
	elf.header.e_machine = own.elf.machine;
	elf.header.e_phoff = offsetof(struct small_elf, segments);
	elf.header.e_phentsize = sizeof(Elf64_Phdr);
	elf.header.e_phnum = 4;
	elf.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
				       .p_vaddr = 0x10000,
				       .p_filesz = sizeof(elf),
				       .p_memsz = sizeof(elf)};
	elf.segments[1] =
		(Elf64_Phdr){.p_type = PT_INTERP,
			     .p_offset = offsetof(struct small_elf, interpreter),
			     .p_filesz = sizeof(elf.interpreter)};
	elf.segments[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
				       .p_offset = offsetof(struct small_elf, dynamic),
				       .p_filesz = sizeof(elf.dynamic)};
	elf.segments[3] = (Elf64_Phdr){.p_type = PT_GNU_RELRO};
	elf.dynamic[0] = (Elf64_Dyn){DT_NEEDED, {1}};
	elf.dynamic[1] = (Elf64_Dyn){DT_NEEDED, {11}};
	elf.dynamic[2] =
		(Elf64_Dyn){DT_STRTAB, {0x10000 + offsetof(struct small_elf, strings)}};
	elf.dynamic[3] = (Elf64_Dyn){DT_STRSZ, {sizeof(elf.strings)}};
	elf.dynamic[4] = (Elf64_Dyn){DT_FLAGS_1, {DF_1_NOW | DF_1_PIE}};
	elf.dynamic[5] = (Elf64_Dyn){DT_NULL, {0}};
	memcpy(elf.strings, "\0libm.so.6\0libasan.so.8\0GLIBC_2.4\0GLIBC_2.38", 45);
	strcpy(elf.interpreter, own.elf.interpreter);
	return elf;
}

static enum tw_program_verdict verdict_of_elf(const struct small_elf *elf)
{
	return verdict_of(write_file("small", 0755, elf, sizeof(*elf)));
}

Test(program, facts_of_an_elf_file_are_read)
{
	struct small_elf elf = make_elf();
	struct tw_program program;
	const char *path = write_file("small", 0755, &elf, sizeof(elf));
	int fd;

	cr_assert_eq(tw_program_probe(path, &program), 0);
	cr_assert_eq(program.verdict, TW_PROGRAM_OK);
	cr_assert_eq(program.elf.n_needed, 2);
	cr_assert(program.elf.is_pie);
	cr_assert(program.elf.is_bind_now);
	cr_assert(program.elf.has_relro);
	cr_assert_str_eq(program.elf.sanitizer, "libasan.so.8");
	cr_assert_str_eq(program.elf.interpreter, elf.interpreter);
	fd = open(path, O_RDONLY);
	cr_assert_eq(tw_program_probe_fd(fd, &program), 0);
	cr_assert_str_eq(program.elf.sanitizer, "libasan.so.8");
	cr_assert_eq(tw_elf_glibc_minor(fd, &program.elf), 38);
	cr_assert_eq(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	cr_assert_eq(tw_program_probe_fd(fd, &program), -EBADF);
}

Test(program, kinds_of_elf_files_are_told_apart)
{
	struct small_elf elf = make_elf();

	elf.segments[1].p_type = PT_NULL;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_STATIC);
	elf = make_elf();
	strcpy(elf.interpreter, "/lib/ld-musl-x86_64.so.1");
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_MUSL);
	strcpy(elf.interpreter, "/system/bin/linker64");
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_LIBC);
	strcpy(elf.interpreter, "/no/such/ld-linux.so.9");
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_NO_LOADER);
	strcpy(elf.interpreter, "/etc/passwd"); /* a loader that offers no glibc */
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_LIBC);
	elf = make_elf();
	elf.header.e_ident[EI_CLASS] = ELFCLASS32;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_CLASS);
	elf = make_elf();
	elf.header.e_machine = EM_SPARCV9;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_CLASS);
	elf = make_elf();
	elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_CLASS);
	elf = make_elf();
	elf.header.e_type = ET_REL;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_NOT_ELF);
}

Test(program, loader_as_program_is_dynamic)
{
	struct tw_program shell, loader;

	tw_program_probe("/bin/sh", &shell);
	cr_assert_eq(tw_program_probe(shell.elf.interpreter, &loader), 0);
	cr_assert_eq(loader.verdict, TW_PROGRAM_OK);
	cr_assert(loader.is_loader);
}

Test(program, loader_of_another_place_counts_by_its_glibc)
{
	unsigned char *bytes = malloc(8 << 20);
	struct small_elf elf = make_elf();
	struct tw_program shell;
	const char *copy;
	size_t n;

	tw_program_probe("/bin/sh", &shell);
	n = read_whole(shell.elf.interpreter, bytes, 8 << 20);
	copy = write_file("ld-linux-copy.so", 0755, bytes, n);
	snprintf(elf.interpreter, sizeof(elf.interpreter), "%s", copy);
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OK);
	/* Older: 2.34 and later are not among its versions. */
	for (size_t i = 0; i + 10 < n; i++) {
		if (memcmp(bytes + i, "GLIBC_2.3", 9) == 0 && bytes[i + 9] >= '4')
			bytes[i + 9] = '1';
	}
	write_file("ld-linux-copy.so", 0755, bytes, n);
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_OTHER_LIBC);
	free(bytes);
}

Test(program, lies_in_headers_are_damage)
{
	struct small_elf elf = make_elf();

	elf.header.e_phoff = UINT64_MAX - 8;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.header.e_phnum = 0xffff;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.header.e_phentsize = 7;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.segments[1].p_offset = UINT64_MAX;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.segments[1].p_filesz = UINT64_MAX;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.segments[2].p_offset = sizeof(elf) - 8;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.dynamic[0].d_un.d_val = UINT64_MAX;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.dynamic[2].d_un.d_ptr = 0x8000;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
	elf = make_elf();
	elf.dynamic[3].d_un.d_val = UINT64_MAX;
	cr_assert_eq(verdict_of_elf(&elf), TW_PROGRAM_DAMAGED);
}

Test(program, damage_that_the_kernel_refuses_is_expected_to_fail)
{
	struct small_elf elf = make_elf();
	struct tw_program program;
	const char *path = write_text("garbage", 0755, "\177ELF garbage");

	cr_assert_eq(tw_program_probe(path, &program), -ENOEXEC);
	cr_assert_eq(program.verdict, TW_PROGRAM_DAMAGED);
	cr_assert_not(kernel_runs(path));
	elf.header.e_phentsize = 9;
	path = write_file("small", 0755, &elf, sizeof(elf));
	cr_assert_eq(tw_program_probe(path, &program), -ENOEXEC);
	cr_assert_eq(program.verdict, TW_PROGRAM_DAMAGED);
	cr_assert_not(kernel_runs(path));
}

Test(program, strings_without_an_end_are_not_run_over)
{
	struct small_elf elf = make_elf();
	struct tw_program program;

	memset(elf.strings, 'a', sizeof(elf.strings));
	memset(elf.interpreter, 'b', sizeof(elf.interpreter));
	tw_program_probe(write_file("small", 0755, &elf, sizeof(elf)), &program);
	cr_assert_eq(program.verdict, TW_PROGRAM_STATIC);
	cr_assert_eq(program.elf.sanitizer[0], '\0');
	cr_assert_eq(program.elf.interpreter[0], '\0');
}

/* Probes bytes without a file system between: millions of times if need be. */
static void probe_bytes(const void *bytes, size_t n)
{
	struct tw_program program;
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	tw_program_probe_fd(fd, &program);
	cr_assert_lt(program.verdict, TW_PROGRAM_COUNT);
	cr_assert_lt(strnlen(program.elf.interpreter, TW_INTERPRETER_MAX),
		     TW_INTERPRETER_MAX);
	cr_assert_lt(strnlen(program.elf.sanitizer, TW_SONAME_MAX), TW_SONAME_MAX);
	cr_assert_lt(strnlen(program.file, TW_INTERPRETER_MAX), TW_INTERPRETER_MAX);
	close(fd);
}

Test(program, elf_cut_at_every_byte_is_survived)
{
	static unsigned char bytes[1 << 20];
	size_t n = read_whole("/bin/true", bytes, sizeof(bytes));
	struct small_elf elf = make_elf();

	cr_assert_gt(n, 4096);
	for (size_t cut = 0; cut <= 4096; cut++)
		probe_bytes(bytes, cut);
	for (size_t cut = 0; cut <= sizeof(elf); cut++)
		probe_bytes(&elf, cut);
}

Test(program, elf_with_random_bytes_is_survived)
{
	struct small_elf good = make_elf();
	uint64_t seed = 88172645463325252u;

	for (int round = 0; round < 20000; round++) {
		struct small_elf elf = good;
		unsigned char *bytes = (unsigned char *)&elf;

		for (int i = 0; i < 1 + round % 8; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[seed % sizeof(elf)] = (unsigned char)(seed >> 32);
		}
		probe_bytes(&elf, sizeof(elf));
	}
}

Test(program, elf_with_every_byte_turned_is_survived)
{
	struct small_elf good = make_elf();

	for (size_t i = 0; i < sizeof(good); i++) {
		static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};

		for (size_t k = 0; k < sizeof(values); k++) {
			struct small_elf elf = good;

			((unsigned char *)&elf)[i] = values[k];
			probe_bytes(&elf, sizeof(elf));
		}
	}
}

/* Runs `check` in a child of another user; its exit code must be 0. */
static void as_user(uid_t uid, int (*check)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		if (setgid(uid) || setuid(uid))
			_exit(98);
		_exit(check());
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	cr_assert_eq(WEXITSTATUS(status), 0, "line %d", WEXITSTATUS(status));
}

static char set_path[512], unreadable_path[512];

static int check_foreign_setuid(void)
{
	if (verdict_of(set_path) != TW_PROGRAM_SETUID)
		return 1;
	return verdict_of(unreadable_path) == TW_PROGRAM_UNREADABLE ? 0 : 2;
}

static int check_own_setuid(void)
{
	return verdict_of(set_path) == TW_PROGRAM_OK ? 0 : 3;
}

Test(program, setuid_counts_only_when_it_changes_rights)
{
	struct small_elf elf = make_elf();

	if (geteuid() != 0)
		cr_skip_test("needs root to make files of other users");
	cr_assert_eq(chmod(folder, 0755), 0);
	strcpy(set_path, write_file("set", 0755, &elf, sizeof(elf)));
	strcpy(unreadable_path, write_file("hidden", 0711, &elf, sizeof(elf)));
	cr_assert_eq(chown(set_path, 65534, 65534), 0);
	cr_assert_eq(chmod(set_path, 04755), 0);
	as_user(1234, check_foreign_setuid);
	as_user(65534, check_own_setuid);
	cr_assert_eq(chown(set_path, 0, 0), 0);
	cr_assert_eq(chmod(set_path, 04755), 0);
	cr_assert_eq(verdict_of(set_path), TW_PROGRAM_OK,
		     "root to root changes nothing");
	/* setgid without the group's x is a lock mark, not a right */
	cr_assert_eq(chmod(set_path, 02745), 0);
	as_user(0, check_own_setuid);
	cr_assert_eq(chown(set_path, 0, 77), 0);
	cr_assert_eq(chmod(set_path, 02755), 0);
	cr_assert_eq(verdict_of(set_path), TW_PROGRAM_SETUID);
}

static int check_without_descriptors(void)
{
	struct rlimit none = {0, 0};

	if (setrlimit(RLIMIT_NOFILE, &none))
		return 4;
	return verdict_of("/bin/sh") == TW_PROGRAM_UNREADABLE ? 0 : 5;
}

Test(program, probe_without_descriptors_supposes_the_best)
{
	as_user(getuid(), check_without_descriptors);
	cr_assert(tw_verdict_rows[TW_PROGRAM_UNREADABLE].takes_preload);
}

Test(program, find_searches_as_execvp_does)
{
	char path[1100], found[512], small[8];

	cr_assert_eq(mkdir(in_folder("one"), 0755), 0);
	cr_assert_eq(mkdir(in_folder("two"), 0755), 0);
	cr_assert_eq(mkdir(in_folder("one/dir"), 0755), 0);
	write_text("one/plain", 0644, "x");
	write_text("two/plain", 0755, "x");
	write_text("one/only", 0644, "x");
	write_text("two/dir", 0755, "x");
	snprintf(path, sizeof(path), "/nowhere:%s:%s/", in_folder("one"),
		 in_folder("two"));

	cr_assert_eq(tw_program_find("plain", path, found, sizeof(found)), 0);
	cr_assert_str_eq(found, in_folder("two/plain"));
	cr_assert_eq(tw_program_find("dir", path, found, sizeof(found)), 0);
	cr_assert_str_eq(found, in_folder("two/dir"));
	cr_assert_eq(tw_program_find("only", path, found, sizeof(found)), -EACCES);
	cr_assert_str_eq(found, in_folder("one/only"));
	cr_assert_eq(tw_program_find("nothing", path, found, sizeof(found)), -ENOENT);
	cr_assert_eq(tw_program_find("", path, found, sizeof(found)), -ENOENT);
	cr_assert_eq(tw_program_find("./x/y", path, found, sizeof(found)), 0);
	cr_assert_str_eq(found, "./x/y");
	cr_assert_eq(tw_program_find("sh", NULL, found, sizeof(found)), 0);
	cr_assert_str_eq(found, "/bin/sh");
	cr_assert_eq(tw_program_find("plain", path, small, sizeof(small)),
		     -ENAMETOOLONG);
	cr_assert_eq(tw_program_find("plain/long", path, small, sizeof(small)),
		     -ENAMETOOLONG);
}

Test(program, empty_path_elements_are_the_current_folder)
{
	static const char *const paths[] = {"", ":", "/nowhere:", ":/nowhere",
					    "/nowhere::/bin"};
	char found[64];

	write_text("here", 0755, "x");
	cr_assert_eq(chdir(folder), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		cr_assert_eq(tw_program_find("here", paths[i], found, sizeof(found)), 0,
			     "'%s'", paths[i]);
		cr_assert_str_eq(found, "here");
	}
	cr_assert_eq(tw_program_find("here", "/nowhere", found, sizeof(found)),
		     -ENOENT);
}

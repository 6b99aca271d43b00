/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ELF reading by pread, a few hundred bytes at a time. Only files of our own class and
 * machine are read past the first header: nothing of ours can be loaded into the
 * others.
 */
#include "inspect/elf.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "inspect/files.h"

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#error "add this machine's EM_ number above"
#endif

#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#define OUR_DATA  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

/* The kernel takes at most 64 KiB of program headers; real dynamic sections hold
 * dozens. */
#define HEADERS_MAX   (65536 / sizeof(ElfW(Phdr)))
#define DYNAMIC_MAX   4096
#define STRINGS_MAX   (UINT64_C(64) << 20)
#define HEADERS_BATCH 8
#define DYNAMIC_BATCH 32

/*
 * Libraries that stop the program unless they come first in the list of loaded ones.
 * From LLVM compiler-rt, asan_linux.cpp: AsanCheckDynamicRTPrereqs; GCC carries the
 * same.
 */
static const char *const first_libraries[] = {"libasan.so", "libclang_rt.asan"};

/* Reads exactly `bytes` at `offset`. Returns 0, -EBADMSG past the end, or -errno. */
static int read_at(int fd, uint64_t offset, void *buffer, size_t bytes)
{
	char *p = buffer;

	while (bytes) {
		long n = tw_sys_pread(fd, p, bytes, offset);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (n == 0)
			return -EBADMSG;
		p += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static bool is_inside(const struct tw_elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->file_bytes && bytes <= elf->file_bytes - offset;
}

/*
 * Reads the text at `offset`, cut to what lies before `limit`. A text that does not end
 * there or does not fit becomes "": no rule of ours matches it then.
 */
static int read_text(int fd, uint64_t offset, uint64_t limit, char *buffer,
		     size_t bytes)
{
	size_t length = bytes;
	int error;

	buffer[0] = '\0';
	if (offset >= limit)
		return -EBADMSG;
	if (limit - offset < length)
		length = (size_t)(limit - offset);
	error = read_at(fd, offset, buffer, length);
	if (error || !memchr(buffer, '\0', length))
		buffer[0] = '\0';
	return error;
}

static int read_first_header(int fd, struct tw_elf *elf)
{
	ElfW(Ehdr) header;
	unsigned char *ident = header.e_ident;
	int error = read_at(fd, 0, ident, SELFMAG);

	if (error == -EBADMSG || (!error && memcmp(ident, ELFMAG, SELFMAG) != 0))
		return -ENOEXEC;
	if (!error)
		error = read_at(fd, 0, ident, EI_NIDENT);
	if (error)
		return error;
	elf->word_bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	if (ident[EI_DATA] != OUR_DATA)
		return 0;
	/* Both classes have type and machine in the same place; the rest differs. */
	error = read_at(fd, 0, &header, offsetof(ElfW(Ehdr), e_version));
	if (error)
		return error;
	elf->type = header.e_type;
	elf->machine = header.e_machine;
	if (ident[EI_CLASS] != OUR_CLASS || header.e_machine != OUR_MACHINE)
		return 0;
	error = read_at(fd, 0, &header, sizeof(header));
	if (error)
		return error;
	elf->is_native = true;
	if (header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum > HEADERS_MAX ||
	    !is_inside(elf, header.e_phoff,
		       (uint64_t)header.e_phnum * sizeof(ElfW(Phdr))))
		return -EBADMSG;
	elf->headers_offset = header.e_phoff;
	elf->n_headers = header.e_phnum;
	return 0;
}

/* Calls visit for every program header until it returns non-zero; returns that. */
static int each_header(int fd, const struct tw_elf *elf,
		       int (*visit)(const ElfW(Phdr) *, void *), void *context)
{
	ElfW(Phdr) batch[HEADERS_BATCH];

	for (unsigned i = 0; i < elf->n_headers; i += HEADERS_BATCH) {
		unsigned n = elf->n_headers - i;
		int status;

		if (n > HEADERS_BATCH)
			n = HEADERS_BATCH;
		status = read_at(fd, elf->headers_offset + i * sizeof(batch[0]), batch,
				 n * sizeof(batch[0]));
		for (unsigned k = 0; k < n && !status; k++)
			status = visit(&batch[k], context);
		if (status)
			return status;
	}
	return 0;
}

struct scan {
	int fd;
	struct tw_elf *elf;
};

static int scan_header(const ElfW(Phdr) * header, void *context)
{
	struct scan *scan = context;
	struct tw_elf *elf = scan->elf;

	switch (header->p_type) {
	case PT_INTERP:
		if (!is_inside(elf, header->p_offset, header->p_filesz) ||
		    header->p_filesz < 2)
			return -EBADMSG;
		return read_text(scan->fd, header->p_offset,
				 header->p_offset + header->p_filesz, elf->interpreter,
				 sizeof(elf->interpreter));
	case PT_DYNAMIC:
		if (!is_inside(elf, header->p_offset, header->p_filesz))
			return -EBADMSG;
		elf->dynamic_offset = header->p_offset;
		elf->dynamic_bytes = header->p_filesz;
		return 0;
	case PT_GNU_RELRO:
		elf->has_relro = true;
		return 0;
	default:
		return 0;
	}
}

struct mapping {
	uint64_t address;
	uint64_t offset;     /* out */
	uint64_t left_bytes; /* out: file bytes of the segment from there on */
};

static int find_segment(const ElfW(Phdr) * header, void *context)
{
	struct mapping *m = context;

	if (header->p_type != PT_LOAD || m->address < header->p_vaddr ||
	    m->address - header->p_vaddr >= header->p_filesz)
		return 0;
	if (__builtin_add_overflow(m->address - header->p_vaddr, header->p_offset,
				   &m->offset))
		return -EBADMSG;
	m->left_bytes = header->p_filesz - (m->address - header->p_vaddr);
	return 1;
}

/* Where the string table, given by its address in memory, lies in the file. */
static int locate_strings(int fd, struct tw_elf *elf, uint64_t address, uint64_t bytes)
{
	struct mapping m = {.address = address};
	int status = each_header(fd, elf, find_segment, &m);

	if (status < 0)
		return status;
	if (!status || m.offset > elf->file_bytes || bytes > m.left_bytes ||
	    bytes > STRINGS_MAX || !is_inside(elf, m.offset, bytes))
		return -EBADMSG;
	elf->strings_offset = m.offset;
	elf->strings_bytes = bytes;
	return 0;
}

bool tw_elf_insists_on_first(const char *name, size_t n)
{
	const char *slash = memrchr(name, '/', n);

	if (slash) {
		n -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	for (size_t i = 0; i < sizeof(first_libraries) / sizeof(char *); i++) {
		size_t length = strlen(first_libraries[i]);

		if (n >= length && memcmp(name, first_libraries[i], length) == 0)
			return true;
	}
	return false;
}

static int read_string(int fd, const struct tw_elf *elf, uint64_t index, char *buffer)
{
	if (index >= elf->strings_bytes)
		return -EBADMSG;
	return read_text(fd, elf->strings_offset + index,
			 elf->strings_offset + elf->strings_bytes, buffer,
			 TW_SONAME_MAX);
}

/* What the dynamic section says in numbers: found in one pass, used in the next. */
struct dynamic {
	uint64_t strings_address;
	uint64_t strings_bytes;
};

static int visit_dynamic(int fd, struct tw_elf *elf, const ElfW(Dyn) * entry,
			 struct dynamic *found)
{
	char name[TW_SONAME_MAX];
	int error;

	switch (entry->d_tag) {
	case DT_STRTAB:
		found->strings_address = entry->d_un.d_ptr;
		return 0;
	case DT_STRSZ:
		found->strings_bytes = entry->d_un.d_val;
		return 0;
	case DT_BIND_NOW:
		elf->is_bind_now = true;
		return 0;
	case DT_FLAGS:
		elf->is_bind_now |= (entry->d_un.d_val & DF_BIND_NOW) != 0;
		return 0;
	case DT_FLAGS_1:
		elf->is_bind_now |= (entry->d_un.d_val & DF_1_NOW) != 0;
		elf->is_pie |= (entry->d_un.d_val & DF_1_PIE) != 0;
		return 0;
	case DT_SONAME:
		return elf->strings_bytes
			       ? read_string(fd, elf, entry->d_un.d_val, elf->soname)
			       : 0;
	case DT_NEEDED:
		if (!elf->strings_bytes)
			return 0;
		elf->n_needed++;
		error = read_string(fd, elf, entry->d_un.d_val, name);
		if (!error && !elf->sanitizer[0] &&
		    tw_elf_insists_on_first(name, strlen(name)))
			memcpy(elf->sanitizer, name, sizeof(name));
		return error;
	default:
		return 0;
	}
}

/* One pass over the dynamic section. Names are read only once the strings are located.
 */
static int pass_dynamic(int fd, struct tw_elf *elf, struct dynamic *found)
{
	ElfW(Dyn) batch[DYNAMIC_BATCH];
	uint64_t n_entries = elf->dynamic_bytes / sizeof(batch[0]);

	if (n_entries > DYNAMIC_MAX)
		n_entries = DYNAMIC_MAX;
	for (uint64_t i = 0; i < n_entries; i += DYNAMIC_BATCH) {
		uint64_t n =
			n_entries - i < DYNAMIC_BATCH ? n_entries - i : DYNAMIC_BATCH;
		int error = read_at(fd, elf->dynamic_offset + i * sizeof(batch[0]),
				    batch, n * sizeof(batch[0]));

		for (uint64_t k = 0; k < n && !error; k++) {
			if (batch[k].d_tag == DT_NULL)
				return 0;
			error = visit_dynamic(fd, elf, &batch[k], found);
		}
		if (error)
			return error;
	}
	return 0;
}

static int read_dynamic(int fd, struct tw_elf *elf)
{
	struct dynamic found = {0};
	int error = pass_dynamic(fd, elf, &found);

	if (error || !found.strings_bytes)
		return error;
	error = locate_strings(fd, elf, found.strings_address, found.strings_bytes);
	return error ? error : pass_dynamic(fd, elf, &found);
}

int tw_elf_read(int fd, struct tw_elf *out)
{
	struct scan scan = {.fd = fd, .elf = out};
	struct stat status;
	int error = tw_file_stat_fd(fd, &status);

	memset(out, 0, sizeof(*out));
	if (error)
		return error;
	out->file_bytes = status.st_size > 0 ? (uint64_t)status.st_size : 0;
	error = read_first_header(fd, out);
	if (error || !out->is_native)
		return error;
	error = each_header(fd, out, scan_header, &scan);
	if (error)
		return error;
	/* Before binutils 2.26 nothing marked a PIE but its type and its loader. */
	out->is_pie = out->type == ET_DYN && out->interpreter[0];
	return out->dynamic_bytes ? read_dynamic(fd, out) : 0;
}

static unsigned parse_minor(const char *digits, const char *end)
{
	unsigned v = 0;

	for (; digits < end && *digits >= '0' && *digits <= '9' && v < 10000; digits++)
		v = v * 10 + (unsigned)(*digits - '0');
	return v;
}

unsigned tw_elf_glibc_minor(int fd, const struct tw_elf *elf)
{
	static const char prefix[] = "GLIBC_2.";
	const size_t n_prefix = sizeof(prefix) - 1;
	const size_t overlap = 32; /* a name across two windows is seen whole in one */
	char window[512];
	unsigned highest = 0;

	for (uint64_t at = 0; at < elf->strings_bytes; at += sizeof(window) - overlap) {
		uint64_t left = elf->strings_bytes - at;
		size_t n = left < sizeof(window) ? (size_t)left : sizeof(window);
		const char *end = window + n;
		const char *p = window;

		if (read_at(fd, elf->strings_offset + at, window, n))
			break;
		while ((p = memmem(p, (size_t)(end - p), prefix, n_prefix))) {
			unsigned minor = parse_minor(p + n_prefix, end);

			if (minor > highest)
				highest = minor;
			p += n_prefix;
		}
	}
	return highest;
}

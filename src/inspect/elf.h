/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads from an ELF file on disk what decides whether and how we can be loaded into it.
 * Called by program.c, also inside the traced process between fork (or vfork) and exec:
 * no malloc, no stdio, no locks, no static state, little stack. The file may be
 * hostile: every offset is checked against its size, every loop has an end.
 */
#ifndef TW_ELF_H
#define TW_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_INTERPRETER_MAX 256 /* loader and script interpreter paths, with NUL */
#define TW_SONAME_MAX	   64

/* Facts of one ELF file. Valid only after tw_elf_read returned 0. */
struct tw_elf {
	uint64_t file_bytes;
	uint64_t dynamic_offset; /* of the dynamic section in the file */
	uint64_t dynamic_bytes;
	uint64_t strings_offset; /* of the dynamic string table in the file */
	uint64_t strings_bytes;
	uint64_t headers_offset; /* of the program headers */
	uint16_t n_headers;
	uint16_t type;	   /* ET_EXEC, ET_DYN, ... */
	uint16_t machine;  /* EM_* */
	uint8_t word_bits; /* 32 or 64 */
	bool is_native;	   /* class, byte order and machine are ours; else nothing below
			      holds */
	bool is_pie;
	bool has_relro;
	bool is_bind_now;
	unsigned n_needed;
	char interpreter[TW_INTERPRETER_MAX]; /* PT_INTERP; "" = none: static */
	char soname[TW_SONAME_MAX];	      /* DT_SONAME; "" = none */
	char sanitizer[TW_SONAME_MAX]; /* needed library that insists on being first, or
					* ""
					*/
};

/*
 * Reads the file behind `fd`, whose offset stays where it is. Returns 0, -ENOEXEC when
 * it does not begin with the ELF magic, -EBADMSG when its headers contradict themselves
 * or the file's size, or -errno of a read.
 */
int tw_elf_read(int fd, struct tw_elf *out) __attribute__((warn_unused_result));

/*
 * Does the library of this name or path stop the program unless it is loaded first?
 * Those stay in front of us in LD_PRELOAD. The name need not end at n.
 */
bool tw_elf_insists_on_first(const char *name, size_t n);

/*
 * The highest N of the "GLIBC_2.N" version names in the dynamic string table: what a
 * library needs, and what a loader offers. 0 = none.
 */
unsigned tw_elf_glibc_minor(int fd, const struct tw_elf *elf);

#endif

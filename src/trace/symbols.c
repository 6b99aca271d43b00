/* SPDX-License-Identifier: BSD-3-Clause */
/* See symbols.h. A file is read once, when its first address is asked for. */
#include "trace/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX    4096u /* in one trace; others go without */
#define SECTIONS_MAX 65536u
#define TABLE_MAX    (1ull << 29) /* bytes of a symbol or string table */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif

struct function {
	uint64_t address, bytes;
	uint32_t name; /* offset into the strings */
};

struct image {
	char *path;
	struct function *functions; /* by address; NULL = the file says nothing */
	size_t n;
	char *strings; /* ends in NUL */
};

struct tw_symbols {
	uint64_t start_wall_ns;
	struct image *images;
	uint32_t n, room;
};

struct tw_symbols *tw_symbols_new(uint64_t start_wall_ns)
{
	struct tw_symbols *s = calloc(1, sizeof(*s));

	if (s)
		s->start_wall_ns = start_wall_ns;
	return s;
}

void tw_symbols_free(struct tw_symbols *s)
{
	for (uint32_t i = 0; s && i < s->n; i++) {
		free(s->images[i].path);
		free(s->images[i].functions);
		free(s->images[i].strings);
	}
	if (s)
		free(s->images);
	free(s);
}

/* n bytes at `offset`, one more byte of 0 behind them; NULL when they are not there. */
static void *load(int fd, uint64_t offset, uint64_t n, uint64_t file_bytes)
{
	char *bytes;
	size_t done = 0;

	if (n == 0 || n > TABLE_MAX || offset > file_bytes || n > file_bytes - offset)
		return NULL;
	bytes = malloc(n + 1);
	while (bytes && done < n) {
		ssize_t got = pread(fd, bytes + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			free(bytes);
			return NULL;
		}
		done += (size_t)got;
	}
	if (bytes)
		bytes[n] = '\0';
	return bytes;
}

static int compare(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Of several names for one place the one with a size comes last and is found.
	 */
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return a->name < b->name ? 1 : a->name > b->name ? -1 : 0;
}

static void keep_functions(struct image *image, const Elf64_Sym *symbols, size_t n,
			   uint64_t string_bytes)
{
	size_t kept = 0;

	image->functions = malloc((n + 1) * sizeof(*image->functions));
	for (size_t i = 0; image->functions && i < n; i++) {
		unsigned type = ELF64_ST_TYPE(symbols[i].st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_value == 0 ||
		    symbols[i].st_name == 0 || symbols[i].st_name >= string_bytes)
			continue;
		image->functions[kept++] =
			(struct function){.address = symbols[i].st_value,
					  .bytes = symbols[i].st_size,
					  .name = symbols[i].st_name};
	}
	image->n = kept;
	if (kept)
		qsort(image->functions, kept, sizeof(*image->functions), compare);
}

/* .symtab if there is one, else .dynsym. */
static const Elf64_Shdr *choose(const Elf64_Shdr *sections, unsigned n)
{
	const Elf64_Shdr *chosen = NULL;

	for (unsigned i = 0; i < n; i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
		    (sections[i].sh_type == SHT_DYNSYM && !chosen))
			chosen = &sections[i];
	return chosen && chosen->sh_link < n ? chosen : NULL;
}

static void read_tables(struct image *image, int fd, uint64_t file_bytes)
{
	Elf64_Ehdr *head = load(fd, 0, sizeof(*head), file_bytes);
	Elf64_Shdr *sections = NULL;
	const Elf64_Shdr *table, *strings;
	Elf64_Sym *symbols = NULL;

	if (head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
	    head->e_ident[EI_CLASS] == ELFCLASS64 &&
	    head->e_ident[EI_DATA] == OUR_ORDER &&
	    head->e_shentsize == sizeof(*sections) && head->e_shnum < SECTIONS_MAX)
		sections = load(fd, head->e_shoff, head->e_shnum * sizeof(*sections),
				file_bytes);
	table = sections ? choose(sections, head->e_shnum) : NULL;
	if (table) {
		strings = &sections[table->sh_link];
		symbols = load(fd, table->sh_offset, table->sh_size, file_bytes);
		image->strings =
			load(fd, strings->sh_offset, strings->sh_size, file_bytes);
		if (symbols && image->strings)
			keep_functions(image, symbols,
				       table->sh_size / sizeof(*symbols),
				       strings->sh_size);
	}
	free(symbols);
	free(sections);
	free(head);
}

/* Only a plain file that nobody touched since the recording began. */
static bool is_unchanged(const struct stat *s, uint64_t start_wall_ns)
{
	uint64_t changed_ns =
		(uint64_t)s->st_ctim.tv_sec * 1000000000 + (uint64_t)s->st_ctim.tv_nsec;

	return S_ISREG(s->st_mode) && s->st_size > 0 && s->st_ctim.tv_sec >= 0 &&
	       changed_ns <= start_wall_ns;
}

static struct image *image_of(struct tw_symbols *s, const char *path)
{
	struct image *image;
	struct stat file;
	int fd;

	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->images[i].path, path) == 0)
			return &s->images[i];
	if (s->n == FILES_MAX || path[0] != '/')
		return NULL;
	if (s->n == s->room) {
		uint32_t room = s->room ? s->room * 2 : 16;

		image = realloc(s->images, room * sizeof(*image));
		if (!image)
			return NULL;
		s->images = image;
		s->room = room;
	}
	image = &s->images[s->n];
	memset(image, 0, sizeof(*image));
	image->path = strdup(path);
	if (!image->path)
		return NULL;
	s->n++;
	/* What is no file must not keep us waiting. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return image;
	if (fstat(fd, &file) == 0 && is_unchanged(&file, s->start_wall_ns))
		read_tables(image, fd, (uint64_t)file.st_size);
	close(fd);
	return image;
}

bool tw_symbols_find(struct tw_symbols *s, const char *path, uint64_t address,
		     struct tw_symbol *out)
{
	const struct image *image = image_of(s, path);
	const struct function *f;
	size_t low = 0, high = image ? image->n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	f = &image->functions[low - 1];
	/* An address behind a call that never returns is one past its function; what
	 * has no size (assembly) reaches to the next one. */
	if (f->bytes && address - f->address > f->bytes)
		return false;
	out->name = image->strings + f->name;
	out->offset = address - f->address;
	return out->name[0] != '\0';
}

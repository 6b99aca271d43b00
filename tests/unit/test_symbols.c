/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for code addresses: our own program's, and files that lie. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "spool_builder.h"
#include "trace/symbols.h"

TestSuite(symbols, .init = spool_folder_make, .fini = spool_folder_remove);

#define SELF "/proc/self/exe"

__attribute__((noinline)) int symbols_test_function(int v)
{
	return v * 3 + 1;
}

/* Where a function of this program is in its file. */
static uint64_t own_address(void)
{
	struct link_map *map = NULL;
	Dl_info info;
	uintptr_t at = (uintptr_t)symbols_test_function;

	cr_assert_neq(dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	return at - map->l_addr;
}

Test(symbols, name_a_function_and_how_far_in_it_an_address_is)
{
	struct tw_symbols *s = tw_symbols_new(UINT64_MAX);
	struct tw_symbol symbol;

	cr_assert(tw_symbols_find(s, SELF, own_address() + 1, &symbol));
	cr_expect_str_eq(symbol.name, "symbols_test_function");
	cr_expect_eq(symbol.offset, 1);
	cr_expect_not(tw_symbols_find(s, SELF, 1, &symbol), "in front of all code");
	cr_expect_not(tw_symbols_find(s, "/no/such/file", 1, &symbol));
	cr_expect_not(tw_symbols_find(s, "relative", 1, &symbol));
	cr_expect_not(tw_symbols_find(s, "/dev/zero", 1, &symbol), "no file");
	tw_symbols_free(s);
}

Test(symbols, file_that_changed_since_is_not_asked)
{
	struct tw_symbols *s = tw_symbols_new(1);
	struct tw_symbol symbol;

	cr_expect_not(tw_symbols_find(s, SELF, own_address(), &symbol));
	tw_symbols_free(s);
}

/* Asks for many addresses of a file with these bytes, around code that is there. */
static unsigned ask_all(const char *bytes, size_t n)
{
	const uint64_t middle = own_address(), reach = 1 << 19;
	struct tw_symbols *s = tw_symbols_new(UINT64_MAX);
	char *path = spool_path("elf");
	FILE *file = fopen(path, "wb");
	struct tw_symbol symbol;
	unsigned found = 0;

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, n, file), n);
	fclose(file);
	for (uint64_t at = middle > reach ? middle - reach : 0; at < middle + reach;
	     at += 4093)
		found += tw_symbols_find(s, path, at, &symbol) && strlen(symbol.name);
	tw_symbols_free(s);
	return found;
}

Test(symbols, damaged_files_are_survived)
{
	size_t n;
	char *bytes = spool_read_file(SELF, &n);
	Elf64_Ehdr head;

	cr_assert_gt(ask_all(bytes, n), 0);
	for (size_t cut = 0; cut < n; cut += n / 16 + 1)
		cr_expect_eq(ask_all(bytes, cut), 0, "cut at %zu", cut);
	memcpy(&head, bytes, sizeof(head));
	for (size_t i = 0; i < sizeof(head); i++) {
		bytes[i] = (char)~bytes[i];
		ask_all(bytes, n);
		bytes[i] = (char)~bytes[i];
	}
	/* Every field of every section's header. */
	for (unsigned i = 0; i < head.e_shnum; i++)
		for (unsigned k = 0; k < 16; k++) {
			char *at =
				bytes + head.e_shoff + i * sizeof(Elf64_Shdr) + 4 * k;

			*at = (char)~*at;
			at[3] = (char)~at[3];
			ask_all(bytes, n);
			*at = (char)~*at;
			at[3] = (char)~at[3];
		}
}

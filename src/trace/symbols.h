/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for code addresses of a trace: looked up in the symbol tables of the ELF files
 * that the addresses are in, when the trace is read, as recording has no time for it.
 * Only files that are still those of the recording are asked: on the same machine, and
 * unchanged since. Files are not trusted. Used by the timeline; single thread.
 */
#ifndef TW_SYMBOLS_H
#define TW_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct tw_symbols;

/* Files that changed after `start_wall_ns` are not asked. NULL without memory. */
struct tw_symbols *tw_symbols_new(uint64_t start_wall_ns);
void tw_symbols_free(struct tw_symbols *symbols);

struct tw_symbol {
	const char *name; /* as in the file; lives as long as the symbols */
	uint64_t offset;  /* of the address in it */
};

/* The function at `address`, as the file numbers them; false = nobody knows. */
bool tw_symbols_find(struct tw_symbols *symbols, const char *file, uint64_t address,
		     struct tw_symbol *out);

#endif

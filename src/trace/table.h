/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of a timeline, indexed by the ids and numbers of a file: pointers with holes,
 * so that a wild id costs a pointer's room and not a struct's. Callers bound the index.
 */
#ifndef TW_TABLE_H
#define TW_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/names.h"

struct tw_table {
	void **items; /* NULL = hole */
	uint32_t n;   /* indexes are below this */
};

/* The item, or NULL where there is none. */
static inline void *tw_table_get(const struct tw_table *table, uint64_t index)
{
	return index < table->n ? table->items[index] : NULL;
}

/* The item, made from `names` and zeroed where there is none; NULL without memory. */
void *tw_table_make(struct tw_table *table, uint32_t index, struct tw_names *names,
		    size_t item_bytes);

/* Frees the table, not the items: they belong to `names`. */
void tw_table_free(struct tw_table *table);

#endif

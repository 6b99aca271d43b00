/* SPDX-License-Identifier: BSD-3-Clause */
/* See table.h. */
#include "trace/table.h"

#include <stdlib.h>
#include <string.h>

static int grow(struct tw_table *table, uint32_t index)
{
	uint32_t n = table->n ? table->n : 64;
	void **items;

	while (n <= index)
		n *= 2;
	items = realloc(table->items, n * sizeof(*items));
	if (!items)
		return -1;
	memset(items + table->n, 0, (n - table->n) * sizeof(*items));
	table->items = items;
	table->n = n;
	return 0;
}

void *tw_table_make(struct tw_table *table, uint32_t index, struct tw_names *names,
		    size_t item_bytes)
{
	void *item = tw_table_get(table, index);

	if (item)
		return item;
	if (index >= table->n && grow(table, index) < 0)
		return NULL;
	item = tw_names_take(names, item_bytes);
	table->items[index] = item;
	return item;
}

void tw_table_free(struct tw_table *table)
{
	free(table->items);
	table->items = NULL;
	table->n = 0;
}

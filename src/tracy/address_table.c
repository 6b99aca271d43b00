/* SPDX-License-Identifier: BSD-3-Clause */
/* See address_table.h. Linear probing; what is removed leaves no gap behind. */
#include "tracy/address_table.h"

static uint32_t place_of(const struct tw_address_table *table, uint32_t pool,
			 uint64_t address)
{
	uint64_t h = (address ^ (uint64_t)pool << 48) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32) & (table->n_entries - 1);
}

/* Where it is, or the free entry where it would be. */
static uint32_t find(const struct tw_address_table *table, uint32_t pool,
		     uint64_t address)
{
	uint32_t i = place_of(table, pool, address);

	while (table->entries[i].pool &&
	       (table->entries[i].pool != pool || table->entries[i].address != address))
		i = (i + 1) & (table->n_entries - 1);
	return i;
}

enum tw_address_result tw_address_add(struct tw_address_table *table, uint32_t pool,
				      uint64_t address)
{
	uint32_t i = find(table, pool, address);

	if (table->entries[i].pool)
		return TW_ADDRESS_TWICE;
	/* Fuller ones take long to look through. */
	if (table->n_used >= table->n_entries - table->n_entries / 8)
		return TW_ADDRESS_FULL;
	table->entries[i] = (struct tw_address){.address = address, .pool = pool};
	table->n_used++;
	return TW_ADDRESS_ADDED;
}

bool tw_address_remove(struct tw_address_table *table, uint32_t pool, uint64_t address)
{
	uint32_t mask = table->n_entries - 1;
	uint32_t gap = find(table, pool, address);

	if (!table->entries[gap].pool)
		return false;
	/* Entries behind the gap that were pushed past it move up into it. */
	for (uint32_t i = (gap + 1) & mask; table->entries[i].pool;
	     i = (i + 1) & mask) {
		const struct tw_address *e = &table->entries[i];
		uint32_t home = place_of(table, e->pool, e->address);

		if (((i - home) & mask) >= ((i - gap) & mask)) {
			table->entries[gap] = *e;
			gap = i;
		}
	}
	table->entries[gap] = (struct tw_address){0};
	table->n_used--;
	return true;
}

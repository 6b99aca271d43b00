/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which addresses of which pools are allocated: a hash table in the caller's zeroed
 * memory that never grows. Viewers end a session for an address that is allocated twice
 * or freed unknown; events may be missing, so somebody has to know. No malloc, one
 * thread.
 */
#ifndef TW_ADDRESS_TABLE_H
#define TW_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct tw_address {
	uint64_t address;
	uint32_t pool; /* not 0; 0 = a free entry */
	uint32_t reserved;
};

struct tw_address_table {
	struct tw_address *entries;
	uint32_t n_entries; /* a power of two */
	uint32_t n_used;
};

enum tw_address_result {
	TW_ADDRESS_ADDED,
	TW_ADDRESS_TWICE, /* it is there already */
	TW_ADDRESS_FULL,
};

enum tw_address_result tw_address_add(struct tw_address_table *table, uint32_t pool,
				      uint64_t address);

/* False: it was not there. */
bool tw_address_remove(struct tw_address_table *table, uint32_t pool, uint64_t address);

#endif

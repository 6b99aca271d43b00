/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name tables; contract in intern.h.
 *
 * Strings lie one after another, 8-byte aligned; an id is the offset / 8. Locations are
 * an array; an id is the index. Each table has an open-addressing index of ids. Lookup
 * and insertion end in one compare-and-swap on an index slot: whoever loses it uses the
 * winner's entry when the contents are equal, and its own stays behind unused.
 */
#include "core/intern.h"

#include <string.h>

#define PROBES_MAX 512u

static uint32_t hash_bytes(const void *data, size_t bytes, uint32_t seed)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325ull ^ seed;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 32);
}

const char *tw_string_get(struct tw_arena *arena, uint32_t id, uint32_t *bytes)
{
	uint64_t offset = (uint64_t)id * 8;
	struct tw_string *s;
	uint32_t n;

	if (!id || offset + sizeof(*s) > arena->strings_bytes)
		return NULL;
	s = tw_arena_at(arena, arena->strings_offset + offset);
	n = atomic_load_explicit(&s->bytes_plus_one, memory_order_acquire);
	if (!n || n > TW_STRING_MAX + 1 ||
	    offset + sizeof(*s) + n > arena->strings_bytes)
		return NULL;
	*bytes = n - 1;
	return s->text;
}

const struct tw_location *tw_location_get(struct tw_arena *arena, uint32_t id)
{
	struct tw_location *l;

	if (!id || id >= arena->locations_n)
		return NULL;
	l = (struct tw_location *)tw_arena_at(arena, arena->locations_offset) + id;
	return atomic_load_explicit(&l->is_published, memory_order_acquire) ? l : NULL;
}

static bool string_equals(struct tw_arena *arena, uint32_t id, const void *key,
			  size_t bytes)
{
	uint32_t n;
	const char *text = tw_string_get(arena, id, &n);

	return text && n == bytes && memcmp(text, key, n) == 0;
}

static bool location_equals(struct tw_arena *arena, uint32_t id, const void *key,
			    size_t bytes)
{
	const struct tw_location *l = tw_location_get(arena, id);

	return l && memcmp(l, key, bytes) == 0;
}

/* Writes a new string and publishes it; 0 when the table is full. */
static uint32_t string_append(struct tw_arena *arena, const void *key, size_t bytes,
			      uint32_t hash)
{
	uint32_t steps = (uint32_t)((sizeof(struct tw_string) + bytes + 1 + 7) / 8);
	uint32_t id;
	struct tw_string *s;

	if (atomic_load_explicit(&arena->strings_used, memory_order_relaxed) >
	    arena->strings_bytes / 8 - steps)
		return 0;
	id = atomic_fetch_add_explicit(&arena->strings_used, steps,
				       memory_order_relaxed);
	if (((uint64_t)id + steps) * 8 > arena->strings_bytes)
		return 0;
	s = tw_arena_at(arena, arena->strings_offset + (uint64_t)id * 8);
	s->hash = hash;
	memcpy(s->text, key, bytes);
	s->text[bytes] = '\0';
	atomic_store_explicit(&s->bytes_plus_one, (uint32_t)bytes + 1,
			      memory_order_release);
	return id;
}

static uint32_t location_append(struct tw_arena *arena, const void *key, size_t bytes,
				uint32_t hash)
{
	uint32_t id;
	struct tw_location *l;

	(void)hash;
	if (atomic_load_explicit(&arena->locations_used, memory_order_relaxed) >=
	    arena->locations_n)
		return 0;
	id = atomic_fetch_add_explicit(&arena->locations_used, 1, memory_order_relaxed);
	if (id >= arena->locations_n)
		return 0;
	l = (struct tw_location *)tw_arena_at(arena, arena->locations_offset) + id;
	memcpy(l, key, bytes);
	atomic_store_explicit(&l->is_published, 1, memory_order_release);
	return id;
}

/* What differs between the two tables. */
struct table {
	_Atomic uint32_t *index;
	uint32_t index_n; /* a power of two */
	bool (*equals)(struct tw_arena *arena, uint32_t id, const void *key, size_t n);
	uint32_t (*append)(struct tw_arena *arena, const void *key, size_t n,
			   uint32_t hash);
};

/* Returns the id of `key`, entering it if it is new; 0 when there is no room. */
static uint32_t table_intern(struct tw_arena *arena, const struct table *t,
			     const void *key, size_t bytes)
{
	uint32_t hash = hash_bytes(key, bytes, (uint32_t)bytes);
	uint32_t made = 0;

	for (uint32_t i = 0; i < PROBES_MAX; i++) {
		_Atomic uint32_t *slot = &t->index[(hash + i) & (t->index_n - 1)];
		uint32_t id = atomic_load_explicit(slot, memory_order_acquire);

		if (!id) {
			if (!made)
				made = t->append(arena, key, bytes, hash);
			if (!made)
				return 0;
			if (atomic_compare_exchange_strong_explicit(
				    slot, &id, made, memory_order_acq_rel,
				    memory_order_acquire))
				return made;
		}
		if (t->equals(arena, id, key, bytes))
			return id;
	}
	return 0;
}

uint32_t tw_intern_string(struct tw_arena *arena, const char *text, size_t bytes)
{
	struct table t = {
		.index = tw_arena_at(arena, arena->string_index_offset),
		.index_n = arena->string_index_n,
		.equals = string_equals,
		.append = string_append,
	};
	uint32_t id;

	if (!bytes)
		return 0;
	if (bytes > TW_STRING_MAX)
		bytes = TW_STRING_MAX;
	id = table_intern(arena, &t, text, bytes);
	if (!id)
		atomic_fetch_add_explicit(&arena->names_lost, 1, memory_order_relaxed);
	return id;
}

uint32_t tw_intern_location(struct tw_arena *arena, const struct tw_location *location)
{
	struct table t = {
		.index = tw_arena_at(arena, arena->location_index_offset),
		.index_n = arena->location_index_n,
		.equals = location_equals,
		.append = location_append,
	};
	uint32_t id = table_intern(arena, &t, location,
				   offsetof(struct tw_location, is_published));

	if (id)
		return id;
	atomic_fetch_add_explicit(&arena->names_lost, 1, memory_order_relaxed);
	return TW_LOCATION_OVERFLOW;
}

void tw_intern_init(struct tw_arena *arena)
{
	static const char words[] = "(names past the table's end)";
	struct tw_location overflow = {0};

	/* Offset and index 0 are nobody's: id 0 means "none". */
	atomic_store(&arena->strings_used, 1);
	atomic_store(&arena->locations_used, 1);
	overflow.name = tw_intern_string(arena, words, sizeof(words) - 1);
	tw_intern_location(arena, &overflow);
}

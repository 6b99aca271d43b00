/* SPDX-License-Identifier: BSD-3-Clause */
/* What is kept of a `.tracy` file (file_read.h) while it is read, and looking it up. */
#include <errno.h>
#include <stdlib.h>

#include "tracy/file_read_private.h"

static struct tw_slice slice(const char *text)
{
	return (struct tw_slice){text, (uint32_t)strlen(text)};
}

bool tw_tracy_afford(struct tw_tracy_reader *r, uint64_t bytes)
{
	if (bytes > r->budget) {
		r->result = -EFBIG;
		return false;
	}
	r->budget -= bytes;
	return true;
}

bool tw_tracy_room(struct tw_tracy_reader *r, void **items, uint64_t n, uint64_t *room,
		   size_t item_bytes)
{
	uint64_t bigger = *room ? *room * 2 : 64;
	void *moved;

	if (n < *room)
		return true;
	if (!tw_tracy_afford(r, (bigger - *room) * item_bytes))
		return false;
	moved = realloc(*items, bigger * item_bytes);
	if (!moved) {
		r->result = -ENOMEM;
		return false;
	}
	*items = moved;
	*room = bigger;
	return true;
}

void tw_tracy_pair_add(struct tw_tracy_reader *r, struct tw_tracy_pairs *pairs,
		       uint64_t key, uint64_t value)
{
	if (TW_TRACY_ROOM(r, pairs->items, pairs->n, pairs->room))
		pairs->items[pairs->n++] = (struct tw_tracy_pair){key, value};
}

static int compare_pairs(const void *left, const void *right)
{
	const struct tw_tracy_pair *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

void tw_tracy_pairs_sort(struct tw_tracy_pairs *pairs)
{
	if (pairs->n)
		qsort(pairs->items, pairs->n, sizeof(*pairs->items), compare_pairs);
}

const struct tw_tracy_pair *tw_tracy_find(const struct tw_tracy_pairs *pairs,
					  uint64_t key)
{
	struct tw_tracy_pair wanted = {key, 0};

	if (pairs->n == 0)
		return NULL;
	return bsearch(&wanted, pairs->items, pairs->n, sizeof(wanted), compare_pairs);
}

struct tw_slice tw_tracy_text_at(const struct tw_tracy_reader *r, uint64_t index_plus_1)
{
	if (index_plus_1 == 0)
		return slice("");
	if (index_plus_1 > r->n_strings)
		return slice("???");
	return r->strings[index_plus_1 - 1];
}

struct tw_slice tw_tracy_text_by_pointer(const struct tw_tracy_reader *r,
					 uint64_t pointer)
{
	const struct tw_tracy_pair *pair = tw_tracy_find(&r->pointers, pointer);

	if (pair)
		pair = tw_tracy_find(&r->ids, pair->value);
	return pair ? tw_tracy_text_at(r, pair->value + 1) : slice("???");
}

struct tw_slice tw_tracy_text_of(const struct tw_tracy_reader *r,
				 struct tw_tracy_reference reference)
{
	if (!(reference.flags & TW_TRACY_REF_ACTIVE))
		return slice("");
	if (!(reference.flags & TW_TRACY_REF_INDEX))
		return tw_tracy_text_by_pointer(r, reference.value);
	return reference.value < r->n_strings ? r->strings[reference.value]
					      : slice("???");
}

const struct tw_tracy_location *tw_tracy_location_of(const struct tw_tracy_reader *r,
						     int16_t id)
{
	const struct tw_tracy_pair *pair = NULL;
	uint64_t at = id < 0 ? (uint64_t)(-1 - (int32_t)id) : (uint64_t)id;

	if (id < 0)
		return at < r->dynamic.n ? &r->dynamic.items[at] : NULL;
	if (at < r->expansion.n)
		pair = tw_tracy_find(&r->fixed, r->expansion.items[at].key);
	return pair ? &r->locations.items[pair->value] : NULL;
}

struct tw_slice tw_tracy_location_name(const struct tw_tracy_reader *r,
				       const struct tw_tracy_location *location)
{
	if (!location)
		return slice("???");
	if (location->name.flags & TW_TRACY_REF_ACTIVE)
		return tw_tracy_text_of(r, location->name);
	return tw_tracy_text_of(r, location->function);
}

void tw_tracy_pass(struct tw_tracy_reader *r, uint64_t item_bytes)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	while (n > 0 && tw_tracy_goes_on(r)) {
		uint64_t part = n < (1u << 20) ? n : 1u << 20;

		tw_tracy_in_skip(&r->in, part * item_bytes);
		n -= part;
	}
}

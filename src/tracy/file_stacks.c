/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks in a `.tracy` file that is being made: each is stored once (as far as
 * memory for knowing them goes), as a list of frames. A frame of ours is a location;
 * its number stands in for the address that a viewer expects.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tracy/file_plan.h"

#define STACKS_MAX 0xffffffu  /* numbers are 24 bits, and 0 means none */
#define KNOWN_MAX  (1u << 20) /* stacks that are recognised: 48 MiB of slots */
#define FRAMES_MAX UINT16_MAX

struct tw_tracy_stack_slot {
	XXH128_hash_t hash;
	uint32_t stack; /* its number; 0 = free */
};

/* The slot of that hash, or the free one where it belongs. */
static struct tw_tracy_stack_slot *look_up(const struct tw_tracy_stacks *s,
					   XXH128_hash_t hash)
{
	uint32_t at = (uint32_t)hash.low64 & (s->n_slots - 1);

	while (s->slots[at].stack && !XXH128_isEqual(s->slots[at].hash, hash))
		at = (at + 1) & (s->n_slots - 1);
	return &s->slots[at];
}

static int grow(struct tw_tracy_stacks *s)
{
	struct tw_tracy_stacks bigger = *s;

	bigger.n_slots = s->n_slots ? s->n_slots * 2 : 1024;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_slots; i++)
		if (s->slots[i].stack)
			*look_up(&bigger, s->slots[i].hash) = s->slots[i];
	free(s->slots);
	*s = bigger;
	return 0;
}

static void put_stack(struct tw_tracy_plan *plan, const uint32_t *locations, uint16_t n)
{
	struct tw_tracy_stacks *s = &plan->stacks;
	uint16_t count = htole16(n);

	tw_scratch_put(&s->table, &count, sizeof(count));
	for (uint16_t i = 0; i < n; i++) {
		uint32_t at = tw_tracy_place_index(plan, locations[i]);
		uint64_t frame = htole64((uint64_t)at + 1);

		s->n_frames += !s->is_used[at];
		s->is_used[at] = 1;
		tw_scratch_put(&s->table, &frame, sizeof(frame));
	}
}

uint32_t tw_tracy_stack_add(struct tw_tracy_plan *plan, const uint32_t *locations,
			    uint32_t n)
{
	struct tw_tracy_stacks *s = &plan->stacks;
	struct tw_tracy_stack_slot *slot;
	XXH128_hash_t hash;

	n = n < FRAMES_MAX ? n : FRAMES_MAX;
	hash = XXH3_128bits(locations, n * sizeof(*locations));
	if (!s->is_used)
		s->is_used = calloc(plan->timeline->places.n + 1, 1);
	if (!s->is_used ||
	    (s->n_known < KNOWN_MAX && s->n_known * 2 >= s->n_slots && grow(s) < 0)) {
		s->table.error = -ENOMEM;
		return 0;
	}
	slot = look_up(s, hash);
	if (slot->stack)
		return slot->stack;
	if (s->n == STACKS_MAX) {
		plan->n_left_out++;
		return 0;
	}
	s->n++;
	if (s->n_known < KNOWN_MAX) {
		slot->hash = hash;
		slot->stack = s->n;
		s->n_known++;
	}
	put_stack(plan, locations, (uint16_t)n);
	return s->n;
}

/* The last part of a path. */
static struct tw_slice base_of(struct tw_slice path)
{
	for (uint32_t at = path.n_bytes; at > 0; at--)
		if (path.text[at - 1] == '/')
			return (struct tw_slice){path.text + at, path.n_bytes - at};
	return path;
}

static void name_frame(struct tw_tracy_plan *plan, const struct tw_place *place,
		       uint32_t *names)
{
	struct tw_slice image = place->is_code ? base_of(place->file) : tw_slice_of("");
	struct tw_slice function =
		place->name.n_bytes ? place->name : tw_slice_of("(unknown function)");

	names[0] = tw_tracy_strings_add(&plan->strings, image, false);
	names[1] = tw_tracy_strings_add(&plan->strings, function, false);
	names[2] = tw_tracy_strings_add(&plan->strings, place->file, false);
}

int tw_tracy_stacks_finish(struct tw_tracy_plan *plan)
{
	struct tw_tracy_stacks *s = &plan->stacks;
	uint32_t n = 0;

	s->names = calloc((size_t)s->n_frames + 1, 3 * sizeof(*s->names));
	if (!s->names)
		return -ENOMEM;
	for (uint32_t i = 0; s->is_used && i <= plan->timeline->places.n; i++)
		if (s->is_used[i])
			name_frame(plan, tw_timeline_place(plan->timeline, i),
				   s->names + 3 * n++);
	return s->table.error ? s->table.error : plan->strings.table.error;
}

int tw_tracy_write_stacks(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	struct tw_tracy_stacks *s = &plan->stacks;
	const uint32_t *names = s->names;
	int error;

	tw_tracy_u64(out, s->n);
	error = tw_tracy_copy(&s->table, 0, s->table.n_bytes, out);
	tw_tracy_u64(out, s->n_frames);
	for (uint32_t i = 0; s->is_used && i <= plan->timeline->places.n; i++) {
		const struct tw_place *place = tw_timeline_place(plan->timeline, i);

		if (!s->is_used[i])
			continue;
		tw_tracy_u64(out, (uint64_t)i + 1);
		tw_tracy_u8(out, 1); /* nothing is inlined */
		for (unsigned k = 0; k < 3; k++)
			tw_tracy_u24(out, *names++);
		tw_tracy_u32(out, place->is_code ? 0 : place->line);
		tw_tracy_u64(out, 0); /* symbol */
	}
	return error;
}

void tw_tracy_stacks_free(struct tw_tracy_stacks *s)
{
	tw_scratch_free(&s->table);
	free(s->slots);
	free(s->is_used);
	free(s->names);
}

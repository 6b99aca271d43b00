/* SPDX-License-Identifier: BSD-3-Clause */
/* See file_strings.h. */
#include "tracy/file_strings.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tracy/file_format.h"

#define KNOWN_MAX (1u << 20) /* texts that are recognised: 48 MiB of slots */
#define FOR_NAMES (1u << 18) /* indexes that texts of zones cannot have */

struct tw_tracy_string_slot {
	XXH128_hash_t hash;
	uint32_t string; /* index + 1; 0 = free */
};

void tw_tracy_strings_init(struct tw_tracy_strings *s)
{
	memset(s, 0, sizeof(*s));
	tw_scratch_init(&s->table);
}

void tw_tracy_strings_free(struct tw_tracy_strings *s)
{
	tw_scratch_free(&s->table);
	free(s->slots);
	tw_tracy_strings_init(s);
}

/* The slot of that hash, or the free one where it belongs. */
static struct tw_tracy_string_slot *look_up(const struct tw_tracy_strings *s,
					    XXH128_hash_t hash)
{
	uint32_t at = (uint32_t)hash.low64 & (s->n_slots - 1);

	while (s->slots[at].string && !XXH128_isEqual(s->slots[at].hash, hash))
		at = (at + 1) & (s->n_slots - 1);
	return &s->slots[at];
}

static int grow(struct tw_tracy_strings *s)
{
	struct tw_tracy_strings bigger = *s;

	bigger.n_slots = s->n_slots ? s->n_slots * 2 : 1024;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_slots; i++)
		if (s->slots[i].string)
			*look_up(&bigger, s->slots[i].hash) = s->slots[i];
	free(s->slots);
	*s = bigger;
	return 0;
}

/* Viewers take a NUL for the end. */
static void put_text(struct tw_scratch *table, struct tw_slice text)
{
	const char *at = text.text, *end = at + text.n_bytes;

	while (at < end) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));

		tw_scratch_put(table, at, (size_t)((nul ? nul : end) - at));
		if (!nul)
			return;
		tw_scratch_put(table, " ", 1);
		at = nul + 1;
	}
}

uint32_t tw_tracy_strings_add(struct tw_tracy_strings *s, struct tw_slice text,
			      bool is_text)
{
	struct tw_tracy_string_slot *slot;
	XXH128_hash_t hash = XXH3_128bits(text.text, text.n_bytes);
	uint64_t head[2];

	if (s->n_known < KNOWN_MAX && s->n_known * 2 >= s->n_slots && grow(s) < 0) {
		s->table.error = -ENOMEM;
		return 0;
	}
	slot = look_up(s, hash);
	if (slot->string)
		return slot->string;
	if (s->n >= TW_TRACY_STRINGS_MAX - (is_text ? FOR_NAMES : 0)) {
		s->n_left_out++;
		return 0;
	}
	s->n++;
	if (s->n_known < KNOWN_MAX) {
		slot->hash = hash;
		slot->string = s->n;
		s->n_known++;
	}
	head[0] = htole64(s->n);
	head[1] = htole64(text.n_bytes);
	tw_scratch_put(&s->table, head, sizeof(head));
	put_text(&s->table, text);
	return s->n;
}

uint32_t tw_tracy_strings_format(struct tw_tracy_strings *s, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	return tw_tracy_strings_add(s, (struct tw_slice){text, (uint32_t)n}, false);
}

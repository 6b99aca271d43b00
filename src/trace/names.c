/* SPDX-License-Identifier: BSD-3-Clause */
/* See names.h. */
#include "trace/names.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
	struct chunk *next;
	size_t used;
	size_t room;
	alignas(max_align_t) char bytes[];
};

struct tw_names {
	struct chunk *chunks; /* the first one has room, if any has */
};

struct tw_names *tw_names_new(void)
{
	return calloc(1, sizeof(struct tw_names));
}

void tw_names_free(struct tw_names *names)
{
	if (!names)
		return;
	while (names->chunks) {
		struct chunk *next = names->chunks->next;

		free(names->chunks);
		names->chunks = next;
	}
	free(names);
}

static void *take(struct tw_names *names, size_t n, size_t alignment)
{
	struct chunk *c = names->chunks;
	size_t at = c ? (c->used + alignment - 1) & ~(alignment - 1) : 0;

	if (!c || at > c->room || n > c->room - at) {
		size_t room = n > CHUNK_BYTES / 4 ? n : CHUNK_BYTES;
		struct chunk *fresh = calloc(1, sizeof(*fresh) + room);

		if (!fresh)
			return NULL;
		fresh->room = room;
		fresh->used = n;
		/* A large text must not hide the room that the first chunk has left. */
		if (c && room == n) {
			fresh->next = c->next;
			c->next = fresh;
		} else {
			fresh->next = c;
			names->chunks = fresh;
		}
		return fresh->bytes;
	}
	c->used = at + n;
	return c->bytes + at;
}

void *tw_names_take(struct tw_names *names, size_t n)
{
	return take(names, n, alignof(max_align_t));
}

char *tw_names_copy(struct tw_names *names, const char *text, size_t n)
{
	char *copy = take(names, n + 1, 1);

	if (copy) {
		memcpy(copy, text, n);
		copy[n] = '\0';
	}
	return copy;
}

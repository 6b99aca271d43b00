/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interning: strings and source locations become small ids. Append-only tables in the
 * arena, filled by all processes of a run, read by the pump while they grow. Equal
 * contents get equal ids. An entry is written whole before its id is published, so a
 * process killed half-way leaves a hole and nothing else. Slow path only: callers keep
 * the id. Any thread, signal handlers; no lock, no malloc.
 */
#ifndef TW_INTERN_H
#define TW_INTERN_H

#include <stdint.h>

#include "core/arena.h"

#define TW_STRING_MAX 65535u

struct tw_string {
	_Atomic uint32_t bytes_plus_one; /* 0 = not published */
	uint32_t hash;
	char text[];
};

struct tw_location {
	uint32_t name;	   /* string id; 0 = named by its function */
	uint32_t function; /* string ids, 0 = unknown */
	uint32_t file;
	uint32_t line;
	uint32_t colour;
	uint8_t layer;	 /* enum tw_layer */
	uint8_t is_code; /* a code address: `line` is its offset in `file` */
	uint8_t reserved[6];
	_Atomic uint32_t is_published;
};
_Static_assert(sizeof(struct tw_location) == 32, "two locations a line");

/* The id that stands for names that no longer fit. */
#define TW_LOCATION_OVERFLOW 1u

/* Returns the string's id; 0 for an empty string or a full table (counted). */
uint32_t tw_intern_string(struct tw_arena *arena, const char *text, size_t bytes);

/* Returns the location's id, TW_LOCATION_OVERFLOW for a full table (counted). */
uint32_t tw_intern_location(struct tw_arena *arena, const struct tw_location *location);

/* What an id stands for, or NULL when the id is not one. Checks every bound. */
const char *tw_string_get(struct tw_arena *arena, uint32_t id, uint32_t *bytes);
const struct tw_location *tw_location_get(struct tw_arena *arena, uint32_t id);

/* Makes the overflow location; called once by whoever creates the arena. */
void tw_intern_init(struct tw_arena *arena);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What an import (file_import.h) knows of a file: threads, processes, names, places. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/timeline.h"
#include "tracy/file_import_private.h"
#include "tracy/layer_colour.h"

#define IDS_MAX (TW_IDS_MAX - 1) /* a reader refuses higher ones */

static bool grow_table(struct tw_import_table *t)
{
	uint32_t n_slots = t->n_slots ? t->n_slots * 2 : 256;
	struct tw_import_slot *old = t->slots;

	t->slots = calloc(n_slots, sizeof(*t->slots));
	if (!t->slots) {
		t->slots = old;
		return false;
	}
	for (uint32_t i = 0; i < t->n_slots; i++) {
		uint32_t at = (uint32_t)old[i].hash & (n_slots - 1);

		if (!old[i].id)
			continue;
		while (t->slots[at].id)
			at = (at + 1) & (n_slots - 1);
		t->slots[at] = old[i];
	}
	t->n_slots = n_slots;
	free(old);
	return true;
}

uint32_t *tw_import_slot(struct tw_import_table *t, uint64_t hash)
{
	uint32_t at;

	if (t->n * 2 >= t->n_slots && !grow_table(t))
		return NULL;
	at = (uint32_t)hash & (t->n_slots - 1);
	while (t->slots[at].id && t->slots[at].hash != hash)
		at = (at + 1) & (t->n_slots - 1);
	if (!t->slots[at].id) {
		t->slots[at].hash = hash;
		t->n++; /* the caller fills it */
	}
	return &t->slots[at].id;
}

/* Room for one more; false without memory. */
static bool make_room(void **items, uint32_t n, uint32_t *room, size_t bytes)
{
	uint32_t bigger = *room ? *room * 2 : 64;
	void *moved;

	if (n < *room)
		return true;
	if (bigger <= *room)
		return false;
	moved = realloc(*items, bigger * bytes);
	if (!moved)
		return false;
	*items = moved;
	*room = bigger;
	return true;
}

struct tw_import_thread *tw_import_thread(struct tw_import *im, uint64_t id)
{
	uint32_t *slot = tw_import_slot(&im->thread_ids, XXH3_64bits(&id, sizeof(id)));

	if (!slot)
		return NULL;
	if (*slot)
		return &im->threads[*slot - 1];
	if (im->n_threads >= IDS_MAX - 1 ||
	    !make_room((void **)&im->threads, im->n_threads, &im->threads_room,
		       sizeof(*im->threads)))
		return NULL;
	im->threads[im->n_threads] = (struct tw_import_thread){
		.id = id, .first_open = UINT64_MAX, .name = {"", 0}};
	*slot = ++im->n_threads;
	return &im->threads[*slot - 1];
}

struct tw_import_process *tw_import_process(struct tw_import *im, uint32_t pid)
{
	uint32_t *slot = tw_import_slot(&im->pids, XXH3_64bits(&pid, sizeof(pid)));
	struct tw_import_process *p;

	if (slot && *slot)
		return &im->processes[*slot - 1];
	if (!slot || im->n_processes >= IDS_MAX - 1 ||
	    !make_room((void **)&im->processes, im->n_processes, &im->processes_room,
		       sizeof(*im->processes)))
		return NULL;
	p = &im->processes[im->n_processes++];
	*slot = im->n_processes;
	*p = (struct tw_import_process){
		.number = im->n_processes, .pid = pid, .program = {"", 0}};
	return p;
}

struct tw_slice tw_import_copy(struct tw_import *im, struct tw_slice text)
{
	char *copy = tw_names_copy(im->names, text.text, text.n_bytes);

	return copy ? (struct tw_slice){copy, text.n_bytes} : (struct tw_slice){"", 0};
}

uint32_t tw_import_string(struct tw_import *im, struct tw_slice text)
{
	struct tw_span span = {text.text, text.n_bytes};
	uint32_t *slot;

	if (text.n_bytes == 0)
		return 0;
	slot = tw_import_slot(&im->strings, XXH3_64bits(text.text, text.n_bytes));
	if (!slot || im->n_strings >= IDS_MAX - 1)
		return slot ? *slot : 0;
	if (!*slot) {
		*slot = ++im->n_strings;
		tw_spool_meta(im->spool, TW_META_STRING, (uint64_t[]){*slot}, 1, &span,
			      1);
	}
	return *slot;
}

static uint32_t add_place(struct tw_import *im, const struct tw_tracy_zone *zone,
			  struct tw_slice name, uint32_t colour)
{
	uint32_t layer = TW_LAYER_USER;

	if (im->n_places >= IDS_MAX - 1)
		return IDS_MAX; /* one that readers call unknown */
	if (im->is_ours) {
		layer = tw_layer_of_colour(colour);
		if (tw_layer_is_default(colour))
			colour = 0;
	}
	im->n_places++;
	tw_spool_meta(im->spool, TW_META_LOCATION,
		      (uint64_t[]){im->n_places, tw_import_string(im, name),
				   tw_import_string(im, zone->function),
				   tw_import_string(im, zone->file), zone->line, colour,
				   layer},
		      7, NULL, 0);
	return im->n_places;
}

/*
 * In our files a location of many, folded by file (file_places.c), has only the name
 * that its zone carries: those of one name and layer are one place again.
 */
static uint32_t folded_place(struct tw_import *im, const struct tw_tracy_zone *zone)
{
	uint32_t layer = tw_layer_of_colour(zone->own_colour);
	uint64_t seed = (uint64_t)(uint16_t)zone->location << 8 | layer;
	uint32_t *slot = tw_import_slot(
		&im->folded,
		XXH3_64bits_withSeed(zone->name.text, zone->name.n_bytes, seed));

	if (!slot)
		return 0;
	if (!*slot) {
		struct tw_tracy_zone place = *zone;

		place.function = (struct tw_slice){"", 0};
		*slot = add_place(im, &place, zone->name, tw_layer_colour(0, layer));
	}
	return *slot;
}

uint32_t tw_import_place(struct tw_import *im, const struct tw_tracy_zone *zone)
{
	uint32_t *known = &im->places[(uint16_t)zone->location];

	if (im->is_ours && zone->location < 0 && zone->has_own_name)
		return folded_place(im, zone);
	if (!*known)
		*known = add_place(im, zone, zone->base_name, zone->base_colour);
	return *known;
}

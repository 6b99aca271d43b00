/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See statistics.h. Two steps a zone: location id -> name (places that are equal to a
 * reader share one, whatever their ids), then (name, group) -> row by a hash table.
 */
#define _GNU_SOURCE 1 /* qsort_r */
#include "report/statistics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_ROW UINT32_MAX

struct slot {
	uint64_t key; /* group << 32 | name */
	uint32_t row; /* NO_ROW = free */
};

struct tw_statistics {
	const struct tw_timeline *timeline;
	enum tw_by by;
	uint32_t *names; /* by location id; the unknown ones share name 0 */
	struct tw_row *rows;
	uint32_t n_rows, rows_room;
	struct slot *slots;
	uint32_t n_slots; /* a power of two */
	uint64_t *thread_zones;
};

static uint64_t hash_text(struct tw_slice text, uint64_t seed)
{
	return XXH3_64bits_withSeed(text.text, text.n_bytes, seed);
}

static uint64_t hash_place(const struct tw_place *p)
{
	return hash_text(p->name,
			 hash_text(p->file, (uint64_t)p->line << 8 ^ p->layer));
}

static bool is_equal_text(struct tw_slice a, struct tw_slice b)
{
	return a.n_bytes == b.n_bytes && memcmp(a.text, b.text, a.n_bytes) == 0;
}

static bool is_equal(const struct tw_place *a, const struct tw_place *b)
{
	return a->line == b->line && a->layer == b->layer &&
	       is_equal_text(a->name, b->name) && is_equal_text(a->file, b->file);
}

/* Gives every location the id of the first one that looks the same. */
static int name_places(struct tw_statistics *s)
{
	const struct tw_table *places = &s->timeline->places;
	uint64_t n_slots = 64;
	uint32_t *slots;

	while (n_slots < 2 * (uint64_t)places->n)
		n_slots *= 2;
	slots = calloc(n_slots, sizeof(*slots));
	s->names = calloc((size_t)places->n + 1, sizeof(*s->names));
	if (!slots || !s->names) {
		free(slots);
		return -ENOMEM;
	}
	for (uint32_t id = 1; id < places->n; id++) {
		const struct tw_place *place = places->items[id];
		uint64_t at;

		if (!place)
			continue;
		at = hash_place(place) & (n_slots - 1);
		while (slots[at] && !is_equal(places->items[slots[at]], place))
			at = (at + 1) & (n_slots - 1);
		if (!slots[at])
			slots[at] = id;
		s->names[id] = slots[at];
	}
	free(slots);
	return 0;
}

static int grow_slots(struct tw_statistics *s, uint32_t n_slots);

struct tw_statistics *tw_statistics_new(const struct tw_timeline *timeline,
					enum tw_by by)
{
	struct tw_statistics *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->timeline = timeline;
	s->by = by;
	s->thread_zones =
		calloc((size_t)timeline->threads.n + 1, sizeof(*s->thread_zones));
	if (!s->thread_zones || name_places(s) < 0 || grow_slots(s, 256) < 0) {
		tw_statistics_free(s);
		return NULL;
	}
	return s;
}

void tw_statistics_free(struct tw_statistics *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_rows; i++)
		tw_histogram_free(&s->rows[i].histogram);
	free(s->rows);
	free(s->slots);
	free(s->names);
	free(s->thread_zones);
	free(s);
}

/* The slot of a key, or the free one where it belongs. */
static struct slot *find(const struct tw_statistics *s, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> 32;

	while (s->slots[at &= s->n_slots - 1].row != NO_ROW && s->slots[at].key != key)
		at++;
	return &s->slots[at];
}

static int grow_slots(struct tw_statistics *s, uint32_t n_slots)
{
	struct slot *old = s->slots;
	uint32_t n_old = s->n_slots;

	s->slots = malloc(n_slots * sizeof(*s->slots));
	if (!s->slots) {
		s->slots = old;
		return -ENOMEM;
	}
	s->n_slots = n_slots;
	for (uint32_t i = 0; i < n_slots; i++)
		s->slots[i].row = NO_ROW;
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i].row != NO_ROW)
			*find(s, old[i].key) = old[i];
	free(old);
	return 0;
}

/* A row for a key that is not there yet. */
static int add_row(struct tw_statistics *s, uint64_t key, const struct tw_zone *zone)
{
	struct tw_row *row;
	struct slot *slot;

	if (s->n_rows == s->rows_room) {
		uint32_t room = s->rows_room ? s->rows_room * 2 : 128;

		row = realloc(s->rows, room * sizeof(*row));
		if (!row)
			return -ENOMEM;
		s->rows = row;
		s->rows_room = room;
	}
	if (s->n_rows >= s->n_slots / 2 && grow_slots(s, s->n_slots * 2) < 0)
		return -ENOMEM;
	row = &s->rows[s->n_rows];
	memset(row, 0, sizeof(*row));
	row->place = tw_timeline_place(s->timeline, zone->location);
	row->process = s->by != TW_BY_NONE ? zone->thread->process : NULL;
	row->thread = s->by == TW_BY_THREAD ? zone->thread : NULL;
	row->min_ns = UINT64_MAX;
	slot = find(s, key);
	slot->key = key;
	slot->row = s->n_rows++;
	return 0;
}

static uint64_t group_of(const struct tw_statistics *s, const struct tw_zone *zone)
{
	if (s->by == TW_BY_NONE)
		return 0;
	return s->by == TW_BY_PROCESS ? zone->thread->process->number
				      : zone->thread->number;
}

static void add_u64(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

int tw_statistics_add(struct tw_statistics *s, const struct tw_zone *zone)
{
	uint32_t name =
		zone->location < s->timeline->places.n ? s->names[zone->location] : 0;
	uint64_t key = group_of(s, zone) << 32 | name;
	uint64_t ns = zone->duration_ns;
	struct slot *slot = find(s, key);
	struct tw_row *row;
	int error = 0;

	s->thread_zones[zone->thread->number]++;
	if (slot->row == NO_ROW) {
		if (add_row(s, key, zone) < 0)
			return -ENOMEM;
		row = &s->rows[s->n_rows - 1];
	} else {
		row = &s->rows[slot->row];
		/* The first zone had no histogram to go to: many names have only one.
		 */
		if (row->count == 1)
			error = tw_histogram_add(&row->histogram, row->max_ns);
		if (!error)
			error = tw_histogram_add(&row->histogram, ns);
	}
	row->count++;
	add_u64(&row->total_ns, ns);
	add_u64(&row->self_ns, zone->self_ns);
	if (ns < row->min_ns)
		row->min_ns = ns;
	if (ns > row->max_ns)
		row->max_ns = ns;
	return error;
}

uint64_t tw_row_mean_ns(const struct tw_row *row)
{
	return row->count ? row->total_ns / row->count : 0;
}

uint64_t tw_row_p99_ns(const struct tw_row *row)
{
	uint64_t ns = tw_histogram_quantile(&row->histogram, 990);

	/* The middle of a step may lie outside what was really seen. */
	if (ns > row->max_ns)
		return row->max_ns;
	return ns < row->min_ns ? row->min_ns : ns;
}

static uint64_t sort_key(const struct tw_row *row, enum tw_sort sort)
{
	switch (sort) {
	case TW_SORT_SELF:
		return row->self_ns;
	case TW_SORT_COUNT:
		return row->count;
	case TW_SORT_MEAN:
		return tw_row_mean_ns(row);
	case TW_SORT_MAX:
		return row->max_ns;
	default:
		return row->total_ns;
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_text(struct tw_slice a, struct tw_slice b)
{
	int order =
		memcmp(a.text, b.text, a.n_bytes < b.n_bytes ? a.n_bytes : b.n_bytes);

	return order ? order : compare_u64(a.n_bytes, b.n_bytes);
}

static int compare(const void *x, const void *y, void *context)
{
	const struct tw_row *a = x, *b = y;
	enum tw_sort sort = *(enum tw_sort *)context;
	int order = 0;

	if (a->process)
		order = compare_u64(a->process->number, b->process->number);
	if (order == 0 && a->thread)
		order = compare_u64(a->thread->number, b->thread->number);
	if (order == 0)
		order = compare_u64(sort_key(b, sort), sort_key(a, sort));
	/* Ties in one fixed order: two reports of one trace are equal. */
	if (order == 0)
		order = compare_text(a->place->name, b->place->name);
	if (order == 0)
		order = compare_text(a->place->file, b->place->file);
	if (order == 0)
		order = compare_u64(a->place->line, b->place->line);
	return order ? order : compare_u64(a->place->layer, b->place->layer);
}

const struct tw_row *tw_statistics_sort(struct tw_statistics *s, enum tw_sort sort,
					size_t *n)
{
	*n = s->n_rows;
	if (s->n_rows)
		qsort_r(s->rows, s->n_rows, sizeof(*s->rows), compare, &sort);
	return s->rows;
}

uint64_t tw_statistics_thread_zones(const struct tw_statistics *s, uint32_t thread)
{
	return thread < s->timeline->threads.n ? s->thread_zones[thread] : 0;
}

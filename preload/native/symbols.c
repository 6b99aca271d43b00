/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbol lookup with the loader's rules: hash tables, versions, scopes. It must come to
 * the same answer as the loader, or to none, because wrapped calls go where it says.
 */
#include "preload/native/objects.h"

#define VERSION_INDEX  0x7fffu
#define VERSION_HIDDEN 0x8000u

/* Not strcmp: a sanitizer's would be asked before it is ready (tw_objects_next). */
static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool tw_symbol_is_function(const ElfW(Sym) * symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* What may satisfy a call: not the stand-in that a program has in its PLT. */
static bool is_definition(const ElfW(Sym) * s)
{
	unsigned bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && (s->st_value || s->st_shndx == SHN_ABS) &&
	       (type <= STT_FUNC || type == STT_COMMON || type == STT_GNU_IFUNC) &&
	       type != STT_SECTION &&
	       (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE);
}

/* The name of a version that the object defines; the base version has none. */
static const char *version_name(const struct tw_object *o, unsigned index)
{
	const ElfW(Verdef) *d = o->definitions;

	while (d) {
		if (d->vd_ndx == index && !(d->vd_flags & VER_FLG_BASE)) {
			const ElfW(Verdaux) *a =
				(const void *)((const char *)d + d->vd_aux);

			return o->strings + a->vda_name;
		}
		d = d->vd_next ? (const void *)((const char *)d + d->vd_next) : NULL;
	}
	return NULL;
}

enum fit { FITS_NOT, FITS_AS_DEFAULT, FITS };

static enum fit version_fits(const struct tw_object *o, size_t index,
			     const struct tw_version *wanted, enum tw_newest newest)
{
	unsigned own, number;
	const char *name;

	if (!o->versions)
		return FITS;
	own = o->versions[index];
	number = own & VERSION_INDEX;
	if (wanted && wanted->name) {
		name = version_name(o, number);
		if (name && is_same(name, wanted->name))
			return FITS;
		return wanted->is_hidden || name || own & VERSION_HIDDEN ? FITS_NOT
									 : FITS;
	}
	/* Old programs, from before there were versions, get the oldest. */
	if (number < (newest == TW_NEWEST ? 2u : 3u))
		return FITS;
	return own & VERSION_HIDDEN ? FITS_NOT : FITS_AS_DEFAULT;
}

/* What is looked for in a table, and the best so far. */
struct query {
	const struct tw_object *object;
	const char *name;
	const struct tw_version *version;
	enum tw_newest newest;
	bool is_for_stand_in;
	const ElfW(Sym) * found;
};

/* One candidate of a hash chain; true when the search is over. */
static bool consider(struct query *q, size_t index)
{
	const struct tw_object *o = q->object;
	const ElfW(Sym) *s = &o->symbols[index];
	enum fit fit = FITS;

	if (q->is_for_stand_in ? s->st_shndx != SHN_UNDEF || !s->st_value
			       : !is_definition(s))
		return false;
	if (!is_same(o->strings + s->st_name, q->name))
		return false;
	if (!q->is_for_stand_in)
		fit = version_fits(o, index, q->version, q->newest);
	if (fit == FITS || (fit == FITS_AS_DEFAULT && !q->found))
		q->found = s;
	return fit == FITS;
}

static void search_gnu(struct query *q)
{
	const uint32_t *t = q->object->gnu_hash;
	uint32_t n_buckets = t[0], first = t[1], n_words = t[2], shift = t[3];
	const uint64_t *bloom = (const uint64_t *)(t + 4);
	const uint32_t *buckets = (const uint32_t *)(bloom + n_words);
	const uint32_t *chain = buckets + n_buckets;
	uint32_t h = 5381;
	uint64_t word;

	for (const unsigned char *p = (const unsigned char *)q->name; *p; p++)
		h = h * 33 + *p;
	word = bloom[h / 64 % n_words];
	if (!n_buckets || !(word >> h % 64 & word >> (h >> shift) % 64 & 1))
		return;
	for (uint32_t i = buckets[h % n_buckets]; i >= first; i++) {
		if ((chain[i - first] | 1) == (h | 1) && consider(q, i))
			return;
		if (chain[i - first] & 1)
			return;
	}
}

static void search_sysv(struct query *q)
{
	const uint32_t *t = q->object->sysv_hash;
	uint32_t n_buckets = t[0], h = 0;
	const uint32_t *buckets = t + 2, *chain = buckets + n_buckets;

	for (const unsigned char *p = (const unsigned char *)q->name; *p; p++) {
		h = (h << 4) + *p;
		h ^= h >> 24 & 0xf0;
	}
	h &= 0x0fffffff;
	for (uint32_t i = n_buckets ? buckets[h % n_buckets] : 0; i; i = chain[i])
		if (consider(q, i))
			return;
}

static const ElfW(Sym) * search(struct query *q)
{
	const struct tw_object *o = q->object;

	if (o->symbols && o->strings && o->gnu_hash)
		search_gnu(q);
	else if (o->symbols && o->strings && o->sysv_hash)
		search_sysv(q);
	return q->found;
}

const ElfW(Sym) * tw_object_find(const struct tw_object *object, const char *name,
				 const struct tw_version *version,
				 enum tw_newest newest)
{
	struct query q = {object, name, version, newest, false, NULL};

	return search(&q);
}

bool tw_object_has_stand_in(const struct tw_object *object, const char *name)
{
	struct query q = {object, name, NULL, TW_NEWEST, true, NULL};

	return search(&q) != NULL;
}

struct tw_version tw_object_wants(const struct tw_object *o, size_t index)
{
	struct tw_version none = {0};
	const ElfW(Verneed) *need = o->needs;
	unsigned number = o->versions ? o->versions[index] & VERSION_INDEX : 0;

	if (number < 2)
		return none;
	while (need) {
		const ElfW(Vernaux) *a =
			(const void *)((const char *)need + need->vn_aux);

		for (unsigned i = 0; i < need->vn_cnt; i++) {
			if ((a->vna_other & VERSION_INDEX) == number)
				return (struct tw_version){
					.name = o->strings + a->vna_name,
					.is_hidden = a->vna_other & VERSION_HIDDEN,
				};
			a = (const void *)((const char *)a + a->vna_next);
		}
		need = need->vn_next
			       ? (const void *)((const char *)need + need->vn_next)
			       : NULL;
	}
	/* A symbol that the object defines itself asks for its own version. */
	return (struct tw_version){.name = version_name(o, number)};
}

void *tw_definition_address(const struct tw_definition *d)
{
	uintptr_t address = d->symbol->st_value;

	if (d->symbol->st_shndx != SHN_ABS)
		address += d->object->base;
	if (ELF64_ST_TYPE(d->symbol->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))address)();
	return (void *)address;
}

static struct tw_definition look(const struct tw_object *o, const char *name,
				 const struct tw_version *version)
{
	return (struct tw_definition){o, tw_object_find(o, name, version, TW_OLDEST)};
}

struct tw_definition tw_objects_bind(const struct tw_objects *objects,
				     const struct tw_object *from, bool is_deep,
				     const char *name, const struct tw_version *version)
{
	struct tw_definition only = {0}, d;

	if (from->is_symbolic) {
		d = look(from, name, version);
		if (d.symbol)
			return d;
	}
	for (size_t i = 0; i < objects->n; i++) {
		d = look(&objects->all[i], name, version);
		if (!d.symbol)
			continue;
		if (d.object->is_startup && !is_deep)
			return d;
		if (only.symbol)
			return (struct tw_definition){0};
		only = d;
	}
	return only;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading loaded objects; contract in objects.h. The loader has checked these tables
 * and uses them itself, so they are trusted as far as it does.
 */
#include "preload/native/objects.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys.h"
#include "preload/self.h"

#define PAGE_BYTES 4096u

/* Filled by tw_objects_lock, under the loader's lock. */
static struct tw_objects objects;

/* The loader relocates most pointers of a dynamic section in place, but not all. */
static const void *at(const struct tw_object *o, ElfW(Addr) value)
{
	return (const void *)(value < o->base ? o->base + value : value);
}

static void read_flags(struct tw_object *o, const ElfW(Dyn) * d)
{
	o->is_symbolic |= d->d_tag == DT_SYMBOLIC ||
			  (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_SYMBOLIC);
	o->has_rpath |= d->d_tag == DT_RPATH;
	o->has_runpath |= d->d_tag == DT_RUNPATH;
}

static void read_dynamic(struct tw_object *o)
{
	for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++) {
		read_flags(o, d);
		switch (d->d_tag) {
		case DT_SYMTAB:
			o->symbols = at(o, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			o->strings = at(o, d->d_un.d_ptr);
			break;
		case DT_VERSYM:
			o->versions = at(o, d->d_un.d_ptr);
			break;
		case DT_VERNEED:
			o->needs = at(o, d->d_un.d_ptr);
			break;
		case DT_VERDEF:
			o->definitions = at(o, d->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			o->gnu_hash = at(o, d->d_un.d_ptr);
			break;
		case DT_HASH:
			o->sysv_hash = at(o, d->d_un.d_ptr);
			break;
		case DT_JMPREL:
			o->plt_relocations = at(o, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			o->n_plt_relocations = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			o->relocations = at(o, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			o->n_relocations = d->d_un.d_val / sizeof(ElfW(Rela));
			break;
		default:
			break;
		}
	}
}

static void read_headers(struct tw_object *o)
{
	o->range = (struct tw_range){UINTPTR_MAX, 0};
	for (size_t i = 0; i < o->n_headers; i++) {
		const ElfW(Phdr) *h = &o->headers[i];
		uintptr_t low = o->base + h->p_vaddr, high = low + h->p_memsz;

		if (h->p_type == PT_DYNAMIC)
			o->dynamic = (const ElfW(Dyn) *)low;
		if (h->p_type == PT_GNU_RELRO) {
			o->relro.low = low & -(uintptr_t)PAGE_BYTES;
			o->relro.high = high & -(uintptr_t)PAGE_BYTES;
		}
		if (h->p_type != PT_LOAD)
			continue;
		if (low < o->range.low)
			o->range.low = low;
		if (high > o->range.high)
			o->range.high = high;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* dl_iterate_phdr goes in the loader's order. */
static int collect(struct dl_phdr_info *info, size_t bytes, void *argument)
{
	struct tw_object *o = &objects.all[objects.n];

	(void)bytes;
	(void)argument;
	if (objects.n == TW_OBJECTS_MAX)
		return 1;
	*o = (struct tw_object){
		.base = info->dlpi_addr,
		.headers = info->dlpi_phdr,
		.n_headers = info->dlpi_phnum,
		.path = info->dlpi_name ? info->dlpi_name : "",
	};
	o->name = base_name(*o->path ? o->path : program_invocation_name);
	read_headers(o);
	if (o->dynamic)
		read_dynamic(o);
	o->is_startup = !objects.n_startup || objects.n < objects.n_startup;
	objects.n++;
	objects.n_changes = info->dlpi_adds + info->dlpi_subs;
	return 0;
}

struct job {
	void (*work)(const struct tw_objects *objects, void *argument);
	void *argument;
	bool is_done;
};

/* Called for the first object; the lock that is held now covers all of the work. */
static int run_job(struct dl_phdr_info *info, size_t bytes, void *argument)
{
	struct job *job = argument;

	(void)info;
	(void)bytes;
	if (!objects.all) {
		void *memory =
			tw_sys_mmap(TW_OBJECTS_MAX * sizeof(struct tw_object),
				    PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (tw_sys_failed(memory))
			return 1;
		objects.all = memory;
	}
	objects.n = 0;
	if (dl_iterate_phdr(collect, NULL))
		return 1;
	if (!objects.n_startup)
		objects.n_startup = objects.n;
	job->work(&objects, job->argument);
	job->is_done = true;
	return 1;
}

bool tw_objects_lock(void (*work)(const struct tw_objects *objects, void *argument),
		     void *argument)
{
	struct job job = {.work = work, .argument = argument};

	dl_iterate_phdr(run_job, &job);
	return job.is_done;
}

const struct tw_object *tw_objects_at(const struct tw_objects *list, uintptr_t address)
{
	for (size_t i = 0; i < list->n; i++)
		if (tw_range_has(&list->all[i].range, address))
			return &list->all[i];
	return NULL;
}

struct export
{
	uintptr_t address;
	const char *const *names;
	size_t n;
	void **found;
	struct tw_range *range;
	bool is_whole;
};

static void find_exports(const struct tw_objects *list, void *argument)
{
	struct export *e = argument;
	struct tw_definition d = {.object = tw_objects_at(list, e->address)};

	e->is_whole = d.object != NULL;
	for (size_t i = 0; i < e->n && e->is_whole; i++) {
		d.symbol = tw_object_find(d.object, e->names[i], NULL, TW_NEWEST);
		e->is_whole = d.symbol != NULL;
		if (d.symbol)
			e->found[i] = tw_definition_address(&d);
	}
	if (e->is_whole)
		*e->range = d.object->range;
}

bool tw_objects_export(uintptr_t address, const char *const *names, size_t n,
		       void **found, struct tw_range *range)
{
	struct export e = {address, names, n, found, range, false};

	return tw_objects_lock(find_exports, &e) && e.is_whole;
}

void *tw_objects_next(const char *name)
{
	bool is_behind_us = false;

	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
		struct tw_object o = {.base = m->l_addr, .dynamic = m->l_ld};
		struct tw_definition d = {.object = &o};

		if (!m->l_ld)
			continue;
		read_dynamic(&o);
		/* Ours is the one whose table of symbols holds this function's. */
		if (!is_behind_us) {
			is_behind_us = m->l_ld == _DYNAMIC;
			continue;
		}
		d.symbol = tw_object_find(&o, name, NULL, TW_NEWEST);
		if (d.symbol && tw_symbol_is_function(d.symbol))
			return tw_definition_address(&d);
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patching slots; contract in patch.h.
 *
 * Slots of the PLT (JUMP_SLOT) are only ever called through. Slots that code also loads
 * from (GLOB_DAT) are used for calls by -fno-plt code; see taken.h. A slot that is not
 * bound yet is bound here, if it is certain to what (tw_objects_bind); otherwise it is
 * left alone until the program has used it.
 *
 * An object that another thread is loading must not be touched: the loader is writing
 * to the same slots. The loader holds a lock all that time, which is not to be had
 * directly, but dlsym takes it, and runs the resolver of an indirect function inside:
 * tracewrap_scan is one.
 */
#include "preload/native/patch.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys.h"
#include "preload/native/choose.h"
#include "preload/native/got.h"
#include "preload/native/hooks.h"
#include "preload/native/objects.h"
#include "preload/native/seam.h"
#include "preload/native/taken.h"
#include "preload/self.h"

/* What was done to an object, by the two addresses that make it this one. */
struct seen {
	uintptr_t base;
	const void *dynamic;
	void **probe; /* a slot that holds a stub, unless this is another object */
	bool is_done;
	bool is_deep;
};

/* Two tables: what was seen last time, and what is being seen. */
static struct seen tables[2][TW_OBJECTS_MAX];
static size_t n_seen;
static unsigned current;
static uint64_t last_changes;
static bool has_unbound; /* some slot waits for its first use */
static bool is_next_deep;

struct work {
	const struct tw_objects *objects;
	const struct tw_object *from;
	void **probe;
	bool is_deep;
	bool is_open;	 /* read-only pages are writable */
	bool is_unbound; /* a slot was left for later */
};

static bool is_in_relro(const struct work *w, const void *slot)
{
	return tw_range_has(&w->from->relro, (uintptr_t)slot);
}

static bool open_pages(struct work *w, const void *slot)
{
	const struct tw_range *r = &w->from->relro;

	if (!is_in_relro(w, slot) || w->is_open)
		return true;
	w->is_open = !tw_sys_mprotect((void *)r->low, r->high - r->low,
				      PROT_READ | PROT_WRITE);
	return w->is_open;
}

static void close_pages(struct work *w)
{
	const struct tw_range *r = &w->from->relro;

	if (w->is_open)
		tw_sys_mprotect((void *)r->low, r->high - r->low, PROT_READ);
}

static void note_full(void)
{
	static const char words[] =
		"too many native functions are chosen: not all of them "
		"are recorded; narrow -t, or use -T";

	if (tw_self.view.arena)
		tw_arena_note(tw_self.view.arena, words, sizeof(words) - 1);
}

static void hook_slot(struct work *w, const struct tw_got_target *t)
{
	size_t before = tw_hook_count();
	void *stub = tw_hook_stub(t->real, t->function, t->object->name);

	if (!stub)
		note_full();
	if (!stub || !open_pages(w, t->slot))
		return;
	if (tw_hook_count() > before)
		tw_choose_made(t->object->name, t->function);
	__atomic_store_n(t->slot, stub, __ATOMIC_RELEASE);
	w->probe = t->slot;
}

/* Is the call through this relocation's slot a chosen one? Fills in where it goes. */
static bool is_chosen(struct work *w, const ElfW(Rela) * r, struct tw_got_target *t)
{
	enum tw_got_state state = tw_got_target(w->objects, w->from, w->is_deep, r, t);

	w->is_unbound |= state == TW_GOT_NOT_BOUND;
	return state == TW_GOT_BOUND && tw_choose_has(t->object->name, t->function);
}

static void patch_plt(struct work *w)
{
	const struct tw_object *o = w->from;
	struct tw_got_target t;

	for (size_t i = 0; i < o->n_plt_relocations; i++)
		if (tw_got_is_call(&o->plt_relocations[i]) &&
		    is_chosen(w, &o->plt_relocations[i], &t))
			hook_slot(w, &t);
}

/* The slots of -fno-plt calls that are chosen, as a range; false = there are none. */
static bool find_shared_slots(struct work *w, struct tw_range *range)
{
	const struct tw_object *o = w->from;
	struct tw_got_target t;

	*range = (struct tw_range){UINTPTR_MAX, 0};
	for (size_t i = 0; i < o->n_relocations; i++) {
		const ElfW(Rela) *r = &o->relocations[i];
		uintptr_t slot = o->base + r->r_offset;

		if (!tw_got_is_shared(r) || !is_chosen(w, r, &t))
			continue;
		if (slot < range->low)
			range->low = slot;
		if (slot + sizeof(void *) > range->high)
			range->high = slot + sizeof(void *);
	}
	return range->high != 0;
}

static void patch_shared(struct work *w)
{
	const struct tw_object *o = w->from;
	struct tw_got_target t;
	struct tw_range range;
	uint8_t *uses;
	size_t bytes;

	if (!find_shared_slots(w, &range))
		return;
	bytes = (range.high - range.low) / sizeof(void *);
	uses = tw_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	if (tw_sys_failed(uses))
		return;
	memset(uses, TW_USE_ASKED, bytes);
	tw_taken_look(o, &range, uses);
	for (size_t i = 0; i < o->n_relocations; i++) {
		const ElfW(Rela) *r = &o->relocations[i];
		size_t at = (o->base + r->r_offset - range.low) / sizeof(void *);

		if (tw_got_is_shared(r) && is_chosen(w, r, &t) &&
		    uses[at] == (TW_USE_ASKED | TW_USE_CALLED))
			hook_slot(w, &t);
	}
	tw_sys_munmap(uses, bytes);
}

/* Calls of the loader and of ourselves are not the program's. */
static bool is_ours_to_patch(const struct tw_object *o)
{
	return o->symbols && o->strings && o->dynamic != _DYNAMIC &&
	       !tw_range_has(&o->range, (uintptr_t)&_r_debug);
}

static void patch_object(const struct tw_objects *objects, struct seen *seen,
			 const struct tw_object *o)
{
	struct work w = {.objects = objects, .from = o, .is_deep = seen->is_deep};

	seen->is_done = true;
	if (!is_ours_to_patch(o))
		return;
	patch_plt(&w);
	patch_shared(&w);
	close_pages(&w);
	seen->is_done = !w.is_unbound;
	if (w.probe)
		seen->probe = w.probe;
	has_unbound |= w.is_unbound;
}

static const struct seen *find_seen(const struct tw_object *o)
{
	for (size_t i = 0; i < n_seen; i++) {
		const struct seen *s = &tables[current][i];

		if (s->base != o->base || s->dynamic != o->dynamic)
			continue;
		/* Unloaded, and loaded again at the same place, since we looked. */
		if (s->probe && !tw_hook_owns(*s->probe))
			return NULL;
		return s;
	}
	return NULL;
}

static void patch_all(const struct tw_objects *objects, void *argument)
{
	struct seen *next = tables[!current];

	(void)argument;
	if (objects->n_changes == last_changes && !has_unbound)
		return;
	has_unbound = false;
	for (size_t i = 0; i < objects->n; i++) {
		const struct tw_object *o = &objects->all[i];
		const struct seen *before = find_seen(o);

		next[i] = before ? *before
				 : (struct seen){.base = o->base,
						 .dynamic = o->dynamic,
						 .is_deep = is_next_deep};
		if (!next[i].is_done)
			patch_object(objects, &next[i], o);
	}
	n_seen = objects->n;
	current = !current;
	last_changes = objects->n_changes;
	is_next_deep = false;
	tw_choose_list_end();
}

void tw_patch_start(void)
{
	tw_objects_lock(patch_all, NULL);
}

static void scanned(void)
{
}

/* Runs under the loader's lock; see above. */
static void (*resolve_scan(void))(void)
{
	tw_objects_lock(patch_all, NULL);
	return scanned;
}

extern void tracewrap_scan(void);
__attribute__((visibility("default"), ifunc("resolve_scan"))) void tracewrap_scan(void);

void tw_patch_new(bool is_deep)
{
	/* Memory must be made writable: not where that could be fatal. */
	if (atomic_load(&tw_self.is_caged))
		return;
	is_next_deep |= is_deep;
	/* Not our own dlsym: that would run the resolver without the lock. */
	tw_seam_dlsym_of_libc(RTLD_DEFAULT, "tracewrap_scan");
}

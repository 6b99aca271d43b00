/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C half of dlopen, dlmopen, dlsym, dlvsym (seam_x86_64.S), and dlclose: objects
 * that come later are patched, and functions that a program looks up by name are
 * wrapped like those that it calls. Any thread, and before every constructor:
 * sanitizers call dlsym first of all. Where no native call is chosen these pass
 * through.
 *
 * libc's functions depend on who calls them in these cases, which are left to them:
 *  - RTLD_NEXT, and RTLD_DEFAULT beyond the objects of the start;
 *  - a library without a path, from an object that says where to look (RUNPATH, RPATH),
 *    or a path with $ORIGIN and its like;
 *  - callers in another namespace.
 * A dlopen that was left to libc is noticed at the next of these calls.
 */
#include "preload/native/seam.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/native/choose.h"
#include "preload/native/hooks.h"
#include "preload/native/native.h"
#include "preload/native/objects.h"
#include "preload/native/patch.h"
#include "preload/self.h"

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

/* In rax and rdx: the answer, or a function to go on with. */
struct passage {
	void *value;
	void *jump;
};

HIDDEN struct passage tw_seam_dlopen(const char *file, int mode, void *unused,
				     uintptr_t caller);
HIDDEN struct passage tw_seam_dlmopen(Lmid_t space, const char *file, int mode,
				      uintptr_t caller);
HIDDEN struct passage tw_seam_dlsym(void *handle, const char *name, void *unused,
				    uintptr_t caller);
HIDDEN struct passage tw_seam_dlvsym(void *handle, const char *name,
				     const char *version, uintptr_t caller);

static _Atomic(void *) real_dlopen, real_dlmopen, real_dlsym, real_dlvsym, real_dlclose;

/* A dlopen went by that we did not see the end of. */
static _Atomic uint32_t is_behind;

static void *find(_Atomic(void *) *where, const char *name)
{
	void *f = atomic_load_explicit(where, memory_order_relaxed);

	if (!f) {
		f = tw_objects_next(name);
		atomic_store_explicit(where, f, memory_order_relaxed);
	}
	return f;
}

void *tw_seam_dlsym_of_libc(void *handle, const char *name)
{
	return ((__typeof__(&dlsym))find(&real_dlsym, "dlsym"))(handle, name);
}

static struct passage go_on(void *real)
{
	return (struct passage){.jump = real};
}

static struct passage answer(void *value)
{
	return (struct passage){.value = value};
}

static void catch_up(void)
{
	if (atomic_exchange(&is_behind, 0))
		tw_patch_new(false);
}

struct asking {
	uintptr_t caller;
	bool is_known;	  /* the caller is one of the program's objects */
	bool has_own_way; /* libraries without a path depend on it */
};

static void judge_caller(const struct tw_objects *objects, void *argument)
{
	struct asking *a = argument;
	const struct tw_object *from = tw_objects_at(objects, a->caller);

	a->is_known = from != NULL;
	a->has_own_way = from && (from->has_runpath || from->has_rpath);
	/* RPATH is inherited from whoever loaded the caller; the program's always
	 * holds.
	 */
	for (size_t i = 1; i < objects->n; i++)
		a->has_own_way |= objects->all[i].has_rpath;
}

static bool depends_on_caller(const char *file, uintptr_t caller)
{
	struct asking a = {.caller = caller};

	if (!tw_objects_lock(judge_caller, &a) || !a.is_known)
		return true;
	if (!file)
		return false;
	return strchr(file, '$') || (!strchr(file, '/') && a.has_own_way);
}

/* The bits of a mode mean what they do without us, and the new objects are patched. */
static void *opened(void *handle, int mode)
{
	int saved = errno;

	if (handle)
		tw_patch_new(mode & RTLD_DEEPBIND);
	errno = saved;
	return handle;
}

struct passage tw_seam_dlopen(const char *file, int mode, void *unused,
			      uintptr_t caller)
{
	void *real = find(&real_dlopen, "dlopen");

	(void)unused;
	if (!tw_native_is_on())
		return go_on(real);
	catch_up();
	if (depends_on_caller(file, caller)) {
		atomic_store(&is_behind, 1);
		return go_on(real);
	}
	return answer(opened(((__typeof__(&dlopen))real)(file, mode), mode));
}

struct passage tw_seam_dlmopen(Lmid_t space, const char *file, int mode,
			       uintptr_t caller)
{
	void *real = find(&real_dlmopen, "dlmopen");

	if (!tw_native_is_on() || space != LM_ID_BASE)
		return go_on(real);
	catch_up();
	if (depends_on_caller(file, caller)) {
		atomic_store(&is_behind, 1);
		return go_on(real);
	}
	return answer(opened(((__typeof__(&dlmopen))real)(space, file, mode), mode));
}

/* A function that was looked up, and what the caller gets instead. */
struct lookup {
	const char *name;
	void *address; /* NULL = find it among the objects of the start */
	void *stub;    /* NULL = leave it as it is */
};

static void wrap(struct lookup *l, const struct tw_object *object)
{
	size_t before = tw_hook_count();

	if (object->dynamic == _DYNAMIC || !tw_choose_has(object->name, l->name))
		return;
	l->stub = tw_hook_stub(l->address, l->name, object->name);
	if (tw_hook_count() > before) {
		tw_choose_made(object->name, l->name);
		tw_choose_list_end();
	}
}

/* By address: the symbol must be a function there, whatever its version. */
static void wrap_address(const struct tw_objects *objects, void *argument)
{
	struct lookup *l = argument;
	const struct tw_object *object = tw_objects_at(objects, (uintptr_t)l->address);
	const ElfW(Sym) *symbol =
		object ? tw_object_find(object, l->name, NULL, TW_NEWEST) : NULL;

	if (symbol && tw_symbol_is_function(symbol))
		wrap(l, object);
}

/*
 * RTLD_DEFAULT: the first definition among the objects of the start is the answer for
 * every caller. Not where the program has a stand-in in its PLT, whose address is the
 * function's for everybody.
 */
static void wrap_default(const struct tw_objects *objects, void *argument)
{
	struct lookup *l = argument;

	for (size_t i = 0; i < objects->n_startup; i++) {
		struct tw_definition d = {.object = &objects->all[i]};

		if (tw_object_has_stand_in(d.object, l->name))
			return;
		d.symbol = tw_object_find(d.object, l->name, NULL, TW_NEWEST);
		if (!d.symbol)
			continue;
		if (!tw_symbol_is_function(d.symbol))
			return;
		l->address = tw_definition_address(&d);
		wrap(l, d.object);
		return;
	}
}

struct passage tw_seam_dlsym(void *handle, const char *name, void *unused,
			     uintptr_t caller)
{
	void *real = find(&real_dlsym, "dlsym");
	struct lookup l = {.name = name};

	(void)unused;
	(void)caller;
	if (!tw_native_is_on() || handle == RTLD_NEXT || !name ||
	    !tw_choose_knows(name))
		return go_on(real);
	catch_up();
	if (handle == RTLD_DEFAULT) {
		tw_objects_lock(wrap_default, &l);
		return l.stub ? answer(l.stub) : go_on(real);
	}
	l.address = ((__typeof__(&dlsym))real)(handle, name);
	if (l.address)
		tw_objects_lock(wrap_address, &l);
	return answer(l.stub ? l.stub : l.address);
}

struct passage tw_seam_dlvsym(void *handle, const char *name, const char *version,
			      uintptr_t caller)
{
	void *real = find(&real_dlvsym, "dlvsym");
	struct lookup l = {.name = name};

	(void)caller;
	if (!tw_native_is_on() || handle == RTLD_NEXT || handle == RTLD_DEFAULT ||
	    !name || !tw_choose_knows(name))
		return go_on(real);
	catch_up();
	l.address = ((__typeof__(&dlvsym))real)(handle, name, version);
	if (l.address)
		tw_objects_lock(wrap_address, &l);
	return answer(l.stub ? l.stub : l.address);
}

/* Objects that went are forgotten: another may come to the same place. */
EXPORT int dlclose(void *handle)
{
	int error = ((__typeof__(&dlclose))find(&real_dlclose, "dlclose"))(handle);
	int saved = errno;

	if (!error && tw_native_is_on())
		tw_patch_new(false);
	errno = saved;
	return error;
}

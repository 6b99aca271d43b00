/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loaded objects, read from memory: their symbols as the loader would find them. The
 * list belongs to the loader and may change under us, so everything happens inside
 * tw_objects_lock, which holds its lock (a recursive one; other threads' dlopen and
 * dlclose wait, hooks do not). No malloc, and no dl* function: a program's dlerror
 * stays what it was. Only objects of the program's own namespace; any thread, never a
 * signal handler.
 */
#ifndef TW_OBJECTS_H
#define TW_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_OBJECTS_MAX 4096u

struct tw_range {
	uintptr_t low, high;
};

static inline bool tw_range_has(const struct tw_range *r, uintptr_t address)
{
	return address >= r->low && address < r->high;
}

struct tw_object {
	uintptr_t base;
	const ElfW(Dyn) * dynamic;
	const ElfW(Phdr) * headers;
	size_t n_headers;
	struct tw_range range; /* of its segments */
	struct tw_range relro; /* whole pages that are read-only after relocation */
	const char *path;      /* as the loader says; "" for the program itself */
	const char *name;      /* file name without folder */
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint16_t *versions;
	const ElfW(Verneed) * needs;
	const ElfW(Verdef) * definitions;
	const uint32_t *gnu_hash;
	const uint32_t *sysv_hash;
	const ElfW(Rela) * plt_relocations;
	size_t n_plt_relocations;
	const ElfW(Rela) * relocations;
	size_t n_relocations;
	bool is_symbolic; /* binds to itself first */
	bool has_rpath;
	bool has_runpath;
	bool is_startup; /* was there before the first dlopen: in the global scope */
};

/* The loaded objects in the loader's order: first the program and what it needs. */
struct tw_objects {
	struct tw_object *all;
	size_t n;
	size_t n_startup;
	uint64_t n_changes; /* grows with every load and unload */
};

/*
 * Runs `work` with the list of objects while the loader's lock is held. False: it was
 * not run (no memory, or not as many objects as there should be).
 */
bool tw_objects_lock(void (*work)(const struct tw_objects *objects, void *argument),
		     void *argument);

/* A wanted version of a symbol. */
struct tw_version {
	const char *name; /* NULL = none */
	bool is_hidden;
};

/* A definition; `symbol` NULL = there is none. */
struct tw_definition {
	const struct tw_object *object;
	const ElfW(Sym) * symbol;
};

/* How a reference picks among versions when it names none. */
enum tw_newest { TW_OLDEST, TW_NEWEST };

/* The object that an address lies in, or NULL. */
const struct tw_object *tw_objects_at(const struct tw_objects *objects,
				      uintptr_t address);

/* The definition in one object, or NULL: as the loader decides for a call. */
const ElfW(Sym) * tw_object_find(const struct tw_object *object, const char *name,
				 const struct tw_version *version,
				 enum tw_newest newest);

/*
 * Has the object a stand-in of that name: an entry of its PLT that counts as the
 * function's address? Programs at a fixed place have.
 */
bool tw_object_has_stand_in(const struct tw_object *object, const char *name);

/* Which version the object's symbol `index` asks for. */
struct tw_version tw_object_wants(const struct tw_object *object, size_t index);

/* Is it code? */
bool tw_symbol_is_function(const ElfW(Sym) * symbol);

/* Where a call ends up; runs the resolver of an indirect function. */
void *tw_definition_address(const struct tw_definition *definition);

/*
 * What a call through a slot of `from` would bind to, if that can be said for certain:
 * a definition among the objects of the start, which every scope begins with, or the
 * only one there is. `is_deep`: loaded with RTLD_DEEPBIND.
 */
struct tw_definition tw_objects_bind(const struct tw_objects *objects,
				     const struct tw_object *from, bool is_deep,
				     const char *name,
				     const struct tw_version *version);

/* Symbols of the object around an address; false unless all are there. */
bool tw_objects_export(uintptr_t address, const char *const *names, size_t n,
		       void **found, struct tw_range *range);

/*
 * The next function of that name after our own library: for callers that cannot use
 * dlsym because they stand in for it. Works before every constructor, without the lock.
 */
void *tw_objects_next(const char *name);

#endif

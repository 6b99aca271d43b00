/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of hooks; contract in hooks.h.
 */
#include "preload/native/hooks.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "core/intern.h"
#include "core/sys.h"
#include "preload/self.h"

#define STUB_BYTES  16u
#define INDEX_SLOTS (2 * TW_HOOKS_MAX)
#define NAMES_BYTES (8u << 20)

/* The first stub; thunk_x86_64.S. */
extern char tw_thunk_stubs[] __attribute__((visibility("hidden")));

struct tw_hook tw_hooks[TW_HOOKS_MAX];

/* What only the first call of a function needs. */
struct hook_name {
	const char *function;
	const char *library;
	_Atomic uint32_t location; /* 0 = not interned yet */
};

static struct hook_name names[TW_HOOKS_MAX];
static uint16_t index_of[INDEX_SLOTS]; /* number + 1, by address */
static size_t n_hooks;
static char *name_memory;
static size_t name_used;

static const char *copy_name(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy;

	if (!name_memory) {
		void *memory =
			tw_sys_mmap(NAMES_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (tw_sys_failed(memory))
			return NULL;
		name_memory = memory;
	}
	if (n > NAMES_BYTES - name_used)
		return NULL;
	copy = name_memory + name_used;
	memcpy(copy, text, n);
	name_used += n;
	return copy;
}

/* Hooks of one library follow each other: its name is kept once. */
static const char *copy_library(const char *library)
{
	if (n_hooks && strcmp(names[n_hooks - 1].library, library) == 0)
		return names[n_hooks - 1].library;
	return copy_name(library);
}

static void *stub_of(size_t i)
{
	return tw_thunk_stubs + i * STUB_BYTES;
}

bool tw_hook_owns(const void *address)
{
	return (uintptr_t)address - (uintptr_t)tw_thunk_stubs <
	       TW_HOOKS_MAX * STUB_BYTES;
}

size_t tw_hook_count(void)
{
	return n_hooks;
}

void *tw_hook_stub(void *real, const char *function, const char *library)
{
	size_t at = ((uintptr_t)real >> 2) * 0x9e3779b1u % INDEX_SLOTS;
	struct hook_name name = {0};

	for (; index_of[at]; at = (at + 1) % INDEX_SLOTS) {
		size_t i = index_of[at] - 1u;

		if (tw_hooks[i].real == real &&
		    strcmp(names[i].function, function) == 0)
			return stub_of(i);
	}
	if (n_hooks == TW_HOOKS_MAX)
		return NULL;
	name.library = copy_library(library);
	name.function = copy_name(function);
	if (!name.library || !name.function)
		return NULL;
	names[n_hooks] = name;
	tw_hooks[n_hooks].real = real;
	index_of[at] = (uint16_t)(n_hooks + 1);
	return stub_of(n_hooks++);
}

uint32_t tw_hook_location(struct tw_hook *hook)
{
	struct hook_name *name = &names[hook - tw_hooks];
	struct tw_arena *arena = tw_self.view.arena;
	struct tw_location location = {.layer = TW_LAYER_NATIVE};
	uint32_t id = atomic_load_explicit(&name->location, memory_order_relaxed);

	if (id)
		return id;
	location.function =
		tw_intern_string(arena, name->function, strlen(name->function));
	location.file = tw_intern_string(arena, name->library, strlen(name->library));
	id = tw_intern_location(arena, &location);
	atomic_store_explicit(&name->location, id, memory_order_relaxed);
	return id;
}

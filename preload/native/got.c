/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a slot leads; contract in got.h.
 */
#include "preload/native/got.h"

#include "preload/native/choose.h"
#include "preload/native/hooks.h"

bool tw_got_is_call(const ElfW(Rela) * r)
{
	return ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT;
}

bool tw_got_is_shared(const ElfW(Rela) * r)
{
	return ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT;
}

/*
 * The slot leads into its own object: to a function that it defines itself, or to its
 * PLT because it was never used. What the call binds to tells.
 */
static bool bind_own(const struct tw_objects *objects, const struct tw_object *from,
		     bool is_deep, size_t symbol, struct tw_got_target *t)
{
	struct tw_version version = tw_object_wants(from, symbol);
	struct tw_definition d =
		tw_objects_bind(objects, from, is_deep, t->function, &version);

	if (!d.symbol || !tw_symbol_is_function(d.symbol))
		return false;
	t->object = d.object;
	t->real = tw_definition_address(&d);
	return true;
}

/* A slot for data, or one that leads to a program's PLT, is not a function's. */
static bool is_function(const struct tw_object *from, size_t symbol,
			const struct tw_got_target *t)
{
	struct tw_version version = tw_object_wants(from, symbol);
	struct tw_definition d = {
		t->object, tw_object_find(t->object, t->function, &version, TW_OLDEST)};

	return d.symbol && tw_symbol_is_function(d.symbol) &&
	       tw_definition_address(&d) == t->real;
}

enum tw_got_state tw_got_target(const struct tw_objects *objects,
				const struct tw_object *from, bool is_deep,
				const ElfW(Rela) * r, struct tw_got_target *t)
{
	size_t symbol = ELF64_R_SYM(r->r_info);

	t->function = from->strings + from->symbols[symbol].st_name;
	if (!symbol || !tw_choose_knows(t->function))
		return TW_GOT_NOT_OURS;
	t->slot = (void **)(from->base + r->r_offset);
	t->real = *t->slot;
	if (!t->real || tw_hook_owns(t->real))
		return TW_GOT_NOT_OURS;
	t->object = tw_objects_at(objects, (uintptr_t)t->real);
	if (!t->object)
		return TW_GOT_NOT_OURS;
	if (t->object == from && tw_got_is_call(r) &&
	    !bind_own(objects, from, is_deep, symbol, t))
		return TW_GOT_NOT_BOUND;
	/* Our own wrappers of libc functions are not the program's calls. */
	if (t->object->dynamic == _DYNAMIC)
		return TW_GOT_NOT_OURS;
	if (tw_got_is_shared(r) && !is_function(from, symbol, t))
		return TW_GOT_NOT_OURS;
	return TW_GOT_BOUND;
}

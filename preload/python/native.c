/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C calls; contract in native.h. A builtin function is known by the address of its
 * definition and a static type by its own: these live as long as their module, and a
 * table keeps their locations. Other callables are named at each call. Names come from
 * C attributes only: no code of the program runs.
 */
#include "native.h"

#include <string.h>

#include "core/intern.h"
#include "core/text.h"
#include "filter.h"
#include "module.h"
#include "shadow.h"
#include "special.h"

#define SLOTS_N	  4096u /* a power of two */
#define HEAP_TYPE (1ul << 9)

/* Of the definition in a builtin function and in a method of a builtin type, with the
 * usual header of 16 bytes (methodobject.h, descrobject.h; the same since 3.6). */
#define FUNCTION_DEFINITION 16
#define METHOD_DEFINITION   40

static struct {
	const void *key;
	uint32_t id;
} slots[SLOTS_N];

enum profile_event { PROFILE_C_CALL = 4, PROFILE_C_EXCEPTION, PROFILE_C_RETURN };

static bool is_type(const tw_o *type)
{
	return tw_py_call.is_subtype((void *)type, tw_py_call.at_type_type);
}

/* What a callable is known by for good, or NULL. */
static const void *key_of(tw_o *callable, const tw_o *type)
{
	if (tw_py.header_bytes != 16)
		return NULL; /* other offsets, and other threads in this table */
	if (type == tw_py_call.at_builtin_type)
		return *(void **)((char *)callable + FUNCTION_DEFINITION);
	if (type == tw_py_call.at_method_descriptor_type)
		return *(void **)((char *)callable + METHOD_DEFINITION);
	if (is_type(type) && !(tw_py_call.type_flags(callable) & HEAP_TYPE))
		return callable;
	return NULL;
}

/* Adds a text attribute and what follows it, unless it is `unless`. */
static void add_attribute(struct tw_text *t, tw_o *object, const char *attribute,
			  const char *after, const char *unless)
{
	tw_o *name = tw_py_call.unicode(attribute);
	tw_o *value = name ? tw_py_call.generic_attribute(object, name) : NULL;
	tw_o *type = value ? tw_py_call.type_of(value) : NULL;
	const char *text =
		type == tw_py_call.at_text_type ? tw_py_call.text(value) : NULL;

	if (text && strcmp(text, unless) != 0) {
		tw_text_add(t, text);
		tw_text_add(t, after);
	}
	tw_py_call.error_clear();
	tw_py_release(type);
	tw_py_release(value);
	tw_py_release(name);
}

static uint32_t intern(tw_o *callable, const tw_o *type)
{
	struct tw_location location = {.layer = TW_LAYER_PYTHON};
	struct tw_arena *arena = tw_self.view.arena;
	char words[512];
	struct tw_text t = tw_text_in(words, sizeof(words));
	size_t n_module;

	add_attribute(&t, callable, "__module__", ".", "builtins");
	n_module = t.used;
	add_attribute(&t, callable, "__qualname__", "", "");
	if (t.used == n_module)
		add_attribute(&t, callable, "__name__", "", "");
	/* Another object goes by its type's name, which follows that type's size. */
	if (t.used == n_module) {
		t = tw_text_in(words, sizeof(words));
		tw_text_add(&t, *(char *const *)((const char *)type +
						 tw_py.header_bytes + 8));
	}
	location.function = tw_intern_string(arena, words, t.used);
	return tw_intern_location(arena, &location);
}

static bool is_python(tw_o *callable, const tw_o *type)
{
	if (type == tw_py_call.at_bound_method_type) {
		tw_o *inner = tw_py_call.method_function(callable); /* borrowed */
		tw_o *inner_type = tw_py_call.type_of(inner);

		tw_py_release(inner_type);
		return inner_type == tw_py_call.at_function_type;
	}
	return type == tw_py_call.at_function_type;
}

/* 0: a Python function, which has a zone of its own. */
static uint32_t find_location(tw_o *callable)
{
	tw_o *type = tw_py_call.type_of(callable);
	const void *key = key_of(callable, type);
	uint32_t slot =
		(uint32_t)((uintptr_t)key >> 3 ^ (uintptr_t)key >> 15) % SLOTS_N;
	uint32_t id = 0;

	if (key && slots[slot].key == key)
		id = slots[slot].id;
	else if (!is_python(callable, type))
		id = intern(callable, type);
	if (key && id) {
		slots[slot].key = key;
		slots[slot].id = id;
	}
	tw_py_release(type);
	return id;
}

void tw_py_native_begin(tw_o *callable)
{
	struct tw_py_aside aside;
	uint32_t id = 0;

	if (!tw_self_producer())
		return;
	aside = tw_py_aside_put();
	id = find_location(callable);
	tw_py_aside_take(&aside);
	if (id)
		tw_py_shadow_begin_native(id);
}

/* Is the function left out that calls? */
static bool is_left_out(tw_o *frame)
{
	tw_o *code;
	uint64_t word;

	if (!tw_py_filter_is_on() && !tw_py_module_is_used())
		return false;
	code = tw_py_call.frame_code ? tw_py_call.frame_code(frame)
				     : tw_py_call.attribute(frame, "f_code");
	tw_py_release(code); /* the frame holds it */
	word = code ? tw_py_code_word(code) : 0;
	return TW_PY_FLAGS(word) & TW_PY_SKIPPED || tw_py_special_of(word) == TW_PY_OWN;
}

static int on_profile(tw_o *self, tw_o *frame, int what, tw_o *callable)
{
	(void)self;
	if (what < PROFILE_C_CALL || is_left_out(frame))
		return 0;
	if (what == PROFILE_C_CALL)
		tw_py_native_begin(callable);
	else if (what == PROFILE_C_RETURN || what == PROFILE_C_EXCEPTION)
		tw_py_shadow_end_native();
	return 0;
}

void tw_py_native_watch(void)
{
	if (tw_py.choice.has_native)
		tw_py_call.set_profile(on_profile, NULL);
}

void tw_py_native_forget(void)
{
	memset(slots, 0, sizeof(slots));
}

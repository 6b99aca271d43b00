/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Garbage collections; contract in collect.h. The callback runs on the thread that
 * collects, before and after; finalisers of the program run in between, inside the
 * zone. It runs no Python code and keeps the exception that is set.
 */
#include "collect.h"

#include <string.h>

#include "core/intern.h"
#include "object.h"
#include "shadow.h"

#define GENERATIONS 3

static uint32_t locations[GENERATIONS];

static uint32_t find_location(long generation)
{
	static const char *const names[GENERATIONS] = {"collect garbage (young)",
						       "collect garbage (middle)",
						       "collect garbage (full)"};
	uint32_t *id = &locations[generation];
	struct tw_location location = {.layer = TW_LAYER_PYTHON};
	struct tw_arena *arena = tw_self.view.arena;

	if (*id)
		return *id;
	location.name =
		tw_intern_string(arena, names[generation], strlen(names[generation]));
	*id = tw_intern_location(arena, &location);
	return *id;
}

static long number_in(tw_o *dict, const char *key)
{
	tw_o *number = tw_py_call.mapping_get(dict, key);
	long value = number ? tw_py_call.integer(number) : -1;

	tw_py_release(number);
	tw_py_call.error_clear();
	return value;
}

static void begin(tw_o *info)
{
	long generation = number_in(info, "generation");

	if (generation < 0 || generation >= GENERATIONS)
		generation = GENERATIONS - 1;
	if (tw_self_producer())
		tw_py_shadow_begin(find_location(generation));
}

static void end(tw_o *info)
{
	uint64_t collected = (uint64_t)number_in(info, "collected");
	struct tw_producer *p = tw_self_producer();

	if (p && *tw_py_shadow.top == p->depth && (int64_t)collected >= 0)
		tw_producer_push(p, TW_EVENT_ZONE_VALUE, 0, &collected,
				 sizeof(collected));
	tw_py_shadow_end();
}

static tw_o *on_collect(tw_o *self, tw_o *arguments)
{
	struct tw_py_aside aside = tw_py_aside_put();
	tw_o *phase = tw_py_call.tuple_get(arguments, 0);
	tw_o *info = tw_py_call.tuple_get(arguments, 1);
	const char *word = phase ? tw_py_call.text(phase) : NULL;

	(void)self;
	if (word && info && strcmp(word, "start") == 0)
		begin(info);
	else if (word && info && strcmp(word, "stop") == 0)
		end(info);
	tw_py_call.error_clear();
	tw_py_aside_take(&aside);
	tw_py_call.keep(tw_py_call.at_none);
	return tw_py_call.at_none;
}

static struct tw_py_function row = {"tracewrap_collect", on_collect, TW_PY_VARARGS,
				    NULL};

#define TRIES_MAX 16

static enum { NONE, BUSY, DONE } state;
static int n_tries;

static bool append(tw_o *gc)
{
	tw_o *list = tw_py_call.attribute(gc, "callbacks");
	tw_o *function = list ? tw_py_function_new(&row) : NULL;
	bool is_in = function && tw_py_call.list_append(list, function) == 0;

	tw_py_release(function);
	tw_py_release(list);
	return is_in;
}

void tw_py_collect_install(void)
{
	tw_o *modules, *gc;
	bool was_there;

	if (state != NONE || n_tries++ == TRIES_MAX)
		return;
	state = BUSY;
	modules = tw_py_call.modules();
	was_there = modules && tw_py_call.dict_get(modules, "gc");
	gc = tw_py_call.import("gc");
	state = gc && append(gc) ? DONE : NONE;
	/* The program's own `import gc` finds the same list later. */
	if (gc && !was_there)
		tw_py_call.dict_delete(modules, "gc");
	tw_py_release(gc);
	tw_py_call.error_clear();
}

void tw_py_collect_forget(void)
{
	state = NONE;
	n_tries = 0;
	memset(locations, 0, sizeof(locations));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Imports and thread names; contract in special.h. Runs in a hook, with the exception
 * put aside; touches only attributes that are plain instance variables.
 */
#include "special.h"

#include <pthread.h>
#include <string.h>

#include "collect.h"
#include "core/intern.h"
#include "core/text.h"
#include "module.h"
#include "preload/self.h"

struct row {
	enum tw_py_special special;
	const char *function; /* last part of the qualified name */
	const char *file;     /* end of the file's name */
	uint32_t n_arguments;
};

static const struct row rows[] = {
	{TW_PY_IMPORT, "_find_and_load", "<frozen importlib._bootstrap>", 2},
	{TW_PY_THREAD_STARTS, "_bootstrap_inner", "/threading.py", 1},
	{TW_PY_THREAD_NAMED, "name", "/threading.py", 2},
	{TW_PY_THREADING, "<module>", "/threading.py", 0},
};

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && memcmp(text + n - m, end, m) == 0;
}

enum tw_py_special tw_py_special_find(const struct tw_py_name *name)
{
	const char *dot = strrchr(name->function, '.');
	const char *last = dot ? dot + 1 : name->function;

	if (strncmp(name->file, TW_PY_OWN_FILE, strlen(TW_PY_OWN_FILE)) == 0)
		return TW_PY_OWN;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(last, rows[i].function) == 0 &&
		    name->n_arguments == rows[i].n_arguments &&
		    ends_in(name->file, rows[i].file))
			return rows[i].special;
	return TW_PY_ORDINARY;
}

/* An argument of the call, as a new reference; NULL when it cannot be had. */
static tw_o *argument(tw_o *const *locals, int i, const char *name)
{
	tw_o *frame, *value;

	if (locals) {
		if (locals[i])
			tw_py_call.keep(locals[i]);
		return locals[i];
	}
	frame = tw_py_call.frame_variable ? tw_py_call.frame_now() : NULL;
	value = frame ? tw_py_call.frame_variable(frame, name) : NULL;
	if (!value)
		tw_py_call.error_clear();
	return value;
}

/* The text of an object that is a str, else NULL. */
static const char *text_of(tw_o *object)
{
	tw_o *type = object ? tw_py_call.type_of(object) : NULL;
	const char *text = NULL;

	if (type && tw_py_call.is_subtype(type, tw_py_call.at_text_type))
		text = tw_py_call.text(object);
	if (!text)
		tw_py_call.error_clear();
	tw_py_release(type);
	return text;
}

static uint32_t name_import(uint32_t id, tw_o *const *locals)
{
	tw_o *module = argument(locals, 0, "name");
	const char *text = text_of(module);
	const struct tw_location *old = tw_location_get(tw_self.view.arena, id);
	char words[256];
	struct tw_text t = tw_text_in(words, sizeof(words));

	if (text && old) {
		struct tw_location location = *old;

		tw_text_add(&t, "import ");
		tw_text_add(&t, text);
		location.name = tw_intern_string(tw_self.view.arena, words, t.used);
		id = tw_intern_location(tw_self.view.arena, &location);
	}
	tw_py_release(module);
	return id;
}

/* A threading.Thread begins to run, on the calling thread. */
static void name_this_thread(tw_o *self)
{
	tw_o *name = tw_py_call.attribute(self, "_name");
	const char *text = text_of(name);

	if (text)
		tw_thread_rename((uint64_t)pthread_self(), text);
	tw_py_release(name);
}

/* A threading.Thread gets a name, from any thread. */
static void name_thread(tw_o *self, tw_o *name)
{
	tw_o *ident = tw_py_call.attribute(self, "_ident");
	const char *text = text_of(name);

	/* A thread that has not started has no number: it is named when it does. */
	if (text && ident && ident != tw_py_call.at_none)
		tw_thread_rename(tw_py_call.unsigned_integer(ident), text);
	tw_py_release(ident);
}

uint32_t tw_py_special_begin(uint64_t word, tw_o *const *locals)
{
	struct tw_py_aside aside;
	enum tw_py_special special = tw_py_special_of(word);
	uint32_t id = TW_PY_ID(word);
	tw_o *self = NULL, *name = NULL;

	if (special == TW_PY_OWN)
		return 0;
	aside = tw_py_aside_put();
	if (special == TW_PY_IMPORT) {
		tw_py_collect_install();
		id = name_import(id, locals);
	} else if (special != TW_PY_THREADING) {
		self = argument(locals, 0, "self");
	}
	if (self && special == TW_PY_THREAD_STARTS)
		name_this_thread(self);
	if (self && special == TW_PY_THREAD_NAMED) {
		name = argument(locals, 1, "name");
		name_thread(self, name);
	}
	tw_py_release(name);
	tw_py_release(self);
	tw_py_call.error_clear();
	tw_py_aside_take(&aside);
	return tw_py_code_is_silent() ? 0 : id;
}

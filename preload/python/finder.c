/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our finder and loader; contract in module.h. It stands first in sys.meta_path but
 * asks all others before it offers a package of ours, so real packages win whatever
 * other finders a program adds (--override-tracy: ours win). For a few modules of
 * others it runs a hook of ours right after they were imported:
 * _tracewrap_hooks/NAME.py, with the module in `module`. Any other import costs a few
 * comparisons.
 */
#include <string.h>

#include "module.h"
#include "preload/log.h"

#define FILE_INPUT 257 /* Py_file_input: a whole file is compiled */

struct hook {
	const char *module; /* of others */
	const char *source; /* of ours */
	bool is_for_calls;  /* of no use with --no-python */
};

static const struct hook hooks[] = {
	{"asyncio.tasks", "_tracewrap_hooks.asyncio", true},
	{"_pytest.config", "_tracewrap_hooks.pytest", false},
	{"ttnn._ttnn", "_tracewrap_hooks.ttnn", false},
};

static const struct hook *find_hook(const char *name)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (strcmp(hooks[i].module, name) == 0)
			return &hooks[i];
	return NULL;
}

/* What the finders behind us say: a spec, None, or NULL with an exception. */
static tw_o *ask_others(tw_o *self, tw_o *arguments)
{
	tw_o *path = tw_py_call.sys("meta_path");
	bool is_behind = false;

	for (ssize_t i = 0; path && i < tw_py_call.list_size(path); i++) {
		tw_o *finder = tw_py_call.list_get(path, i), *find, *spec;

		if (!finder || !is_behind) {
			is_behind = finder == self;
			continue;
		}
		find = tw_py_call.attribute(finder, "find_spec");
		if (!find) {
			tw_py_call.error_clear();
			continue;
		}
		spec = tw_py_call.call_with(find, arguments, NULL);
		tw_py_call.drop(find);
		if (spec != tw_py_call.at_none)
			return spec;
		tw_py_call.drop(spec);
	}
	tw_py_call.error_clear();
	return tw_py_nothing();
}

static tw_o *compile(const struct tw_py_source *source)
{
	return tw_py_call.compile(source->text, source->file, FILE_INPUT);
}

static bool is_used;

bool tw_py_module_is_used(void)
{
	return is_used;
}

/* Runs a source in a dictionary. False: an exception is set. */
static bool run(const struct tw_py_source *source, tw_o *dict)
{
	tw_o *code = compile(source), *result = NULL;

	is_used = true;
	if (code && !tw_py_call.dict_set(dict, "__builtins__", tw_py_call.builtins()))
		result = tw_py_call.run_code(code, dict, dict);
	tw_py_release(code);
	tw_py_release(result);
	return result;
}

/* A module of others has been imported. A hook that fails changes nothing for it. */
static void run_hook(const char *source, tw_o *module)
{
	const struct tw_py_source *hook = tw_py_library_find(source);
	tw_o *dict = tw_py_call.dict_new();

	if (!hook || !dict || tw_py_call.dict_set(dict, "module", module) ||
	    tw_py_call.dict_set(dict, "_tracewrap", tw_py_module()) || !run(hook, dict))
		tw_log(TW_LOG_PROBLEM, "Python: a hook failed:", source);
	tw_py_call.error_clear();
	tw_py_release(dict);
}

/* Stands in for exec_module of a loader, once; self is (loader, exec_module, source).
 */
static tw_o *on_exec(tw_o *self, tw_o *arguments)
{
	tw_o *loader, *exec, *module, *result;
	const char *source;

	if (!tw_py_call.parse(self, "OOs", &loader, &exec, &source))
		return NULL;
	if (tw_py_call.set_attribute(loader, "exec_module", NULL))
		tw_py_call.error_clear();
	result = tw_py_call.call_with(exec, arguments, NULL);
	module = tw_py_call.tuple_get(arguments, 0);
	if (result && module)
		run_hook(source, module);
	return result;
}

static struct tw_py_function exec_row = {"exec_module", on_exec, TW_PY_VARARGS, NULL};

/* The loader is the spec's own object, but for builtin modules: there it is a class. */
static void prepare_hook(tw_o *spec, const char *source)
{
	tw_o *loader = tw_py_call.attribute(spec, "loader");
	tw_o *exec = loader ? tw_py_call.attribute(loader, "exec_module") : NULL;
	tw_o *type = loader ? tw_py_call.type_of(loader) : NULL;
	tw_o *all = NULL, *function = NULL;

	if (exec && type && !tw_py_call.is_subtype(type, tw_py_call.at_type_type))
		all = tw_py_call.build("(OOs)", loader, exec, source);
	if (all)
		function = tw_py_call.function_new(&exec_row, all, NULL);
	if (function)
		tw_py_call.set_attribute(loader, "exec_module", function);
	tw_py_call.error_clear();
	tw_py_release(function);
	tw_py_release(all);
	tw_py_release(type);
	tw_py_release(exec);
	tw_py_release(loader);
}

/* A spec for a source of ours, or for the module itself (source is NULL). */
static tw_o *make_spec(tw_o *self, tw_o *name, const struct tw_py_source *source)
{
	tw_o *modules = tw_py_call.modules(); /* borrowed, as the next */
	tw_o *importlib =
		modules ? tw_py_call.dict_get(modules, "_frozen_importlib") : NULL;
	tw_o *spec, *value;
	char folder[64];
	size_t n;

	if (!importlib)
		return tw_py_nothing();
	spec = tw_py_call.call_method(importlib, "ModuleSpec", "OO", name, self);
	/* Also without a file: repr() would show the loader, which is the module. */
	value = spec ? tw_py_call.build("s", source ? source->file : "built-in") : NULL;
	if (value)
		tw_py_call.set_attribute(spec, "origin", value);
	tw_py_release(value);
	if (!spec || !source)
		return spec;
	n = strlen(source->file) - strlen("/__init__.py");
	if (source->is_package && n < sizeof(folder)) {
		memcpy(folder, source->file, n);
		folder[n] = '\0';
		value = tw_py_call.build("[s]", folder);
		if (value)
			tw_py_call.set_attribute(spec, "submodule_search_locations",
						 value);
		tw_py_release(value);
	}
	return spec;
}

/* Is this the search path of a package of ours? */
static bool is_our_path(tw_o *path)
{
	tw_o *first = path ? tw_py_call.call_method(path, "__getitem__", "i", 0) : NULL;
	const char *text = first ? tw_py_call.text(first) : NULL;
	bool is_ours =
		text && strncmp(text, TW_PY_OWN_FILE, strlen(TW_PY_OWN_FILE)) == 0;

	tw_py_call.error_clear();
	tw_py_release(first);
	return is_ours;
}

static tw_o *find_own(tw_o *self, tw_o *arguments, const char *text)
{
	const struct tw_py_source *source = tw_py_library_find(text);
	tw_o *name = tw_py_call.tuple_get(arguments, 0), *path = NULL, *spec;

	if (strcmp(text, "_tracewrap") == 0)
		return make_spec(self, name, NULL);
	if (tw_py_call.tuple_size(arguments) > 1)
		path = tw_py_call.tuple_get(arguments, 1);
	if (strchr(text, '.'))
		return is_our_path(path) ? make_spec(self, name, source)
					 : tw_py_nothing();
	if (!tw_py.choice.is_overriding) {
		spec = ask_others(self, arguments);
		if (spec != tw_py_call.at_none)
			return spec;
		tw_py_call.drop(spec);
	}
	return make_spec(self, name, source);
}

static tw_o *find_spec(tw_o *self, tw_o *arguments)
{
	tw_o *name = tw_py_call.tuple_get(arguments, 0), *spec;
	const char *text = name ? tw_py_call.text(name) : NULL;
	const struct hook *hook;

	if (!text) {
		tw_py_call.error_clear();
		return tw_py_nothing();
	}
	if (strcmp(text, "_tracewrap") == 0 || tw_py_library_find(text))
		return find_own(self, arguments, text);
	hook = find_hook(text);
	if (!hook || (hook->is_for_calls && tw_py.choice.is_off))
		return tw_py_nothing();
	spec = ask_others(self, arguments);
	if (spec && spec != tw_py_call.at_none)
		prepare_hook(spec, hook->source);
	return spec;
}

/* The source that the first argument, a module's name, stands for. */
static const struct tw_py_source *source_of(tw_o *arguments)
{
	const struct tw_py_source *source = NULL;
	const char *name;

	if (!tw_py_call.parse(arguments, "s", &name))
		return NULL;
	source = tw_py_library_find(name);
	if (!source)
		tw_py_call.error_set(*(tw_o **)tw_py_call.at_import_error,
				     "not a module of tracewrap");
	return source;
}

static tw_o *create_module(tw_o *self, tw_o *arguments)
{
	tw_o *spec = tw_py_call.tuple_get(arguments, 0), *name = NULL;
	const char *text = spec ? tw_py_text_of(spec, "name", &name) : NULL;
	bool is_self = text && strcmp(text, "_tracewrap") == 0;

	tw_py_release(name);
	if (!is_self)
		return tw_py_nothing();
	tw_py_call.keep(self);
	return self;
}

static tw_o *exec_module(tw_o *self, tw_o *arguments)
{
	tw_o *module = tw_py_call.tuple_get(arguments, 0), *name = NULL;
	const char *text = module ? tw_py_text_of(module, "__name__", &name) : NULL;
	const struct tw_py_source *source = text ? tw_py_library_find(text) : NULL;
	bool is_done = module == self;

	tw_py_release(name);
	if (!is_done && source)
		is_done = run(source, tw_py_call.module_dict(module));
	else if (!is_done)
		tw_py_call.error_set(*(tw_o **)tw_py_call.at_import_error,
				     "not a module of tracewrap");
	return is_done ? tw_py_nothing() : NULL;
}

static tw_o *get_code(tw_o *self, tw_o *arguments)
{
	const struct tw_py_source *source = source_of(arguments);

	(void)self;
	return source ? compile(source) : NULL;
}

static tw_o *get_source(tw_o *self, tw_o *arguments)
{
	const struct tw_py_source *source = source_of(arguments);

	(void)self;
	return source ? tw_py_call.build("s", source->text) : NULL;
}

static tw_o *is_package(tw_o *self, tw_o *arguments)
{
	const struct tw_py_source *source = source_of(arguments);

	(void)self;
	return source ? tw_py_call.bool_new(source->is_package) : NULL;
}

struct tw_py_function tw_py_finder_rows[] = {
	{"find_spec", find_spec, TW_PY_VARARGS, NULL},
	{"create_module", create_module, TW_PY_VARARGS, NULL},
	{"exec_module", exec_module, TW_PY_VARARGS, NULL},
	{"get_code", get_code, TW_PY_VARARGS, NULL},
	{"get_source", get_source, TW_PY_VARARGS, NULL},
	{"is_package", is_package, TW_PY_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choosing functions; contract in filter.h. Slow path, with the interpreter's lock.
 */
#include "filter.h"

#include <limits.h>
#include <string.h>

#include "core/glob.h"
#include "special.h"

static _Atomic uint32_t n_included;

/* What a pattern may be about. */
struct subject {
	const char *function, *file, *base, *module;
};

static bool matches_one(const char *pattern, size_t n, const struct subject *s)
{
	return tw_glob_matches(pattern, n, s->function) ||
	       tw_glob_matches(pattern, n, s->file) ||
	       tw_glob_matches(pattern, n, s->base) ||
	       (s->module && tw_glob_matches(pattern, n, s->module));
}

static bool matches(const char *patterns, const struct subject *s)
{
	while (*patterns) {
		size_t n = strcspn(patterns, ",");

		if (n && matches_one(patterns, n, s))
			return true;
		patterns += n + (patterns[n] == ',');
	}
	return false;
}

/*
 * The standard library's folder, with a slash at its end; "" = not known yet. The first
 * file that any interpreter runs is that of its package `encodings`.
 */
static const char *library_folder(void)
{
	static const char own[] = "encodings/__init__.py";
	static char folder[PATH_MAX];
	tw_o *modules = tw_py_call.modules();
	tw_o *package = modules ? tw_py_call.dict_get(modules, "encodings") : NULL;
	tw_o *holder = NULL;
	const char *file;
	size_t n;

	if (folder[0] || !package)
		return folder;
	file = tw_py_text_of(package, "__file__", &holder);
	n = file ? strlen(file) : 0;
	if (n >= sizeof(own) && n < sizeof(folder)) {
		memcpy(folder, file, n - (sizeof(own) - 1));
		folder[n - (sizeof(own) - 1)] = '\0';
	}
	tw_py_release(holder);
	return folder;
}

/* Files without a folder are made up: "<frozen os>", "<string>". */
static bool is_of_library(const char *file)
{
	const char *folder = library_folder();

	return strncmp(file, "<frozen ", 8) == 0 || strstr(file, "/site-packages/") ||
	       strstr(file, "/dist-packages/") ||
	       (folder[0] && strncmp(file, folder, strlen(folder)) == 0);
}

bool tw_py_filter_is_on(void)
{
	return tw_py.choice.is_mine || tw_py.choice.include[0] ||
	       tw_py.choice.exclude[0];
}

bool tw_py_filter_skips(const struct tw_py_name *name, tw_o *globals)
{
	const char *slash = strrchr(name->file, '/');
	tw_o *module = globals ? tw_py_call.dict_get(globals, "__name__") : NULL;
	struct subject s = {
		.function = name->function,
		.file = name->file,
		.base = slash ? slash + 1 : name->file,
		.module = module ? tw_py_call.text(module) : NULL,
	};

	tw_py_call.error_clear();
	if (tw_py.choice.include[0]) {
		if (!matches(tw_py.choice.include, &s))
			return true;
		atomic_fetch_add(&n_included, 1);
	}
	if (matches(tw_py.choice.exclude, &s))
		return true;
	/* An import is asked for by the program, whoever carries it out. */
	return tw_py.choice.is_mine && is_of_library(name->file) &&
	       tw_py_special_find(name) != TW_PY_IMPORT;
}

bool tw_py_filter_is_idle(void)
{
	return tw_py.choice.include[0] && !atomic_load(&n_included);
}

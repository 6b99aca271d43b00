/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The module `_tracewrap`: what Python code of ours may call, and the finder that makes
 * `import tracewrap`, `import tracy` and `import tracy_client` work without anything
 * installed. The module object itself is the finder and the loader. All functions run
 * with the interpreter's lock, or an attached thread state in free-threaded builds.
 *
 *   module.c    makes the module and puts it into sys.meta_path
 *   finder.c    finds and loads our packages; tells hooks that a module was imported
 *   library.c   the packages' sources, embedded by the build (lib/)
 *   annotate.c  zones, messages, plots, frames; starting and stopping
 *   task.c      asyncio tasks as fibers
 */
#ifndef TW_PYTHON_MODULE_H
#define TW_PYTHON_MODULE_H

#include "object.h"

/* Tables of functions, each ended by a row without a name; the module has them all. */
extern struct tw_py_function tw_py_finder_rows[];
extern struct tw_py_function tw_py_annotate_rows[];
extern struct tw_py_function tw_py_task_rows[];

/*
 * While arming, before any code of the program: makes the module and puts it first in
 * sys.meta_path. Costs no compilation; our packages are compiled when imported.
 */
void tw_py_module_install(void);

/* The module of the interpreter that runs, borrowed; NULL before it is installed. */
tw_o *tw_py_module(void);

/* Has code of ours ever run? Only then are there functions without a zone. */
bool tw_py_module_is_used(void);

/* The interpreter is gone, and the module with it. */
void tw_py_module_forget(void);

/* A new reference to None: the result of most functions. */
tw_o *tw_py_nothing(void);

/* A source of ours. `file` is what tracebacks show: TW_PY_OWN_FILE "tracy/__main__.py".
 */
struct tw_py_source {
	const char *module;
	const char *file;
	const char *text;
	bool is_package;
};

/* Files whose names begin like this are our own code: never a zone. */
#define TW_PY_OWN_FILE "<tracewrap>"

const struct tw_py_source *tw_py_library_find(const char *module);

#endif

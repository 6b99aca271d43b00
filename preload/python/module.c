/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making the module `_tracewrap`; contract in module.h. While arming, with the lock.
 */
#include "module.h"

#include "preload/log.h"

static tw_o *module; /* sys.meta_path holds it as well */

tw_o *tw_py_module(void)
{
	return module;
}

tw_o *tw_py_nothing(void)
{
	tw_py_call.keep(tw_py_call.at_none);
	return tw_py_call.at_none;
}

/* Programs ask the entries of sys.meta_path, which are classes, where they come from.
 */
static bool look_like_a_finder(tw_o *made)
{
	tw_o *dict = tw_py_call.module_dict(made);	    /* borrowed */
	tw_o *name = tw_py_call.dict_get(dict, "__name__"); /* borrowed */

	return name && !tw_py_call.dict_set(dict, "__module__", name);
}

static tw_o *make(void)
{
	tw_o *made = tw_py_call.module_new("_tracewrap");

	if (made && look_like_a_finder(made) &&
	    !tw_py_call.module_add(made, tw_py_finder_rows) &&
	    !tw_py_call.module_add(made, tw_py_annotate_rows) &&
	    !tw_py_call.module_add(made, tw_py_task_rows))
		return made;
	tw_py_release(made);
	return NULL;
}

void tw_py_module_install(void)
{
	tw_o *path = tw_py_call.sys("meta_path"); /* borrowed */

	module = path ? make() : NULL;
	if (!module || tw_py_call.list_insert(path, 0, module)) {
		tw_log(TW_LOG_PROBLEM, "Python: no modules of ours can be imported",
		       NULL);
		tw_py_release(module);
		module = NULL;
	}
	tw_py_call.error_clear();
}

void tw_py_module_forget(void)
{
	module = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of our Python packages, embedded by embed.sh from lib/. Only data; looked
 * at by the finder, on any thread.
 */
#include <string.h>

#include "module.h"

#include "preload/python/library_text.h"

const struct tw_py_source *tw_py_library_find(const char *module)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i].module, module) == 0)
			return &sources[i];
	return NULL;
}

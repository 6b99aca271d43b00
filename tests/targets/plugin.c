/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin for plugins.c; PLUGIN_NAME tells its copies apart. */
#include "tracewrap.h"

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "plugin a"
#endif

__attribute__((visibility("default"))) int plugin_run(void);

int plugin_run(void)
{
	TRACEWRAP_ZONE(PLUGIN_NAME);
	return 1;
}

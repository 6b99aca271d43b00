/* SPDX-License-Identifier: BSD-3-Clause */
/* See frame.h. */
#include "frame.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "core/intern.h"
#include "self.h"

static uint32_t intern(const char *text)
{
	return text ? tw_intern_string(tw_self.view.arena, text, strlen(text)) : 0;
}

static const char *program(void)
{
	uint32_t bytes;
	const struct tw_proc *slot =
		tw_arena_proc(tw_self.view.arena, tw_self.life->process);

	return tw_string_get(tw_self.view.arena, slot->program, &bytes);
}

uint32_t tw_frame_location(uintptr_t address)
{
	struct tw_location location = {.layer = TW_LAYER_NATIVE, .is_code = 1};
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
		location.line = (uint32_t)address;
		return tw_intern_location(tw_self.view.arena, &location);
	}
	location.function = intern(info.dli_sname);
	/* The program itself has no name there. */
	location.file = intern(map->l_name && *map->l_name ? map->l_name : program());
	location.line = (uint32_t)(address - map->l_addr);
	return tw_intern_location(tw_self.view.arena, &location);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the token stacks; contract in shadow.h. On the thread whose stack it is.
 */
#include "shadow.h"

#include <string.h>
#include <sys/mman.h>

#include "core/sys.h"

#define FIRST_BYTES (64u << 10)

static uint32_t bottom = TW_PY_BOTTOM;

_Thread_local struct tw_py_shadow tw_py_shadow = {.top = &bottom, .limit = &bottom};

/* Depth 0 lies at the start of the memory, the limit at its last word. */
static size_t bytes_now(uint32_t **start)
{
	uint32_t *p = tw_py_shadow.top;

	if (p == &bottom) {
		*start = &bottom;
		return 0;
	}
	while (*p != TW_PY_BOTTOM)
		p--;
	*start = p;
	return (size_t)((char *)(tw_py_shadow.limit + 1) - (char *)p);
}

bool tw_py_shadow_grow(void)
{
	uint32_t *old, *memory;
	size_t used = bytes_now(&old), bytes = used ? used * 4 : FIRST_BYTES;

	/* A thread that has left records nothing, so it needs no memory. */
	if (!tw_self_producer())
		return false;
	memory = tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tw_sys_failed(memory))
		return false;
	if (used)
		memcpy(memory, old, used);
	else
		memory[0] = TW_PY_BOTTOM;
	tw_py_shadow.top = memory + (used ? used / sizeof(*memory) - 1 : 0);
	tw_py_shadow.limit = memory + bytes / sizeof(*memory) - 1;
	if (used)
		tw_sys_munmap(old, used);
	return true;
}

void tw_py_shadow_begin_native(uint32_t id)
{
	uint32_t *before = tw_py_shadow.top;

	tw_py_shadow_begin(id);
	if (tw_py_shadow.top != before)
		*tw_py_shadow.top |= TW_PY_NATIVE;
}

void tw_py_shadow_end_native(void)
{
	uint32_t token = *tw_py_shadow.top;

	if (token < TW_PY_NATIVE || token == TW_PY_BOTTOM)
		return;
	tw_py_shadow.top--;
	tw_py_zone_end(token & ~TW_PY_NATIVE);
}

void tw_py_shadow_end_slow(void)
{
	while (*tw_py_shadow.top >= TW_PY_NATIVE && *tw_py_shadow.top != TW_PY_BOTTOM)
		tw_py_shadow_end_native();
	if (*tw_py_shadow.top != TW_PY_BOTTOM)
		tw_py_shadow_end();
}

void tw_py_shadow_leave(void)
{
	uint32_t *start;
	size_t bytes = bytes_now(&start);

	tw_py_shadow = (struct tw_py_shadow){.top = &bottom, .limit = &bottom};
	if (bytes)
		tw_sys_munmap(start, bytes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Another preload library: says in its constructor who is there and what it sees. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef BESIDE_NAME
#define BESIDE_NAME "one"
#endif

__attribute__((visibility("default"))) const char *beside_name(void);

/* Both copies export it: whichever comes first in LD_PRELOAD order answers. */
const char *beside_name(void)
{
	return BESIDE_NAME;
}

__attribute__((constructor)) static void announce(void)
{
	const char *(*first)(void) = NULL;
	const char *preload = getenv("LD_PRELOAD");
	char line[4096];
	int n;

	*(void **)&first = dlsym(RTLD_DEFAULT, "beside_name");
	n = snprintf(line, sizeof(line), "%s here, %s is first, LD_PRELOAD=%s\n",
		     BESIDE_NAME, first ? first() : "nobody",
		     preload ? preload : "(unset)");
	if (write(2, line, (size_t)n) != n)
		abort();
}

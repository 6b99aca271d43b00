/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and unloads plugins whose zone names live where another's lived before. */
#include <dlfcn.h>

#include "target.h"

int main(int argc, char **argv)
{
	int sum = 0, flags = RTLD_NOW;

	MUST(argc > 3);
	if (strcmp(argv[3], "deepbind") == 0)
		flags |= RTLD_DEEPBIND;
	for (int i = 0; i < 200; i++) {
		void *handle = dlopen(argv[1 + i % 2], flags);
		int (*run)(void);

		if (!handle)
			fprintf(stderr, "%s\n", dlerror());
		MUST(handle);
		*(void **)&run = dlsym(handle, "plugin_run");
		MUST(run);
		sum += run();
		MUST(dlclose(handle) == 0);
	}
	printf("%d\n", sum);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads and unloads libraries of a folder: `loads FOLDER CASE`. The libraries are made
 * by e2e/t_native_objects.sh, from tests/targets/loaded.cc.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "target.h"

typedef int (*number)(int);

static const char *folder;

static void *open_library(const char *name, int mode)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	handle = dlopen(path, mode);
	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	MUST(handle);
	return handle;
}

static number find(void *handle, const char *name)
{
	number f = (number)dlsym(handle, name);

	MUST(f);
	return f;
}

static void reload(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++) {
		void *handle = open_library("libone.so", i % 2 ? RTLD_LAZY : RTLD_NOW);

		sum += find(handle, "run")(i);
		MUST(dlclose(handle) == 0);
	}
	printf("sum %d\n", sum);
}

/* Two libraries that define the same names, neither seen by the other. */
static void apart(void)
{
	void *one = open_library("libone.so", RTLD_LAZY | RTLD_LOCAL);
	void *two = open_library("libtwo.so", RTLD_LAZY | RTLD_LOCAL);

	for (int i = 0; i < 10; i++)
		MUST(find(one, "run")(0) == 1 && find(two, "run")(0) == 2);
	printf("%d %d\n", find(one, "who")(0), find(two, "who")(0));
}

static void deep(void)
{
	void *one = open_library("libone.so", RTLD_LAZY | RTLD_GLOBAL);
	void *two = open_library("libtwo.so", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);

	printf("%d %d\n", find(one, "run")(0), find(two, "run")(0));
	printf("%d %d\n", find(one, "run")(0), find(two, "run")(0));
}

/* Found by the RUNPATH of the library that asks, not by ours or anybody's. */
static void runpath(void)
{
	void *finder = open_library("libfinder.so", RTLD_LAZY);

	MUST(!dlopen("libhidden.so", RTLD_LAZY));
	printf("%d\n", find(finder, "find_hidden")(5));
	printf("%d\n", find(finder, "find_hidden")(6));
}

static void errors(void)
{
	void *one = open_library("libone.so", RTLD_LAZY);

	printf("missing: %d\n", dlopen("libnowhere.so.9", RTLD_LAZY) == NULL);
	printf("%s\n", dlerror());
	printf("then: %d\n", dlerror() == NULL);
	printf("symbol: %d\n", dlsym(one, "run_not") == NULL);
	printf("%d\n", strstr(dlerror(), "run_not") != NULL);
	printf("found: %d\n", dlsym(one, "run") != NULL);
	printf("then: %d\n", dlerror() == NULL);
	printf("data: %d\n", *(int *)dlsym(one, "run_data"));
	printf("default: %d\n", dlsym(RTLD_DEFAULT, "run_not") == NULL);
	printf("%d\n", strstr(dlerror(), "run_not") != NULL);
}

static void *opened;

static int close_it(int x)
{
	MUST(dlclose(opened) == 0);
	return x + 1;
}

/* The library loses a reference while one of its functions runs. */
static void close_inside(void)
{
	for (int i = 0; i < 20; i++) {
		void *again = open_library("libone.so", RTLD_LAZY);

		opened = open_library("libone.so", RTLD_LAZY);
		MUST(((int (*)(number, int))dlsym(again, "run_other"))(close_it, i) ==
		     i + 1);
		MUST(dlclose(again) == 0);
	}
	printf("closed\n");
}

static void *load_often(void *unused)
{
	for (int i = 0; i < 100; i++) {
		void *handle =
			open_library(i % 3 ? "libone.so" : "libtwo.so", RTLD_NOW);

		MUST(find(handle, "run")(0) == (i % 3 ? 1 : 2));
		dlclose(handle);
	}
	return unused;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		MUST(pthread_create(&t[i], NULL, load_often, NULL) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("joined\n");
}

static void space(void)
{
	char path[4096];
	void *handle, *own;

	snprintf(path, sizeof(path), "%s/libone.so", folder);
	handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	MUST(handle);
	own = dlmopen(LM_ID_BASE, path, RTLD_NOW);
	MUST(own && own != handle);
	printf("%d %d\n", find(handle, "run")(1), find(own, "run")(2));
}

static void indirect(void)
{
	void *one = open_library("libone.so", RTLD_LAZY);

	printf("%d\n", find(one, "run_indirect")(4));
	printf("%d\n", ((number)dlvsym(one, "run_versioned", "OLD"))(0));
	printf("%d\n", ((number)dlvsym(one, "run_versioned", "NEW"))(0));
	printf("%d\n", find(one, "run_versioned")(0));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"reload", reload},   {"apart", apart},	  {"deep", deep},
	{"runpath", runpath}, {"errors", errors}, {"close-inside", close_inside},
	{"threads", threads}, {"space", space},	  {"indirect", indirect},
};

int main(int argc, char **argv)
{
	MUST(argc == 3);
	folder = argv[1];
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(argv[2], cases[i].name) == 0)
			cases[i].run();
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that loads.c loads, chosen by LOADED: BASE is needed by ONE and TWO,
 * which define the same functions; HIDDEN is found only by FINDER's RUNPATH.
 */
#include <dlfcn.h>

extern "C" {
int base_add(int a, int b);
int who(int x);
int run(int x);
extern int run_data;
int run_other(int (*f)(int), int x);
int hidden(int x);
int find_hidden(int x);

#if LOADED == BASE
int base_add(int a, int b)
{
	return a + b;
}
#elif LOADED == HIDDEN
int hidden(int x)
{
	return base_add(x, 100);
}
#elif LOADED == FINDER
int find_hidden(int x)
{
	void *handle = dlopen("libhidden.so", RTLD_LAZY);
	int (*f)(int) = handle ? (int (*)(int))dlsym(handle, "hidden") : nullptr;

	return f ? f(x) : -1;
}
#else /* ONE is 1, TWO is 2 */
int run_data = 42;

/* Called through a slot: another library's may come first. */
int who(int x)
{
	return x + LOADED;
}

int run(int x)
{
	return base_add(who(0), x);
}

int run_other(int (*f)(int), int x)
{
	return f(x);
}

static int quadruple(int x)
{
	return x * 4;
}

typedef int (*number)(int);

number resolve_indirect(void)
{
	return quadruple;
}

int run_indirect(int) __attribute__((ifunc("resolve_indirect")));

int run_old(int x)
{
	return x + 10;
}

int run_new(int x)
{
	return x + 20;
}
__asm__(".symver run_old, run_versioned@OLD");
__asm__(".symver run_new, run_versioned@@NEW");
#endif
}

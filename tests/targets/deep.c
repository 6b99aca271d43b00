/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten thousand zones inside one another, twice. */
#include "target.h"

__attribute__((noinline)) static int dive(int depth)
{
	TRACEWRAP_ZONE("dive");
	return depth > 1 ? dive(depth - 1) + 1 : 1;
}

int main(void)
{
	int n = dive(10000);

	n += dive(10000);
	printf("%d\n", n);
	return 0;
}

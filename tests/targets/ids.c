/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints its identities and whether the loader calls it secure. */
#include <sys/auxv.h>

#include "target.h"

int main(void)
{
	work(1);
	printf("real %u effective %u secure %lu preload %s\n", getuid(), geteuid(),
	       getauxval(AT_SECURE), getenv("LD_PRELOAD"));
	return 0;
}

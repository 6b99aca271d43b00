/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints its arguments and its own idea of its name. */
#include <errno.h>

#include "target.h"

int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("%d=%s\n", i, argv[i]);
	printf("short=%s\n", program_invocation_short_name);
	return argv[argc] != NULL;
}

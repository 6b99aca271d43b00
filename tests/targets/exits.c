/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends with the code of its argument. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	return argc > 1 ? atoi(argv[1]) : 1;
}

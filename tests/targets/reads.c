/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies its input to its output, in capitals. */
#include <ctype.h>

#include "target.h"

int main(void)
{
	int c;

	work(1);
	while ((c = getchar()) != EOF)
		putchar(toupper(c));
	return ferror(stdin) ? 1 : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A parent and two children, all sleeping until a signal reaches the group. */
#include "target.h"

int main(void)
{
	int ready[2];
	char byte;

	MUST(pipe(ready) == 0);
	work(1);
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			work(1);
			MUST(write(ready[1], "x", 1) == 1);
			nap_ms(10000);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		MUST(read(ready[0], &byte, 1) == 1);
	say("ready\n");
	nap_ms(10000);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes its root, then goes on or executes what is in there. */
#include "target.h"

int main(int argc, char **argv)
{
	MUST(argc > 1);
	work(1);
	MUST(chroot(argv[1]) == 0 && chdir("/") == 0);
	work(1);
	if (argc > 2) {
		execv(argv[2], argv + 2);
		_exit(99);
	}
	say("inside\n");
	return 0;
}

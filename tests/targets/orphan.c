/* SPDX-License-Identifier: BSD-3-Clause */
/* The parent ends first; its child goes on and prints. */
#include "target.h"

int main(int argc, char **argv)
{
	const char *done = argc > 1 ? argv[1] : NULL;

	work(1);
	if (fork() > 0)
		return 5;
	for (int i = 0; i < 20; i++) {
		TRACEWRAP_ZONE("orphan");
		nap_ms(10);
	}
	say("orphan done\n");
	if (done)
		close(open(done, O_WRONLY | O_CREAT, 0600));
	return 0;
}

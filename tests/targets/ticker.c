/* SPDX-License-Identifier: BSD-3-Clause */
/* A zone every few milliseconds, N times or until a file is there. */
#include "target.h"

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100, ms = argc > 2 ? atol(argv[2]) : 5, i;
	const char *until = argc > 3 ? argv[3] : NULL;

	/* The line tells a script that the program is well past its start. */
	for (i = 0; i < n; i++) {
		TRACEWRAP_ZONE("tick");
		if (i == 1)
			say("ticking\n");
		nap_ms(ms);
		if (until && access(until, F_OK) == 0)
			break;
	}
	say("done\n");
	return 23;
}

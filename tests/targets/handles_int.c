/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts interrupts, and ends in order after the given number of them. */
#include "target.h"

static volatile sig_atomic_t n_interrupts;

static void handler(int unused)
{
	(void)unused;
	n_interrupts++;
}

int main(int argc, char **argv)
{
	int n_wanted = argc > 1 ? atoi(argv[1]) : 1;

	signal(SIGINT, handler);
	signal(SIGTERM, handler);
	signal(SIGHUP, handler);
	work(1);
	say("ready\n");
	for (int i = 0; i < 500 && n_interrupts < n_wanted; i++)
		nap_ms(10);
	nap_ms(50); /* a second copy of the signal would come now */
	printf("interrupts %d\n", (int)n_interrupts);
	return 31;
}

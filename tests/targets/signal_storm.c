/* SPDX-License-Identifier: BSD-3-Clause */
/* A timer at 10 kHz whose handler emits zones, across zones of the program. */
#include <sys/time.h>

#include "target.h"

#define N_SIGNALS 2000

static volatile sig_atomic_t n_signals;

static void handler(int unused)
{
	int saved = errno;

	(void)unused;
	if (n_signals < N_SIGNALS) {
		TRACEWRAP_ZONE("handler");
		TRACEWRAP_VALUE((uint64_t)n_signals);
		n_signals++;
	}
	errno = saved;
}

int main(void)
{
	struct itimerval every = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	int n = 0;

	MUST(sigaction(SIGALRM, &action, NULL) == 0);
	MUST(setitimer(ITIMER_REAL, &every, NULL) == 0);
	while (n_signals < N_SIGNALS || n < 50000) {
		TRACEWRAP_ZONE("main loop");
		if (n < 50000) {
			TRACEWRAP_ZONE("counted");
			TRACEWRAP_TEXT("text across a signal", 20);
			n++;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("signals %d zones %d\n", (int)n_signals, n);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* siglongjmp out of handlers and longjmp over open zones. */
#include <setjmp.h>

#include "target.h"

static sigjmp_buf from_handler;
static jmp_buf from_zone;

static void handler(int unused)
{
	TRACEWRAP_ZONE("handler");
	(void)unused;
	siglongjmp(from_handler, 1);
}

static void land(void)
{
	longjmp(from_zone, 1);
}

static void (*volatile end_of_leap)(void) = land;

__attribute__((noinline)) static void leap(int depth)
{
	TRACEWRAP_ZONE("leap");
	if (depth > 0)
		leap(depth - 1);
	else
		end_of_leap();
}

int main(void)
{
	volatile int n_handled = 0, n_leapt = 0;

	signal(SIGUSR1, handler);
	for (volatile int i = 0; i < 200; i++) {
		if (sigsetjmp(from_handler, 1) == 0)
			raise(SIGUSR1);
		else
			n_handled++;
	}
	for (volatile int i = 0; i < 200; i++) {
		TRACEWRAP_ZONE("around");
		if (setjmp(from_zone) == 0)
			leap(3);
		else
			n_leapt++;
	}
	work(10);
	printf("%d %d\n", n_handled, n_leapt);
	return 0;
}

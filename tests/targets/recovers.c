/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles its own SIGSEGV and SIGFPE on an alternate stack, and sees its own. */
#include <setjmp.h>

#include "target.h"

static sigjmp_buf back;
static void *volatile fault_address;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	TRACEWRAP_ZONE("handler");
	fault_address = info->si_addr;
	siglongjmp(back, number);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK},
			 seen;
	stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
	volatile int *volatile nowhere = (volatile int *)64;
	volatile int n = 0;

	MUST(sigaltstack(&stack, NULL) == 0);
	MUST(sigaction(SIGSEGV, NULL, &seen) == 0);
	printf("before %d\n", seen.sa_handler == SIG_DFL);
	MUST(sigaction(SIGSEGV, &action, NULL) == 0);
	MUST(sigaction(SIGSEGV, NULL, &seen) == 0);
	printf("after %d flags %x\n", seen.sa_sigaction == handler,
	       (unsigned)seen.sa_flags & ~0x04000000u);
	for (volatile int i = 0; i < 50; i++) {
		TRACEWRAP_ZONE("attempt");
		if (sigsetjmp(back, 1) == 0)
			*nowhere = 1;
		else
			n += fault_address == (void *)64;
	}
	printf("recovered %d\n", n);
	return 0;
}

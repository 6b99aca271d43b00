/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C half of cage.S: called before a seccomp filter goes up through syscall(2), on
 * the thread that asks for it.
 */
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"
#include "self.h"

void *tw_cage_syscall __attribute__((visibility("hidden")));

void tw_cage_see(long number, long operation) __attribute__((visibility("hidden")));

TW_REAL_DECLARE(syscall);

void tw_cage_see(long number, long operation)
{
	tw_cage_syscall = (void *)TW_REAL(syscall);
	if (number == SYS_seccomp && (operation == SECCOMP_SET_MODE_STRICT ||
				      operation == SECCOMP_SET_MODE_FILTER))
		tw_self_cage(operation == SECCOMP_SET_MODE_STRICT);
}

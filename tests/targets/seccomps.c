/* SPDX-License-Identifier: BSD-3-Clause */
/* Forbids itself nearly all system calls, then goes on with zones. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "target.h"

#define ALLOW(number)                                                                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                             \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void filter(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog all = {sizeof(program) / sizeof(*program), program};

	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "strict";
	int n = argc > 2 ? atoi(argv[2]) : 1000;

	work(1);
	if (strcmp(mode, "strict") == 0)
		MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
	else
		filter();
	for (int i = 0; i < n; i++) {
		TRACEWRAP_ZONE("caged");
	}
	say("still here\n");
	syscall(SYS_exit, 15);
	return 99;
}

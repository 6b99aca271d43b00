/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a process inherits or owns beside files: nothing of it may change. */
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "target.h"

static void print_signals(const char *who)
{
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int n = 1; n < 65; n++) {
		struct sigaction a;

		if (n == 32 || n == 33 || sigaction(n, NULL, &a) != 0)
			continue;
		if (a.sa_handler != SIG_DFL || sigismember(&blocked, n))
			printf("%s signal %d %s %s\n", who, n,
			       a.sa_handler == SIG_IGN	 ? "ignored"
			       : a.sa_handler == SIG_DFL ? "default"
							 : "handled",
			       sigismember(&blocked, n) ? "blocked" : "open");
	}
}

static void *other_thread(void *unused)
{
	char name[16] = "";

	(void)unused;
	work(1);
	prctl(PR_GET_NAME, name);
	printf("thread name %s\n", name);
	print_signals("thread");
	return NULL;
}

int main(void)
{
	struct itimerval timer;
	struct rlimit limit;
	stack_t stack;
	pthread_t thread;
	char cwd[4096], name[16] = "";
	mode_t mask = umask(022);

	work(1);
	printf("umask %03o cwd %s\n", mask, getcwd(cwd, sizeof(cwd)));
	for (int r = 0; r < 16; r++)
		if (getrlimit((__rlimit_resource_t)r, &limit) == 0)
			printf("limit %d %llu %llu\n", r,
			       (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	prctl(PR_GET_NAME, name);
	printf("name %s dumpable %d nice %d scheduler %d\n", name,
	       prctl(PR_GET_DUMPABLE), getpriority(PRIO_PROCESS, 0),
	       sched_getscheduler(0));
	getitimer(ITIMER_REAL, &timer);
	printf("timer %ld locale %s rounding %d\n", (long)timer.it_value.tv_sec,
	       setlocale(LC_ALL, NULL), fegetround());
	sigaltstack(NULL, &stack);
	printf("alternate stack %d children %d\n", stack.ss_flags,
	       waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1);
	print_signals("main");
	MUST(pthread_create(&thread, NULL, other_thread, NULL) == 0);
	pthread_join(thread, NULL);
	return 0;
}

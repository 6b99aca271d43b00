/* SPDX-License-Identifier: BSD-3-Clause */
/* See part.h. */
#define _GNU_SOURCE 1 /* asprintf */
#include "export/part.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define N_ENDING (sizeof(ending) / sizeof(ending[0]))

/* A signal handler reads it: there is one part, and one such process. */
static const char *volatile guarded;
static struct sigaction before[N_ENDING];

static void on_signal(int number)
{
	if (guarded)
		unlink(guarded);
	/* It is blocked until we return, and then ends us as if we had not been here.
	 */
	signal(number, SIG_DFL);
	raise(number);
}

char *tw_part_name(const char *path, pid_t pid, int n)
{
	char *name;

	return asprintf(&name, "%s.part-%d-%d", path, (int)pid, n) < 0 ? NULL : name;
}

void tw_part_guard(const char *part)
{
	struct sigaction action = {.sa_handler = on_signal};

	guarded = part;
	for (size_t i = 0; i < N_ENDING; i++) {
		/* Whoever ignores a signal, nohup for one, is not ended by it. */
		if (sigaction(ending[i], NULL, &before[i]) == 0 &&
		    before[i].sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
	}
}

void tw_part_release(void)
{
	if (!guarded)
		return;
	for (size_t i = 0; i < N_ENDING; i++)
		sigaction(ending[i], &before[i], NULL);
	guarded = NULL;
}

void tw_part_sweep(const char *path, pid_t pid)
{
	for (int i = 0; i < TW_PART_NAMES; i++) {
		char *name = tw_part_name(path, pid, i);
		int is_gone = !name || unlink(name) < 0;

		free(name);
		if (is_gone)
			return;
	}
}

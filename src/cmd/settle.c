/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for a recording that is about to end; contract in settle.h.
 */
#include "cmd/settle.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/timeline.h"

#define STEP_US 5000
#define STEPS	66

static bool is_alive(long pid)
{
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static long writer_of(const struct tw_timeline *t)
{
	for (uint32_t i = 0; i < t->n_session; i++) {
		char digits[16] = "";
		struct tw_slice key = t->session[i].key, value = t->session[i].value;

		if (key.n_bytes != 6 || memcmp(key.text, "writer", 6) != 0 ||
		    value.n_bytes >= sizeof(digits))
			continue;
		memcpy(digits, value.text, value.n_bytes);
		return strtol(digits, NULL, 10);
	}
	return 0;
}

static bool has_live_process(const struct tw_timeline *t)
{
	for (uint32_t i = 0; i < t->processes.n; i++) {
		const struct tw_process *p = t->processes.items[i];

		if (p && !p->has_end && is_alive(p->pid))
			return true;
	}
	return false;
}

static bool is_about_to_end(const char *trace)
{
	struct tw_timeline *t;
	struct tw_fault fault;
	bool is_ending;

	if (tw_timeline_open(&t, trace, &fault))
		return false;
	is_ending = !t->is_complete && is_alive(writer_of(t)) && !has_live_process(t);
	tw_timeline_close(t);
	return is_ending;
}

void tw_settle(const char *trace)
{
	for (int i = 0; i < STEPS && is_about_to_end(trace); i++)
		usleep(STEP_US);
}

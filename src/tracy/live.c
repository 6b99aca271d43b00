/* SPDX-License-Identifier: BSD-3-Clause */
/* The live client's life: listen, be found, serve one viewer at a time. See live.h. */
#include "tracy/live.h"

#include <limits.h>

#include "tracy/live_private.h"

#define BEACON_NS 3000000000u

struct live {
	const struct tw_live_job *job;
	struct tw_live_beacon beacon;
	struct tw_live_doors doors;
	int spool; /* kept open: the file may be removed before a viewer comes */
	uint64_t start_ns;
	uint64_t announced_ns; /* 0 = now is the time */
	bool is_over;	       /* nothing more will be written */
	bool is_served;	       /* a viewer has seen the run to its end */
	bool is_called_off;    /* whoever waited for that has gone */
};

static void set_state(struct live *live, enum tw_live_state state)
{
	atomic_store(&live->job->status->state, state);
	tw_sys_futex_wake(&live->job->status->state, INT_MAX);
}

static void announce(struct live *live, uint64_t now)
{
	if (live->announced_ns && now - live->announced_ns < BEACON_NS)
		return;
	live->announced_ns = now;
	tw_live_beacon_send(&live->beacon, live->job, &live->doors,
			    (int32_t)((now - live->start_ns) / 1000000000u));
}

/* The file of this moment: rotation may have replaced the one that was held. */
static void hold_spool(struct live *live)
{
	int fd = tw_sys_open(live->job->path, O_RDONLY, 0);

	if (fd < 0)
		return;
	if (live->spool >= 0)
		tw_sys_close(live->spool);
	live->spool = fd;
}

static void serve(struct live *live)
{
	int peer = tw_live_accept(&live->doors);

	if (peer < 0)
		return;
	tw_live_beacon_send(&live->beacon, live->job, &live->doors, -1);
	set_state(live, TW_LIVE_SERVING);
	if (tw_live_serve(live->job, peer, &live->doors, live->spool, &live->is_over))
		live->is_served = true;
	set_state(live, TW_LIVE_WAITING);
	live->announced_ns = 0;
}

static bool should_wait(const struct live *live)
{
	return !live->is_over ||
	       (live->job->is_staying && !live->is_served && !live->is_called_off);
}

/* Until something happens; then acts on it. */
static void wait(struct live *live)
{
	const struct tw_live_job *job = live->job;
	bool has_waiter = job->has_waiter && atomic_load(job->has_waiter);
	struct pollfd fds[2 + TW_LIVE_KNOCKS] = {
		{.fd = live->is_over ? -1 : job->wake, .events = POLLIN},
		{.fd = has_waiter ? job->waiter : -1, .events = POLLIN},
	};
	unsigned n_knocks = tw_live_watch(&live->doors, fds + 2);

	announce(live, tw_clock_raw_ns());
	/* Who cannot even listen must not stay and keep a processor busy. */
	if (tw_net_poll(fds, 2 + n_knocks, BEACON_NS) < 0)
		live->is_over = live->is_called_off = true;
	if (fds[0].revents)
		live->is_over = true;
	if (fds[1].revents)
		live->is_called_off = true;
	hold_spool(live);
	/* Also at the end: who knocked before it is let in. */
	if (tw_live_has_knocked(fds + 2, n_knocks))
		serve(live);
}

void tw_live_run(const struct tw_live_job *job)
{
	struct live live = {
		.job = job,
		.spool = -1,
		.start_ns = tw_clock_raw_ns(),
		.is_over = job->wake < 0,
	};

	if (tw_live_listen(job, &live.doors) == 0) {
		atomic_store(&job->status->port, live.doors.at[0].port);
		tw_live_beacon_open(&live.beacon, job->is_wide);
		set_state(&live, TW_LIVE_WAITING);
		while (should_wait(&live))
			wait(&live);
		tw_live_beacon_send(&live.beacon, job, &live.doors, -1);
	}
	set_state(&live, TW_LIVE_OVER);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keeper process; contract in keeper.h. Single-threaded: turns of the pump, orders
 * in between. Blocks all signals and leads a session of its own: a Ctrl-C or a kill of
 * the program's group is not meant for it.
 */
#include "cmd/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/live.h"
#include "core/sys.h"

#define BIRTH_NS 200000000u

/* The keeper's end of the socket; a process has one keeper at most. */
static int line = -1;

static struct tw_live_child live;

/*
 * Lets go of all but two: other people's pipes must not stay open through us. In place,
 * because the limit on descriptors may be as low as the program can bear.
 */
static void keep_descriptors(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	unsigned ranges[][2] = {{0, (unsigned)low - 1},
				{(unsigned)low + 1, (unsigned)high - 1},
				{(unsigned)high + 1, ~0u}};

	for (int i = 0; i < 3; i++) {
		if (ranges[i][0] > ranges[i][1] ||
		    tw_sys6(SYS_close_range, ranges[i][0], ranges[i][1], 0, 0, 0, 0) ==
			    0)
			continue;
		for (unsigned fd = ranges[i][0]; fd <= ranges[i][1] && fd < 65536; fd++)
			close((int)fd);
	}
	for (int i = 0; i < 3; i++)
		if (open("/dev/null", O_RDWR) < 0)
			break;
}

static void tell_news(struct tw_pump *pump, int error, bool is_finished)
{
	struct tw_keeper_news news = {
		.error = error,
		.write_error = pump->spool.error,
		.is_finished = is_finished,
		.keeper_pid = getpid(),
		.spool_bytes = pump->spool.size,
		.n_events_saved = pump->spool.n_events,
		.n_rotated_events = pump->spool.n_rotated_events,
		.n_refused = atomic_load(&pump->view.arena->n_refused),
		.live_port = live.pid ? atomic_load(&live.status->port) : 0,
		.has_viewer =
			live.pid && atomic_load(&live.status->state) == TW_LIVE_SERVING,
		.totals = pump->totals,
	};

	while (send(line, &news, sizeof(news), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

enum mood {
	MOOD_WORKING, /* the program runs */
	MOOD_LAST,    /* it ended: stop when nobody is left, or stay behind */
	MOOD_ALONE,   /* nobody listens: stop when nobody is left */
};

/* Takes one order if there is one. */
static enum mood obey(struct tw_pump *pump, enum mood mood)
{
	struct pollfd p = {.fd = line, .events = POLLIN};
	struct tw_keeper_order order;

	if (mood == MOOD_ALONE || poll(&p, 1, 0) <= 0)
		return mood;
	/* End of file: whoever started us was killed. The program goes on, and so do
	 * we. */
	if (read(line, &order, sizeof(order)) != (ssize_t)sizeof(order)) {
		pump->awaited_pid = 0;
		return MOOD_ALONE;
	}
	if (order.kind == TW_ORDER_TOGGLE) {
		tw_pump_set_gate(pump, !atomic_load(&pump->view.arena->gate));
		return mood;
	}
	if (WIFSIGNALED(order.status))
		tw_pump_tell_ended(pump, order.pid, TW_END_SIGNALLED,
				   WTERMSIG(order.status));
	else
		tw_pump_tell_ended(pump, order.pid, TW_END_EXITED,
				   WEXITSTATUS(order.status));
	pump->awaited_pid = 0;
	tw_pump_turn(pump, true);
	return MOOD_LAST;
}

/* A child that was just made has not joined yet: give it a moment. */
static bool somebody_is_left(struct tw_pump *pump)
{
	uint64_t deadline = tw_clock_raw_ns() + BIRTH_NS;

	while (tw_pump_count_live(pump) == 0) {
		if (atomic_load(&pump->view.arena->n_births) <= 0 ||
		    tw_clock_raw_ns() > deadline)
			return false;
		tw_sys_sleep_ns(BIRTH_NS / 200);
	}
	return true;
}

static enum mood work(struct tw_pump *pump, bool is_waiting)
{
	enum mood mood = MOOD_WORKING;

	for (;;) {
		bool has_more = tw_pump_turn(pump, false);

		mood = obey(pump, mood);
		if (mood != MOOD_WORKING && !somebody_is_left(pump))
			break;
		if (mood == MOOD_LAST && !is_waiting) {
			tell_news(pump, 0, false);
			mood = MOOD_ALONE;
		}
		if (!has_more)
			tw_pump_sleep(pump);
	}
	tw_pump_finish(pump);
	if (mood != MOOD_ALONE)
		tell_news(pump, 0, true);
	tw_live_child_end(&live, mood == MOOD_ALONE ? -1 : line);
	return mood;
}

static void keeper_main(const struct tw_keeper_job *job)
{
	struct tw_pump *pump = tw_pump_new();
	int error = -ENOMEM;
	bool is_alone;

	setsid();
	prctl(PR_SET_NAME, "tracewrap-keep");
	if (pump) {
		pump->awaited_pid = job->program_pid;
		atomic_store(&job->view->arena->pump_pid, getpid());
		error = tw_pump_start(pump, job->view, job->outputs->spool,
				      job->config->is_forced, job->config,
				      job->session);
		if (!error)
			tw_live_child_start(&live, job->view->arena, job->config,
					    job->outputs->spool, job->session->command);
		tell_news(pump, error, false);
	}
	/* Whoever waits for us makes the other outputs; left alone, we do. */
	is_alone = !error && work(pump, job->config->is_waiting) == MOOD_ALONE;
	if (is_alone)
		error = tw_outputs_export(job->outputs, job->config);
	if (is_alone && !error)
		tw_outputs_remove_spool(job->outputs);
	if (job->arena_file)
		unlink(job->arena_file);
	_exit(error ? 1 : 0);
}

int tw_keeper_fork(struct tw_keeper *keeper, const struct tw_keeper_job *job)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	keeper->pid = fork();
	if (keeper->pid < 0)
		return -errno;
	if (keeper->pid == 0) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		line = ends[1];
		keep_descriptors(job->arena_fd, line);
		keeper_main(job);
	}
	close(ends[1]);
	keeper->line = ends[0];
	return 0;
}

bool tw_keeper_hear(struct tw_keeper *keeper, struct tw_keeper_news *news)
{
	ssize_t n;

	do {
		n = read(keeper->line, news, sizeof(*news));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*news);
}

void tw_keeper_tell(struct tw_keeper *keeper, const struct tw_keeper_order *order)
{
	while (send(keeper->line, order, sizeof(*order), MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

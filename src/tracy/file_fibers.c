/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of fibers in a `.tracy` file that is being made: when a fiber ran on which
 * thread. Viewers keep them with context switches, with a reason of their own.
 */
#include <endian.h>
#include <errno.h>

#include "tracy/file_plan.h"

#define AT_ONCE 64u

struct run {
	uint64_t begin_ns, end_ns;
	uint64_t thread; /* id */
};

/* Fibers come one after the other, so that the runs of each lie together. */
static void put_run(struct tw_tracy_plan *plan, struct tw_tracy_thread *fiber,
		    uint64_t end_ns)
{
	struct run run = {fiber->run_begin_ns, end_ns, fiber->run_thread};

	tw_scratch_put(&plan->runs, &run, sizeof(run));
	fiber->n_runs++;
	fiber->is_running = false;
}

int tw_tracy_run_add(struct tw_tracy_plan *plan, const struct tw_event *event)
{
	struct tw_tracy_thread *fiber = &plan->threads[event->thread->number];
	uint64_t ns = tw_tracy_time(event->ns);

	if (fiber->n_runs == 0 && !fiber->is_running)
		fiber->first_run = plan->runs.n_bytes;
	if (event->kind == TW_EVENT_FIBER_LEAVE) {
		if (fiber->is_running)
			put_run(plan, fiber, ns);
		else
			plan->n_left_out++;
		return plan->runs.error;
	}
	if (fiber->is_running) {
		plan->n_mended++;
		put_run(plan, fiber, ns);
	}
	fiber->is_running = true;
	fiber->run_begin_ns = ns;
	fiber->run_thread = 0;
	if (tw_table_get(&plan->timeline->threads, event->id)) {
		fiber->run_thread = plan->threads[event->id].id;
		plan->threads[event->id].is_referred_to = true;
	}
	return plan->runs.error;
}

void tw_tracy_run_finish(struct tw_tracy_plan *plan, const struct tw_thread *thread)
{
	struct tw_tracy_thread *fiber = &plan->threads[thread->number];

	if (fiber->is_running)
		put_run(plan, fiber, tw_tracy_time(thread->last_ns));
}

static void write_run(struct tw_tracy_out *out, const struct run *run, uint64_t ns)
{
	tw_tracy_u64(out, run->begin_ns - ns); /* woken up */
	tw_tracy_u64(out, 0);		       /* runs, ... */
	tw_tracy_u64(out, run->end_ns - run->begin_ns);
	tw_tracy_u8(out, 0); /* ... on processor 0 */
	tw_tracy_u8(out, TW_TRACY_REASON_FIBER);
	tw_tracy_u8(out, 0xff); /* no state */
	tw_tracy_u64(out, run->thread);
	if (tw_tracy_has(out, TW_TRACY_HAS_WAKEUP_CPU))
		tw_tracy_u8(out, 0);
}

static int write_fiber(struct tw_tracy_plan *plan, const struct tw_tracy_thread *fiber,
		       struct tw_tracy_out *out)
{
	uint64_t offset = fiber->first_run, ns = 0;
	struct run runs[AT_ONCE];

	tw_tracy_u64(out, fiber->id);
	tw_tracy_u64(out, fiber->n_runs);
	for (uint64_t left = fiber->n_runs; left > 0;) {
		size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;
		int error =
			tw_scratch_get(&plan->runs, offset, runs, n * sizeof(runs[0]));

		if (error)
			return error;
		for (size_t i = 0; i < n; i++) {
			write_run(out, &runs[i], ns);
			ns = runs[i].end_ns;
		}
		offset += n * sizeof(runs[0]);
		left -= n;
	}
	return 0;
}

int tw_tracy_write_runs(struct tw_tracy_plan *plan, struct tw_tracy_out *out)
{
	uint32_t n_threads = plan->timeline->threads.n;
	uint64_t n = 0;
	int error = 0;

	for (uint32_t i = 0; i < n_threads; i++)
		n += plan->threads[i].n_runs != 0;
	tw_tracy_u64(out, n);
	for (uint32_t i = 0; i < n_threads && !error; i++)
		if (plan->threads[i].n_runs)
			error = write_fiber(plan, &plan->threads[i], out);
	return error;
}

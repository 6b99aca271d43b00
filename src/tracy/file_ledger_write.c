/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger (file_ledger.h) of a trace that becomes a `.tracy` file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracy/file_ledger.h"

#define PUT(l, tag, ...) tw_ledger_put(l, tag, (uint64_t[]){__VA_ARGS__}, NULL)

static uint64_t ticks_of(uint64_t ns)
{
	return tw_tracy_time(ns) + 1;
}

static void put_clock(struct tw_ledger *l, const struct tw_timeline *t)
{
	uint64_t kind = t->clock.is_assumed ? TW_CLOCK_KIND_COUNTER : TW_CLOCK_KIND_RAW;
	uint64_t end = ticks_of(t->end_ns);

	PUT(l, TW_META_CLOCK, 1, 1, t->start_wall_ns, kind);
	/* One anchor alone says that the clock's rate was a guess. */
	if (!t->clock.is_assumed && end > 1)
		PUT(l, TW_META_CLOCK, end, end, t->start_wall_ns + end - 1, kind);
}

static void put_process(struct tw_ledger *l, const struct tw_process *p)
{
	const struct tw_slice texts[] = {p->program, p->command};
	const uint64_t numbers[] = {p->number, p->pid, p->ppid,
				    p->start_ticks ? ticks_of(p->start_ns) : 0,
				    p->parent};

	tw_ledger_put(l, TW_META_PROCESS, numbers, texts);
	if (p->has_end)
		PUT(l, TW_META_PROCESS_END, p->number, ticks_of(p->end_ns), p->end,
		    p->code);
}

static void put_thread(struct tw_ledger *l, const struct tw_thread *thread,
		       const struct tw_tracy_thread *to)
{
	if (!thread->is_guessed)
		PUT(l, TW_META_THREAD, thread->number, thread->process->number,
		    thread->tid, ticks_of(thread->start_ns), thread->kind,
		    thread->device);
	PUT(l, TW_LEDGER_THREAD_ID, thread->number, to->id);
	if (thread->name.n_bytes)
		tw_ledger_put(l, TW_META_THREAD_NAME, (uint64_t[]){thread->number},
			      &thread->name);
	if (thread->has_end)
		PUT(l, TW_META_THREAD_END, thread->number, ticks_of(thread->end_ns));
	if (to->n_open)
		PUT(l, TW_LEDGER_OPEN, thread->number, to->n_zones, to->n_open);
	if (thread->n_stalls)
		PUT(l, TW_META_STALL, thread->number, thread->stall_ns,
		    thread->n_stalls);
}

/*
 * A timeline knows what each thread lost and what was lost for each reason, not both at
 * once: shared out so that both sums come out right.
 */
static void put_losses(struct tw_ledger *l, const struct tw_timeline *t)
{
	uint64_t left[TW_LOSS_COUNT + 1];

	memcpy(left, t->lost, sizeof(left));
	for (uint32_t i = 0; i < t->threads.n; i++) {
		const struct tw_thread *thread = t->threads.items[i];
		uint64_t n = thread ? thread->n_lost : 0;

		for (uint32_t reason = 0; reason <= TW_LOSS_COUNT && n; reason++) {
			uint64_t part = n < left[reason] ? n : left[reason];

			if (part == 0 || reason == TW_LOSS_TEXT_CUT)
				continue;
			PUT(l, TW_META_LOST, i, reason, part);
			left[reason] -= part;
			n -= part;
		}
	}
	for (uint32_t reason = 0; reason <= TW_LOSS_COUNT; reason++)
		if (left[reason])
			PUT(l, TW_META_LOST, 0, reason, left[reason]);
	if (t->rotated_blocks || t->rotated_events)
		PUT(l, TW_META_ROTATED, t->rotated_blocks, t->rotated_events,
		    t->rotated_bytes);
}

static void put_note(struct tw_ledger *l, uint64_t n, const char *what)
{
	char text[160];

	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " %s", n, what);
	tw_ledger_put(l, TW_META_NOTE, NULL, &(struct tw_slice){text, strlen(text)});
}

/* What viewers show of the file, but our own import does not read back yet. */
static void put_left_out(struct tw_ledger *l, const struct tw_tracy_plan *plan)
{
	const struct tw_walk_counts *c = &plan->result->counts;
	const struct tw_table *threads = &plan->timeline->threads;
	uint64_t n_tracks = 0;

	for (uint32_t i = 0; i < threads->n; i++) {
		const struct tw_thread *thread = threads->items[i];

		n_tracks += thread && thread->kind == TW_THREAD_DEVICE_TRACK;
	}
	put_note(l, n_tracks,
		 "tracks of devices: viewers show their zones, a report only from a "
		 ".tw");
	put_note(l, c->n_fiber_runs,
		 "switches to fibers: viewers show them, an export only from a .tw");
	put_note(l, c->n_locks,
		 "events of locks: viewers show them, an export only from a .tw");
	put_note(l, c->n_memory,
		 "allocations and frees: viewers show them, an export only from a .tw");
	put_note(l, c->n_stacks,
		 "call stacks: viewers show them, an export only from a .tw");
}

/* What a report of the trace would count; the file itself is whole. */
static void put_oddities(struct tw_ledger *l, const struct tw_tracy_plan *plan)
{
	const struct tw_walk_counts *c = &plan->result->counts;
	const struct tw_timeline *t = plan->timeline;
	const struct tw_spool_damage *damage = tw_spool_damage(t->spool);
	uint64_t n_open = c->n_open; /* those that the ledger does not tell */

	for (uint32_t i = 0; i < t->threads.n; i++)
		n_open -= t->threads.items[i] ? plan->threads[i].n_open : 0;
	put_note(l, n_open,
		 "zones had no end in the trace: they end at the last known time");
	put_note(l, c->n_truncated,
		 "zones had no begin in the trace: not in this file");
	put_note(l, c->n_unmatched, "ends without a zone were in the trace");
	put_note(l, c->n_too_deep, "zones nested too deep: not in this file");
	put_note(l, c->n_unknown + t->n_bad_records,
		 "records of the trace could not be read");
	put_note(l, damage->n_places + damage->is_header + t->n_bad_blocks,
		 "places of the trace were damaged");
	put_note(l, damage->tail_bytes, "bytes at the end of the trace were cut off");
	put_note(l, plan->n_left_out + plan->strings.n_left_out,
		 "texts and points have no place in a .tracy file");
}

static void put_session(struct tw_ledger *l, const struct tw_tracy_plan *plan)
{
	const struct tw_timeline *t = plan->timeline;

	for (uint64_t i = 0; i < t->n_notes && i < TW_NOTES_KEPT; i++)
		tw_ledger_put(l, TW_META_NOTE, NULL, &t->notes[i]);
	for (uint32_t i = 0; i < t->n_session; i++)
		tw_ledger_put(
			l, TW_META_SESSION, NULL,
			(struct tw_slice[]){t->session[i].key, t->session[i].value});
	put_oddities(l, plan);
	put_left_out(l, plan);
	if (t->is_complete)
		PUT(l, TW_META_FINISH, ticks_of(t->end_ns));
}

static void put_series(struct tw_ledger *l, const struct tw_tracy_plan *plan,
		       const struct tw_tracy_series_set *set)
{
	for (uint32_t i = 0; i < set->n; i++) {
		const struct tw_tracy_series *s = &set->series[i];
		char buffer[TW_TRACY_TEXT_MAX + 1];
		const struct tw_slice names[] = {
			tw_tracy_series_text(plan, set, s, buffer),
			tw_timeline_string(plan->timeline, s->name)};

		if (s->n)
			tw_ledger_put(l, TW_LEDGER_SERIES,
				      (uint64_t[]){set == &plan->frames, s->process},
				      names);
	}
}

static int on_mark(void *context, uint64_t ns, struct tw_slice text)
{
	tw_ledger_put(context, TW_META_MARK, (uint64_t[]){ticks_of(ns)}, &text);
	return 0;
}

static int on_gate(void *context, uint64_t ns, bool is_on)
{
	PUT(context, TW_META_GATE, ticks_of(ns), is_on);
	return 0;
}

int tw_ledger_write(struct tw_tracy_plan *plan)
{
	struct tw_timeline *t = plan->timeline;
	struct tw_ledger *l = calloc(1, sizeof(*l));
	struct tw_visitor marks = {.context = l, .mark = on_mark, .gate = on_gate};
	uint64_t n_bad = t->n_bad_blocks;
	int error = 0;

	if (!l)
		return tw_fault_no_memory(plan->fault);
	l->strings = &plan->strings;
	put_clock(l, t);
	for (uint32_t i = 0; i < t->processes.n; i++)
		if (t->processes.items[i])
			put_process(l, t->processes.items[i]);
	for (uint32_t i = 0; i < t->threads.n; i++)
		if (t->threads.items[i])
			put_thread(l, t->threads.items[i], &plan->threads[i]);
	put_losses(l, t);
	put_series(l, plan, &plan->plots);
	put_series(l, plan, &plan->frames);
	put_session(l, plan);
	if (t->n_marks || t->n_gates)
		error = tw_timeline_each(t, &marks, plan->fault);
	t->n_bad_blocks = n_bad;
	tw_ledger_flush(l);
	free(l);
	return error;
}

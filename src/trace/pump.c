/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pump's turns: who is new, what is in the rings, who is gone, what was asked for
 * from outside. Contract in pump.h.
 */
#include "trace/pump.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "config.h"
#include "core/intern.h"
#include "core/sys.h"
#include "core/text.h"
#include "trace/pump_internal.h"

#define ANCHOR_NS 1000000000u /* clocks are tied together so often */
#define LOOK_NS	  20000000u   /* dead processes are looked for so often */
#define COUNT_NS  500000000u  /* loss counters are written so often */
#define SLEEP_NS  10000000u   /* the longest nap: others take our beat for our pulse */

struct tw_pump *tw_pump_new(void)
{
	void *memory = tw_sys_mmap(sizeof(struct tw_pump), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return tw_sys_failed(memory) ? NULL : memory;
}

static void write_anchor(struct tw_pump *pump, uint64_t now)
{
	enum tw_clock_kind kind = pump->view.arena->clock_kind;
	struct tw_clock_anchor anchor = tw_clock_anchor_take(kind);

	tw_spool_clock(&pump->spool, &anchor, kind);
	pump->anchored_ns = now;
}

static void write_key(struct tw_pump *pump, const char *key, const char *value,
		      size_t bytes)
{
	struct tw_span texts[2] = {{key, strlen(key)}, {value, bytes}};

	if (value)
		tw_spool_meta(&pump->spool, TW_META_SESSION, NULL, 0, texts, 2);
}

/* The machine, in the words of a Tracy viewer's information. */
static void write_host(struct tw_pump *pump)
{
	struct utsname host;
	char text[512];
	struct tw_text t = tw_text_in(text, sizeof(text));

	if (tw_sys6(SYS_uname, (long)&host, 0, 0, 0, 0, 0) != 0)
		return;
	tw_text_add(&t, "OS: ");
	tw_text_add(&t, host.sysname);
	tw_text_add(&t, " ");
	tw_text_add(&t, host.release);
	tw_text_add(&t, "\nHost: ");
	tw_text_add(&t, host.nodename);
	tw_text_add(&t, "\nArch: ");
	tw_text_add(&t, host.machine);
	tw_text_add(&t, "\n");
	write_key(pump, "host", text, t.used);
}

int tw_pump_start(struct tw_pump *pump, const struct tw_view *view, const char *path,
		  bool is_forced, const struct tw_config *config,
		  const struct tw_pump_session *session)
{
	char digits[24];
	struct tw_text writer = tw_text_in(digits, sizeof(digits));
	uint64_t now = tw_clock_raw_ns();
	int error;

	pump->view = *view;
	if (!pump->control)
		pump->control = &view->arena->control;
	error = tw_spool_create(&pump->spool, path, is_forced, config->max_bytes,
				view->arena->session);
	if (error)
		return error;
	pump->spool.pulse = &view->arena->beat;
	tw_spool_clock(&pump->spool, &view->arena->born, view->arena->clock_kind);
	write_anchor(pump, now);
	tw_text_add_u64(&writer, (uint64_t)tw_sys_getpid());
	write_key(pump, "writer", digits, writer.used);
	write_key(pump, "version", PACKAGE_VERSION, strlen(PACKAGE_VERSION));
	write_key(pump, "command", session->command, session->command_bytes);
	write_host(pump);
	if (session->cwd)
		write_key(pump, "cwd", session->cwd, strlen(session->cwd));
	pump->duration_ns = config->duration_ns;
	if (config->delay_ns && !config->is_disabled)
		pump->gate_open_at_ns = now + config->delay_ns;
	else if (config->duration_ns && !config->is_disabled)
		pump->gate_close_at_ns = now + config->duration_ns;
	/* A second anchor soon: a killed writer must leave a usable clock. */
	pump->anchored_ns = now - ANCHOR_NS + 5000000;
	pump->flushed = atomic_load(&view->arena->flush_request);
	tw_spool_flush(&pump->spool);
	return 0;
}

void tw_pump_set_gate(struct tw_pump *pump, bool is_open)
{
	struct tw_arena *arena = pump->view.arena;
	uint64_t now = tw_clock_raw_ns();

	if (atomic_exchange(&arena->gate, is_open) == is_open)
		return;
	pump->gate_open_at_ns = 0;
	pump->gate_close_at_ns =
		is_open && pump->duration_ns ? now + pump->duration_ns : 0;
	tw_spool_meta(&pump->spool, TW_META_GATE,
		      (uint64_t[]){tw_clock_ticks(arena->clock_kind), is_open}, 2, NULL,
		      0);
}

static void take_mark(struct tw_pump *pump)
{
	struct tw_mark *mark = &pump->control->mark;
	struct tw_span text = {.text = mark->text};

	if (atomic_load_explicit(&mark->state, memory_order_acquire) != 2)
		return;
	text.bytes = mark->bytes < TW_MARK_MAX ? mark->bytes : TW_MARK_MAX;
	tw_spool_meta(&pump->spool, TW_META_MARK, (uint64_t[]){mark->ticks}, 1, &text,
		      1);
	atomic_store_explicit(&mark->state, 0, memory_order_release);
}

/* Timers, ctl requests and marks. */
static void obey(struct tw_pump *pump, uint64_t now)
{
	struct tw_control *inside = &pump->view.arena->control;
	uint32_t request = atomic_load(&pump->control->gate_request);

	if (pump->gate_open_at_ns && now >= pump->gate_open_at_ns)
		tw_pump_set_gate(pump, true);
	if (pump->gate_close_at_ns && now >= pump->gate_close_at_ns)
		tw_pump_set_gate(pump, false);
	if (!request)
		request =
			atomic_load(&inside->gate_request); /* --signal, from inside */
	if (request) {
		tw_pump_set_gate(pump, request == 1);
		atomic_store(&inside->gate_request, 0);
		atomic_store(&pump->control->gate_request, 0);
	}
	take_mark(pump);
}

static void write_notes(struct tw_pump *pump)
{
	struct tw_arena *arena = pump->view.arena;
	uint64_t lost = atomic_load(&arena->names_lost);

	for (uint32_t i = 0; i < TW_NOTES_MAX; i++) {
		struct tw_span text;
		uint32_t bytes;

		if (pump->note_counts[i] || !atomic_load(&arena->notes[i].count))
			continue;
		text.text = tw_string_get(arena, atomic_load(&arena->notes[i].text),
					  &bytes);
		if (!text.text)
			continue;
		text.bytes = bytes;
		tw_spool_meta(&pump->spool, TW_META_NOTE, NULL, 0, &text, 1);
		pump->note_counts[i] = 1;
	}
	if (lost != pump->names_lost) {
		tw_spool_meta(
			&pump->spool, TW_META_LOST,
			(uint64_t[]){0, TW_LOSS_NAMES_FULL, lost - pump->names_lost}, 3,
			NULL, 0);
		pump->totals.lost[TW_LOSS_NAMES_FULL] += lost - pump->names_lost;
		pump->names_lost = lost;
	}
}

/* All threads once; returns true when a ring has more. */
static bool visit_threads(struct tw_pump *pump, bool is_forced, bool is_counting)
{
	struct tw_arena *arena = pump->view.arena;
	uint32_t n = atomic_load(&arena->next_thread);
	bool has_more = false;

	for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
		struct tw_ring *ring = tw_arena_thread(arena, i);
		uint32_t state =
			atomic_load_explicit(&ring->state, memory_order_acquire);

		if (state != TW_SLOT_LIVE && state != TW_SLOT_DEAD)
			continue;
		tw_pump_meet_thread(pump, i);
		if (!pump->threads[i].number)
			continue;
		if (state == TW_SLOT_DEAD) {
			if (tw_pump_thread_is_read(pump, i))
				tw_pump_bury_thread(pump, i);
			continue;
		}
		has_more |= tw_pump_drain(pump, i, is_forced, false);
		pump->is_waiting |= pump->threads[i].waiting_ns != 0;
		if (is_counting)
			tw_pump_count(pump, i);
	}
	return has_more;
}

/*
 * Locks and memory are put in order across threads by whoever shows them: up to where
 * all rings were seen empty, nothing earlier can come. Written when there are such
 * events only.
 */
static void write_horizon(struct tw_pump *pump, uint64_t ticks)
{
	struct tw_arena *arena = pump->view.arena;
	uint32_t n = atomic_load(&arena->next_thread);

	if (pump->serial_ticks <= pump->horizon_ticks)
		return;
	for (uint32_t i = 0; i < n && i < TW_THREADS_MAX; i++) {
		const struct tw_pump_thread *t = &pump->threads[i];

		if (t->n_units && t->clean_ticks < ticks)
			ticks = t->clean_ticks;
	}
	if (ticks <= pump->horizon_ticks)
		return;
	pump->horizon_ticks = ticks;
	tw_spool_meta(&pump->spool, TW_META_HORIZON, (uint64_t[]){ticks}, 1, NULL, 0);
}

bool tw_pump_turn(struct tw_pump *pump, bool is_forced)
{
	struct tw_arena *arena = pump->view.arena;
	uint64_t now = tw_clock_raw_ns();
	uint32_t flush = atomic_load(&arena->flush_request);
	bool is_flushing = is_forced || flush != pump->flushed;
	bool is_counting = is_forced || now - pump->counted_ns > COUNT_NS;
	uint64_t ticks = tw_clock_ticks(arena->clock_kind), n_slots;
	bool has_more;

	atomic_fetch_add(&arena->beat, 1);
	if (atomic_load(&arena->is_pump_gone))
		atomic_store(&arena->is_pump_gone, 0);
	tw_pump_meet_processes(pump);
	obey(pump, now);
	if (is_counting) {
		pump->counted_ns = now;
		write_notes(pump);
	}
	do {
		/* A fiber's runs are read in order: one ring may wait for others. */
		bool was_waiting = pump->is_waiting;

		n_slots = pump->n_slots;
		pump->is_waiting = false;
		has_more = visit_threads(pump, is_flushing || was_waiting, is_counting);
		atomic_fetch_add(&arena->beat, 1);
	} while ((has_more && is_flushing) ||
		 (pump->is_waiting && pump->n_slots != n_slots));
	write_horizon(pump, ticks);
	if (is_forced || now - pump->looked_ns > LOOK_NS) {
		pump->looked_ns = now;
		tw_pump_look_for_dead(pump);
	}
	if (now - pump->anchored_ns > ANCHOR_NS) {
		write_anchor(pump, now);
		tw_spool_flush(&pump->spool);
	}
	if (flush != pump->flushed) {
		tw_spool_flush(&pump->spool);
		pump->flushed = flush;
		atomic_store(&arena->flush_answer, flush);
		tw_sys_futex_wake(&arena->flush_answer, 1 << 20);
	}
	return has_more;
}

void tw_pump_sleep(struct tw_pump *pump)
{
	struct tw_arena *arena = pump->view.arena;
	uint32_t kick;

	atomic_store(&arena->is_pump_asleep, 1);
	kick = atomic_load(&arena->kick);
	/* A kick between turn and sleep changes the word before we look or wakes us
	 * after. */
	if (kick == pump->kick_seen)
		tw_sys_futex_wait(&arena->kick, kick, SLEEP_NS);
	atomic_store(&arena->is_pump_asleep, 0);
	pump->kick_seen = atomic_load(&arena->kick);
}

void tw_pump_tell_ended(struct tw_pump *pump, int pid, enum tw_end end, int code)
{
	tw_pump_meet_processes(pump);
	for (uint32_t i = 0; i < TW_PROCS_MAX; i++) {
		struct tw_pump_proc *p = &pump->procs[i];

		if (!p->number || p->pid != pid || p->is_ended)
			continue;
		p->is_ended = 1;
		p->end = (uint8_t)end;
		p->code = code;
	}
}

uint32_t tw_pump_count_live(struct tw_pump *pump)
{
	tw_pump_meet_processes(pump);
	tw_pump_look_for_dead(pump);
	return pump->totals.n_live;
}

void tw_pump_finish(struct tw_pump *pump)
{
	struct tw_arena *arena = pump->view.arena;
	uint32_t n;

	tw_pump_turn(pump, true);
	n = atomic_load(&arena->next_proc);
	/* Whoever still runs is recorded up to here. */
	atomic_store(&arena->gate, 0);
	for (uint32_t i = 0; i < n && i < TW_PROCS_MAX; i++)
		if (pump->procs[i].number)
			tw_pump_bury_process(pump, i);
	atomic_store(&arena->is_pump_gone, 1);
	write_notes(pump);
	write_anchor(pump, tw_clock_raw_ns());
	pump->totals.lost[TW_LOSS_DISK] += pump->spool.n_events_unsaved;
	if (pump->spool.n_events_unsaved)
		tw_spool_meta(
			&pump->spool, TW_META_LOST,
			(uint64_t[]){0, TW_LOSS_DISK, pump->spool.n_events_unsaved}, 3,
			NULL, 0);
	tw_spool_finish(&pump->spool, tw_clock_ticks(arena->clock_kind));
}

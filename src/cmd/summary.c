/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exit summary; contract in summary.h. One write to stderr, so that lines of a
 * daemon that the program left behind do not mix in.
 */
#include "cmd/summary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/intern.h"
#include "core/pattern.h"
#include "core/ring.h"
#include "core/sys.h"
#include "report/units.h"

#define LINES_MAX   12
#define MEASURED    1000u
#define ROUNDS	    2u
#define NOTES_SHOWN 3u

struct page {
	char text[8192];
	size_t used;
	unsigned n_lines;
};

static void line(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void line(struct page *page, const char *format, ...)
{
	size_t room = sizeof(page->text) - page->used;
	va_list list;
	int n;

	if (page->n_lines >= LINES_MAX || room < 256)
		return;
	n = snprintf(page->text + page->used, room, "tracewrap: ");
	page->used += (size_t)n;
	room = sizeof(page->text) - page->used;
	va_start(list, format);
	n = vsnprintf(page->text + page->used, room - 1, format, list);
	va_end(list);
	if (n < 0)
		return;
	page->used += (size_t)n < room - 1 ? (size_t)n : room - 2;
	page->text[page->used++] = '\n';
	page->n_lines++;
}

static const char *const loss_words[TW_LOSS_COUNT] = {
#define TW_X(name, words) words,
	TW_LOSSES(TW_X)
#undef TW_X
};

static void duration_text(uint64_t ns, char *buffer, size_t bytes)
{
	if (ns >= 1000000000u)
		snprintf(buffer, bytes, "%.2f s", (double)ns / 1e9);
	else if (ns >= 1000000)
		snprintf(buffer, bytes, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buffer, bytes, "%.1f us", (double)ns / 1e3);
}

static void size_text(uint64_t n, char *buffer, size_t bytes)
{
	if (n >= 10u << 20)
		snprintf(buffer, bytes, "%.0f MiB", (double)n / (1 << 20));
	else if (n >= 1u << 20)
		snprintf(buffer, bytes, "%.1f MiB", (double)n / (1 << 20));
	else if (n >= 1u << 10)
		snprintf(buffer, bytes, "%.1f KiB", (double)n / 1024);
	else
		snprintf(buffer, bytes, "%u bytes", (unsigned)n);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Losses, one line: each reason with its count. */
static void say_losses(struct page *page, const struct tw_summary *s)
{
	char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < TW_LOSS_COUNT; i++) {
		uint64_t n = s->news->totals.lost[i];

		if (n && used < sizeof(text) - 100)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%llu %s", used ? ", " : "",
						 (unsigned long long)n, loss_words[i]);
	}
	if (used)
		line(page, "lost: %s", text);
	if (s->news->write_error)
		line(page, "'%s' stops early: %s; free some space or choose another -o",
		     s->outputs->spool, strerror(-s->news->write_error));
	if (s->news->n_rotated_events)
		line(page,
		     "the oldest %llu events were given up to stay below --max-size",
		     (unsigned long long)s->news->n_rotated_events);
	if (s->news->n_refused)
		line(page,
		     "%u process%s could not join: too little address space, or more "
		     "than %u at a time",
		     s->news->n_refused, s->news->n_refused == 1 ? "" : "es",
		     TW_PROCS_MAX);
}

/* Patterns of -t that matched nothing: a wrong name, or calls that cannot be seen. */
static void say_misses(struct page *page, const struct tw_summary *s)
{
	uint64_t hits = atomic_load(&s->arena->choice_hits);
	const char *traced = s->arena->choice.traced, *part;
	char text[256];
	size_t used = 0, bytes;

	if (s->not_recorded || s->arena->choice.hooks_from[0])
		return;
	for (unsigned i = 0; (part = tw_pattern_part(traced, i, &bytes)); i++)
		if (!(hits >> (i < 63 ? i : 63) & 1) && used < sizeof(text) - 80)
			used += (size_t)snprintf(text + used, 80, "%s'%.*s'",
						 used ? ", " : "",
						 bytes < 70 ? (int)bytes : 70, part);
	if (used)
		line(page,
		     "no call was hooked for -t %s: not loaded, not called from "
		     "another library, or hidden",
		     text);
}

static void say_notes(struct page *page, const struct tw_summary *s)
{
	const char *readable = tw_outputs_readable(s->outputs);
	unsigned n_more = 0, n_shown = 0;

	if (s->not_recorded)
		line(page, "not recorded: %s: %s (tracewrap doctor -- %s)", s->program,
		     s->not_recorded, s->program);
	for (uint32_t i = 0; i < TW_NOTES_MAX; i++) {
		uint32_t bytes;
		const char *text = tw_string_get(
			s->arena, atomic_load(&s->arena->notes[i].text), &bytes);

		if (!text)
			continue;
		if (n_shown < NOTES_SHOWN)
			line(page, "%.*s", (int)bytes, text);
		else
			n_more++;
		n_shown++;
	}
	if (n_more)
		line(page, "and %u more of these: tracewrap report %s", n_more,
		     readable ? readable : s->outputs->spool);
}

static void say_file(struct page *page, const char *name)
{
	struct stat st;
	char size[32];

	if (stat(name, &st) < 0)
		return; /* why was said already */
	if (!S_ISREG(st.st_mode)) {
		line(page, "%s", name);
		return;
	}
	size_text((uint64_t)st.st_size, size, sizeof(size));
	line(page, "%s, %s", name, size);
}

static void say_files(struct page *page, const struct tw_summary *s)
{
	const struct tw_outputs *outputs = s->outputs;
	const char *readable = tw_outputs_readable(outputs);
	char size[32];

	size_text(s->news->spool_bytes, size, sizeof(size));
	if (!outputs->is_temporary)
		line(page, "%s, %s", outputs->spool, size);
	for (unsigned i = 0; i < outputs->n_files && s->news->is_finished; i++)
		say_file(page, outputs->files[i]);
	if (!s->news->is_finished)
		line(page,
		     "%u process%s still run%s: recording goes on (pid %d ends with "
		     "%s)",
		     s->news->totals.n_live, s->news->totals.n_live == 1 ? "" : "es",
		     s->news->totals.n_live == 1 ? "s" : "", s->news->keeper_pid,
		     s->news->totals.n_live == 1 ? "it" : "them");
	if (!s->news->is_finished && outputs->is_temporary)
		line(page, "%s is written then; until then: tracewrap report %s",
		     outputs->files[0], outputs->spool);
	else if (readable)
		line(page, "next: tracewrap report %s", readable);
}

void tw_summary_print(const struct tw_summary *s)
{
	static struct page page;
	const struct tw_pump_totals *t = &s->news->totals;
	uint64_t cost_ns = s->ns_per_event * t->n_events;
	char wall[32], cost[32], stall[32];

	duration_text(s->wall_ns, wall, sizeof(wall));
	duration_text(cost_ns, cost, sizeof(cost));
	duration_text(t->stall_ns, stall, sizeof(stall));
	line(&page, "%s ran %s: %u process%s, %u thread%s, %llu event%s", s->program,
	     wall, t->n_processes, t->n_processes == 1 ? "" : "es", t->n_threads,
	     plural(t->n_threads), (unsigned long long)t->n_events,
	     plural(t->n_events));
	if (t->n_events)
		line(&page,
		     "recording took about %s (%.2f %% of the run), %llu ns an event",
		     cost,
		     s->wall_ns ? 100.0 * (double)cost_ns / (double)s->wall_ns : 0.0,
		     (unsigned long long)s->ns_per_event);
	if (t->n_stalls)
		line(&page,
		     "the program waited %s for its full buffers (%llu time%s); --drop "
		     "loses events instead",
		     stall, (unsigned long long)t->n_stalls, plural(t->n_stalls));
	say_losses(&page, s);
	say_misses(&page, s);
	say_notes(&page, s);
	say_files(&page, s);
	if (write(STDERR_FILENO, page.text, page.used) < 0)
		return; /* nobody to tell */
}

uint64_t tw_summary_measure(const struct tw_config *config)
{
	struct tw_config small = *config;
	struct tw_view view;
	struct tw_producer producer;
	uint64_t best = UINT64_MAX;
	int index;

	small.buffer_bytes = 0;
	small.is_dropping = true;
	small.is_disabled = false;
	small.delay_ns = 0;
	if (tw_arena_create_private(&view, &small))
		return 0;
	index = tw_arena_claim_thread(view.arena);
	tw_producer_init(&producer, &view, (uint32_t)index);
	tw_producer_begin_slow(&producer, 1);
	/* The first round also pays for fresh pages and cold code. */
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t start = tw_clock_raw_ns(), spent;

		for (unsigned i = 0; i < MEASURED / 2; i++) {
			(void)tw_producer_begin(&producer, view.arena->clock_kind, 1);
			(void)tw_producer_end(&producer, view.arena->clock_kind);
		}
		spent = tw_clock_raw_ns() - start;
		if (spent < best)
			best = spent;
	}
	tw_view_unmap(&view);
	return best / MEASURED;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What META blocks tell the live client: processes, threads, names, ends, marks. See
 * feed.h. Before the first event is sent the whole file is looked through once, without
 * a wire, so that a viewer that comes late gets the last name of every thread.
 */
#include <string.h>

#include "core/loss.h"
#include "core/text.h"
#include "trace/cursor.h"
#include "trace/format.h"
#include "tracy/feed_private.h"

struct tw_feed_thread *tw_feed_thread(struct tw_feed *feed, uint32_t number)
{
	if (number >= TW_FEED_THREADS_MAX || !feed->threads[number].id)
		return NULL;
	return &feed->threads[number];
}

/* Keeps a text, NUL behind it; returns its offset, 0 when there is no room. */
static uint32_t keep(struct tw_feed *feed, const char *text, size_t bytes)
{
	uint32_t at = feed->texts_used ? feed->texts_used : 1;

	if (!bytes || at + bytes + 1 > sizeof(feed->texts))
		return 0;
	memcpy(feed->texts + at, text, bytes);
	feed->texts[at + bytes] = '\0';
	feed->texts_used = at + (uint32_t)bytes + 1;
	return at;
}

static void note_ticks(struct tw_feed *feed, uint64_t ticks)
{
	if (ticks && (!feed->first_ticks || ticks < feed->first_ticks))
		feed->first_ticks = ticks;
}

static void on_process(struct tw_feed *feed, struct tw_cursor *c)
{
	uint32_t number = tw_cursor_u32(c);
	uint32_t pid = tw_cursor_u32(c);
	uint64_t start_ticks;
	struct tw_slice program;
	const char *slash;

	tw_cursor_u64(c); /* parent's pid */
	start_ticks = tw_cursor_u64(c);
	tw_cursor_u64(c); /* parent's number */
	program = tw_cursor_text(c);
	if (c->is_bad || !number || number >= TW_FEED_PROCESSES_MAX ||
	    feed->processes[number].pid)
		return;
	slash = memrchr(program.text, '/', program.n_bytes);
	if (slash) {
		program.n_bytes -= (uint32_t)(slash + 1 - program.text);
		program.text = slash + 1;
	}
	if (!feed->n_processes++)
		feed->root_pid = pid;
	feed->processes[number].pid = pid;
	feed->processes[number].program = keep(feed, program.text, program.n_bytes);
	note_ticks(feed, start_ticks);
}

/* The tid where it is still free, else a number that no tid can be. */
static uint32_t choose_id(struct tw_feed *feed, uint32_t number, uint32_t tid)
{
	uint32_t id = tid;

	for (int round = 0; round < 2; round++) {
		uint32_t i = id % TW_FEED_TIDS;
		bool is_taken = !id;

		while (feed->tids[i] && !is_taken) {
			is_taken = feed->threads[feed->tids[i]].id == id;
			i = (i + 1) % TW_FEED_TIDS;
		}
		if (!is_taken) {
			feed->tids[i] = number;
			return id;
		}
		id = UINT32_C(1) << 30 | number;
	}
	return id;
}

static void on_thread(struct tw_feed *feed, struct tw_cursor *c)
{
	uint32_t number = tw_cursor_u32(c);
	uint32_t process = tw_cursor_u32(c);
	uint32_t tid = tw_cursor_u32(c);
	uint64_t start_ticks = tw_cursor_u64(c);
	uint32_t kind = tw_cursor_u32(c);
	uint32_t device = c->at < c->end ? tw_cursor_u32(c) : 0;
	struct tw_feed_thread *t;

	if (c->is_bad || !number || number >= TW_FEED_THREADS_MAX ||
	    feed->threads[number].id)
		return;
	t = &feed->threads[number];
	t->process = process;
	t->tid = tid;
	t->kind = (uint8_t)kind;
	t->device = device;
	t->last_ticks = start_ticks;
	t->id = choose_id(feed, number, tid);
	if (!feed->main_thread && kind <= TW_THREAD_MAIN)
		feed->main_thread = number;
	if (number > feed->max_thread)
		feed->max_thread = number;
	feed->n_threads++;
	note_ticks(feed, start_ticks);
}

static void on_thread_name(struct tw_feed *feed, struct tw_cursor *c)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, tw_cursor_u32(c));
	struct tw_slice name = tw_cursor_text(c);

	if (c->is_bad || !t)
		return;
	if (t->name && strlen(feed->texts + t->name) == name.n_bytes &&
	    memcmp(feed->texts + t->name, name.text, name.n_bytes) == 0)
		return;
	t->name = keep(feed, name.text, name.n_bytes);
}

static void on_thread_end(struct tw_feed *feed, struct tw_cursor *c)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, tw_cursor_u32(c));
	uint64_t ticks = tw_cursor_u64(c);

	if (!c->is_bad && t && feed->wire)
		tw_feed_close_thread(feed, t, ticks);
}

static void on_session(struct tw_feed *feed, struct tw_cursor *c)
{
	static const char key[] = "command";
	struct tw_slice name = tw_cursor_text(c);
	struct tw_slice value = tw_cursor_text(c);

	if (c->is_bad || feed->command || name.n_bytes != sizeof(key) - 1 ||
	    memcmp(name.text, key, sizeof(key) - 1) != 0)
		return;
	feed->command = keep(feed, value.text, value.n_bytes);
	feed->command_bytes = feed->command ? value.n_bytes : 0;
}

static void on_clock(struct tw_feed *feed, struct tw_cursor *c)
{
	uint64_t ticks = tw_cursor_u64(c);
	uint64_t ns = tw_cursor_u64(c);
	uint64_t wall_ns = tw_cursor_u64(c);

	if (c->is_bad || feed->first_anchor_ns)
		return;
	feed->first_anchor_ticks = ticks;
	feed->first_anchor_ns = ns;
	feed->first_wall_ns = wall_ns;
	note_ticks(feed, ticks);
}

/* Signals by which people end a program on purpose: not a crash. */
static bool is_polite(uint32_t signal)
{
	return signal == 1 || signal == 2 || signal == 13 || signal == 15;
}

/* Its threads have ended, and with them their zones. The first crash is told. */
static void on_process_end(struct tw_feed *feed, struct tw_cursor *c)
{
	uint32_t number = tw_cursor_u32(c);
	uint64_t ticks = tw_cursor_u64(c);
	uint32_t end = tw_cursor_u32(c);
	uint32_t code = tw_cursor_u32(c);
	struct tw_text text;

	if (c->is_bad || !feed->wire || end != TW_END_SIGNALLED || is_polite(code) ||
	    feed->has_crashed || number >= TW_FEED_PROCESSES_MAX)
		return;
	for (uint32_t i = 1; i <= feed->max_thread; i++) {
		struct tw_feed_thread *t = tw_feed_thread(feed, i);

		if (!t || t->process != number || t->kind != TW_THREAD_MAIN)
			continue;
		text = tw_text_in(feed->crash, sizeof(feed->crash));
		tw_text_add(&text, feed->texts + feed->processes[number].program);
		tw_text_add(&text, " (pid ");
		tw_text_add_u64(&text, feed->processes[number].pid);
		tw_text_add(&text, ") was killed by signal ");
		tw_text_add_u64(&text, code);
		feed->has_crashed = true;
		tw_feed_select(feed, t);
		tw_wire_crash(feed->wire, ticks, TW_FEED_CRASH);
		return;
	}
}

/* A mark belongs to nobody; the first thread shows it. */
static void on_mark(struct tw_feed *feed, struct tw_cursor *c)
{
	struct tw_feed_thread *t = tw_feed_thread(feed, feed->main_thread);
	uint64_t ticks = tw_cursor_u64(c);
	struct tw_slice text = tw_cursor_text(c);

	if (c->is_bad || !t || !feed->wire)
		return;
	tw_feed_select(feed, t);
	tw_wire_message(feed->wire, ticks, text.text, text.n_bytes, 0, TW_WIRE_INFO);
}

static void on_horizon(struct tw_feed *feed, struct tw_cursor *c)
{
	uint64_t ticks = tw_cursor_u64(c);

	if (!c->is_bad && feed->wire)
		tw_feed_release(feed, ticks);
}

static void on_finish(struct tw_feed *feed, struct tw_cursor *c)
{
	(void)c;
	feed->is_finished = true;
}

static void (*const rows[])(struct tw_feed *feed, struct tw_cursor *c) = {
	[TW_META_PROCESS] = on_process,
	[TW_META_PROCESS_END] = on_process_end,
	[TW_META_THREAD] = on_thread,
	[TW_META_THREAD_NAME] = on_thread_name,
	[TW_META_THREAD_END] = on_thread_end,
	[TW_META_CLOCK] = on_clock,
	[TW_META_SESSION] = on_session,
	[TW_META_FINISH] = on_finish,
	[TW_META_MARK] = on_mark,
	[TW_META_HORIZON] = on_horizon,
};

void tw_feed_meta(struct tw_feed *feed, const uint8_t *raw, size_t bytes)
{
	struct tw_cursor c = {.at = raw, .end = raw + bytes};

	while (c.at < c.end) {
		uint64_t tag = tw_cursor_u64(&c);
		struct tw_slice body = tw_cursor_text(&c);
		struct tw_cursor inside = {
			.at = (const uint8_t *)body.text,
			.end = (const uint8_t *)body.text + body.n_bytes,
		};

		if (c.is_bad)
			return;
		if (tag < sizeof(rows) / sizeof(*rows) && rows[tag])
			rows[tag](feed, &inside);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pass 1's decoder of META records (format.h), called by timeline.c: one function a
 * tag, one table of them. A new tag is one function and one row; unknown tags are
 * skipped.
 */
#include <errno.h>
#include <string.h>

#include "trace/names.h"
#include "trace/timeline_private.h"

/* Every reader returns 0, -EBADMSG for nonsense, or -ENOMEM. */
typedef int meta_reader(struct tw_timeline *t, struct tw_cursor *c);

static void add_u64(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

static bool is_index(const struct tw_cursor *c, uint64_t index)
{
	return !c->is_bad && index >= 1 && index < TW_IDS_MAX;
}

static int keep(struct tw_timeline *t, struct tw_slice *copy, struct tw_slice text)
{
	copy->text = tw_names_copy(t->names, text.text, text.n_bytes);
	copy->n_bytes = copy->text ? text.n_bytes : 0;
	return copy->text ? 0 : -ENOMEM;
}

/* A moment that the session lasted to. */
static void lasts_to(struct tw_timeline *t, uint64_t ticks)
{
	if (ticks > t->end_ticks)
		t->end_ticks = ticks;
}

static int read_string(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t id = tw_cursor_u64(c);
	struct tw_slice text = tw_cursor_text(c);
	struct tw_slice *string;

	if (!is_index(c, id))
		return -EBADMSG;
	if (tw_table_get(&t->strings, id))
		return 0; /* ids are never given anew */
	string = tw_table_make(&t->strings, (uint32_t)id, t->names, sizeof(*string));
	return string ? keep(t, string, text) : -ENOMEM;
}

static int read_location(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t id = tw_cursor_u64(c);
	struct tw_place read = {0}, *place;

	read.name_id = tw_cursor_u32(c);
	read.function_id = tw_cursor_u32(c);
	read.file_id = tw_cursor_u32(c);
	read.line = tw_cursor_u32(c);
	read.colour = tw_cursor_u32(c) & 0xffffff;
	read.layer = tw_cursor_u32(c);
	read.is_code = c->at < c->end && tw_cursor_u32(c) != 0;
	if (!is_index(c, id))
		return -EBADMSG;
	if (tw_table_get(&t->places, id))
		return 0;
	place = tw_table_make(&t->places, (uint32_t)id, t->names, sizeof(*place));
	if (!place)
		return -ENOMEM;
	*place = read;
	return 0;
}

static struct tw_process *make_process(struct tw_timeline *t, uint64_t number)
{
	struct tw_process *p =
		tw_table_make(&t->processes, (uint32_t)number, t->names, sizeof(*p));

	if (p && p->number == 0) {
		p->number = (uint32_t)number;
		p->program.text = p->command.text = "";
		t->n_processes++;
	}
	return p;
}

static int read_process(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c);
	uint32_t pid = tw_cursor_u32(c), ppid = tw_cursor_u32(c);
	uint64_t start_ticks = tw_cursor_u64(c);
	uint32_t parent = tw_cursor_u32(c);
	struct tw_slice program = tw_cursor_text(c), command = tw_cursor_text(c);
	struct tw_process *p;

	if (!is_index(c, number))
		return -EBADMSG;
	p = make_process(t, number);
	if (!p || keep(t, &p->program, program) < 0 ||
	    keep(t, &p->command, command) < 0)
		return -ENOMEM;
	p->pid = pid;
	p->ppid = ppid;
	p->start_ticks = start_ticks;
	p->parent = parent;
	tw_clock_map_seen(&t->clock, start_ticks);
	lasts_to(t, start_ticks);
	return 0;
}

static int read_process_end(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c), ticks = tw_cursor_u64(c);
	uint32_t end = tw_cursor_u32(c), code = tw_cursor_u32(c);
	struct tw_process *p;

	if (!is_index(c, number))
		return -EBADMSG;
	p = make_process(t, number);
	if (!p)
		return -ENOMEM;
	p->has_end = true;
	p->end_ticks = ticks;
	p->end = end;
	p->code = code;
	lasts_to(t, ticks);
	return 0;
}

/* Fibers, devices and tracks are rows of the timeline, but no threads. */
static void count_row(struct tw_timeline *t, struct tw_thread *thread, int n)
{
	if (tw_thread_is_real(thread)) {
		thread->process->n_threads += (uint32_t)n;
		t->n_threads += (uint32_t)n;
	} else {
		t->n_rows += (uint32_t)n;
	}
}

struct tw_thread *tw_timeline_thread(struct tw_timeline *t, uint32_t number)
{
	struct tw_thread *thread;

	if (number == 0 || number >= TW_IDS_MAX)
		return NULL;
	thread = tw_table_make(&t->threads, number, t->names, sizeof(*thread));
	if (thread && thread->number == 0) {
		thread->number = number;
		thread->process = &t->unknown_process;
		thread->is_guessed = true;
		thread->name.text = "";
		count_row(t, thread, 1);
	}
	return thread;
}

static int read_thread(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c), process = tw_cursor_u64(c);
	uint32_t tid = tw_cursor_u32(c);
	uint64_t start_ticks = tw_cursor_u64(c);
	uint32_t kind = tw_cursor_u32(c);
	uint32_t device = c->at < c->end ? tw_cursor_u32(c) : 0;
	struct tw_process *owner = &t->unknown_process;
	struct tw_thread *thread;

	if (!is_index(c, number) || process >= TW_IDS_MAX)
		return -EBADMSG;
	thread = tw_timeline_thread(t, (uint32_t)number);
	if (process != 0)
		owner = make_process(t, process);
	if (!thread || !owner)
		return -ENOMEM;
	count_row(t, thread, -1);
	thread->process = owner;
	thread->is_guessed = false;
	thread->tid = tid;
	thread->start_ticks = start_ticks;
	thread->kind = kind;
	thread->device = device;
	count_row(t, thread, 1);
	tw_clock_map_seen(&t->clock, start_ticks);
	lasts_to(t, start_ticks);
	return 0;
}

static int read_thread_name(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c);
	struct tw_slice name = tw_cursor_text(c);
	struct tw_thread *thread;

	if (!is_index(c, number))
		return -EBADMSG;
	thread = tw_timeline_thread(t, (uint32_t)number);
	if (!thread)
		return -ENOMEM;
	/* A program may rename a thread for ever: only a longer name takes memory. */
	if (name.n_bytes > thread->name_room) {
		thread->name_buffer = tw_names_take(t->names, name.n_bytes);
		thread->name_room = thread->name_buffer ? name.n_bytes : 0;
		if (!thread->name_buffer)
			return -ENOMEM;
	}
	if (name.n_bytes > 0)
		memcpy(thread->name_buffer, name.text, name.n_bytes);
	thread->name.text = name.n_bytes ? thread->name_buffer : "";
	thread->name.n_bytes = name.n_bytes;
	return 0;
}

static int read_thread_end(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c), ticks = tw_cursor_u64(c);
	struct tw_thread *thread;

	if (!is_index(c, number))
		return -EBADMSG;
	thread = tw_timeline_thread(t, (uint32_t)number);
	if (!thread)
		return -ENOMEM;
	thread->has_end = true;
	thread->end_ticks = ticks;
	lasts_to(t, ticks);
	return 0;
}

static int read_clock(struct tw_timeline *t, struct tw_cursor *c)
{
	struct tw_clock_anchor anchor;
	uint32_t kind;

	anchor.ticks = tw_cursor_u64(c);
	anchor.monotonic_ns = tw_cursor_u64(c);
	anchor.wall_ns = tw_cursor_u64(c);
	kind = tw_cursor_u32(c);
	if (c->is_bad)
		return -EBADMSG;
	tw_clock_map_anchor(&t->clock, &anchor, kind);
	lasts_to(t, anchor.ticks);
	return 0;
}

static int read_lost(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c), reason = tw_cursor_u64(c);
	uint64_t count = tw_cursor_u64(c);
	struct tw_thread *thread = NULL;

	if (c->is_bad || number >= TW_IDS_MAX)
		return -EBADMSG;
	add_u64(&t->lost[reason < TW_LOSS_COUNT ? reason : TW_LOSS_COUNT], count);
	if (reason == TW_LOSS_TEXT_CUT)
		return 0;
	add_u64(&t->n_lost, count);
	if (number == 0)
		return 0;
	thread = tw_timeline_thread(t, (uint32_t)number);
	if (!thread)
		return -ENOMEM;
	add_u64(&thread->n_lost, count);
	return 0;
}

static int read_stall(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t number = tw_cursor_u64(c), ns = tw_cursor_u64(c), n = tw_cursor_u64(c);
	struct tw_thread *thread;

	if (!is_index(c, number))
		return -EBADMSG;
	thread = tw_timeline_thread(t, (uint32_t)number);
	if (!thread)
		return -ENOMEM;
	add_u64(&thread->stall_ns, ns);
	add_u64(&thread->n_stalls, n);
	add_u64(&t->stall_ns, ns);
	add_u64(&t->n_stalls, n);
	return 0;
}

static int read_note(struct tw_timeline *t, struct tw_cursor *c)
{
	struct tw_slice text = tw_cursor_text(c);

	if (c->is_bad)
		return -EBADMSG;
	if (t->n_notes++ >= TW_NOTES_KEPT)
		return 0;
	return keep(t, &t->notes[t->n_notes - 1], text);
}

static int read_session(struct tw_timeline *t, struct tw_cursor *c)
{
	struct tw_slice key = tw_cursor_text(c), value = tw_cursor_text(c);
	struct tw_session_value *kept = &t->session[t->n_session];

	if (c->is_bad || t->n_session >= TW_SESSION_KEPT)
		return -EBADMSG;
	if (keep(t, &kept->key, key) < 0 || keep(t, &kept->value, value) < 0)
		return -ENOMEM;
	t->n_session++;
	return 0;
}

static int read_rotated(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t blocks = tw_cursor_u64(c), events = tw_cursor_u64(c);
	uint64_t bytes = tw_cursor_u64(c);

	if (c->is_bad)
		return -EBADMSG;
	t->rotated_blocks = blocks;
	t->rotated_events = events;
	t->rotated_bytes = bytes;
	return 0;
}

static int read_finish(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t ticks = tw_cursor_u64(c);

	if (c->is_bad)
		return -EBADMSG;
	t->is_complete = true;
	lasts_to(t, ticks);
	return 0;
}

/* Gates and marks are counted here and streamed by tw_timeline_each(). */
static int read_gate(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t ticks = tw_cursor_u64(c);

	tw_cursor_u64(c);
	if (c->is_bad)
		return -EBADMSG;
	lasts_to(t, ticks);
	t->n_gates++;
	return 0;
}

static int read_mark(struct tw_timeline *t, struct tw_cursor *c)
{
	uint64_t ticks = tw_cursor_u64(c);

	tw_cursor_text(c);
	if (c->is_bad)
		return -EBADMSG;
	lasts_to(t, ticks);
	t->n_marks++;
	return 0;
}

static meta_reader *const readers[] = {
	[TW_META_STRING] = read_string,
	[TW_META_LOCATION] = read_location,
	[TW_META_PROCESS] = read_process,
	[TW_META_PROCESS_END] = read_process_end,
	[TW_META_THREAD] = read_thread,
	[TW_META_THREAD_NAME] = read_thread_name,
	[TW_META_THREAD_END] = read_thread_end,
	[TW_META_CLOCK] = read_clock,
	[TW_META_LOST] = read_lost,
	[TW_META_STALL] = read_stall,
	[TW_META_NOTE] = read_note,
	[TW_META_SESSION] = read_session,
	[TW_META_ROTATED] = read_rotated,
	[TW_META_FINISH] = read_finish,
	[TW_META_GATE] = read_gate,
	[TW_META_MARK] = read_mark,
};

bool tw_meta_next(struct tw_cursor *payload, uint64_t *tag, struct tw_cursor *body,
		  bool *is_bad)
{
	struct tw_slice bytes;

	*is_bad = false;
	if (payload->at == payload->end)
		return false;
	*tag = tw_cursor_u64(payload);
	bytes = tw_cursor_text(payload); /* a length and that many bytes */
	*is_bad = payload->is_bad;
	body->at = (const uint8_t *)bytes.text;
	body->end = body->at + bytes.n_bytes;
	body->is_bad = false;
	return !payload->is_bad;
}

int tw_timeline_read_meta(struct tw_timeline *t, const uint8_t *raw, uint32_t n)
{
	struct tw_cursor payload = {raw, raw + n, false};
	struct tw_cursor body;
	uint64_t tag;
	bool is_bad;

	while (tw_meta_next(&payload, &tag, &body, &is_bad)) {
		int error = 0;

		if (tag < sizeof(readers) / sizeof(readers[0]) && readers[tag])
			error = readers[tag](t, &body);
		if (error == -EBADMSG)
			t->n_bad_records++;
		else if (error)
			return error;
	}
	t->n_bad_records += is_bad;
	return 0;
}

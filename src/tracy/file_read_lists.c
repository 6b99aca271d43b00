/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of a `.tracy` file (file_read.h) that stand for themselves: locks, memory, call
 * stacks, and who ran when. Each item is handed out as it comes.
 */
#include <errno.h>

#include "tracy/file_read_private.h"

#define LOCK_THREADS 256u /* an event gives its thread's place in 8 bits */

static void read_lock_events(struct tw_tracy_reader *r, uint32_t id, int64_t ns,
			     const uint64_t *threads, uint64_t n_threads)
{
	struct tw_tracy_lock_event event = {.lock = id};
	uint64_t n = tw_tracy_get_u64(&r->in), at = (uint64_t)ns;

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		unsigned thread, what;

		at += tw_tracy_get_u64(&r->in);
		tw_tracy_get_u16(&r->in); /* location */
		thread = tw_tracy_get_u8(&r->in);
		what = tw_tracy_get_u8(&r->in);
		if (!tw_tracy_goes_on(r))
			return;
		if (thread >= n_threads || what >= TW_TRACY_FILE_LOCK_COUNT) {
			r->in.is_bad = true;
			r->in.why = "a lock has an event that cannot be";
			return;
		}
		event.ns = (int64_t)at;
		event.tid = threads[thread];
		event.what = (enum tw_tracy_lock_what)what;
		if (r->ops->lock_event)
			r->result = r->ops->lock_event(r->ops->context, &event);
	}
}

static void read_lock(struct tw_tracy_reader *r)
{
	struct tw_tracy_lock_info lock = {.id = tw_tracy_get_u32(&r->in)};
	const struct tw_tracy_location *location;
	uint64_t threads[LOCK_THREADS];
	uint64_t n_kept;

	lock.name = tw_tracy_text_at(r, tw_tracy_get_u24(&r->in));
	location = tw_tracy_location_of(r, (int16_t)tw_tracy_get_u16(&r->in));
	lock.is_shared = tw_tracy_get_u8(&r->in) != 0;
	tw_tracy_get_u8(&r->in); /* valid */
	lock.announced_ns = (int64_t)tw_tracy_get_u64(&r->in);
	lock.gone_ns = (int64_t)tw_tracy_get_u64(&r->in);
	lock.n_threads = tw_tracy_get_u64(&r->in);
	n_kept = lock.n_threads < LOCK_THREADS ? lock.n_threads : LOCK_THREADS;
	for (uint64_t i = 0; i < lock.n_threads && tw_tracy_goes_on(r); i++) {
		uint64_t tid = tw_tracy_get_u64(&r->in);

		if (i < n_kept)
			threads[i] = tid;
	}
	lock.function = lock.file = (struct tw_slice){"", 0};
	if (location) {
		lock.function = tw_tracy_text_of(r, location->function);
		lock.file = tw_tracy_text_of(r, location->file);
		lock.line = location->line;
	}
	if (lock.name.n_bytes == 0)
		lock.name = tw_tracy_location_name(r, location);
	if (tw_tracy_goes_on(r) && r->ops->lock)
		r->result = r->ops->lock(r->ops->context, &lock);
	if (tw_tracy_goes_on(r))
		read_lock_events(r, lock.id, lock.announced_ns, threads, n_kept);
}

void tw_tracy_read_locks(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_lock(r);
}

static void read_block(struct tw_tracy_reader *r, struct tw_tracy_block *block,
		       uint64_t *ns)
{
	uint64_t duration;

	block->address = tw_tracy_get_u64(&r->in);
	block->bytes = tw_tracy_get_u64(&r->in);
	block->stack = tw_tracy_get_u24(&r->in);
	block->free_stack = tw_tracy_get_u24(&r->in);
	*ns += tw_tracy_get_u64(&r->in);
	duration = tw_tracy_get_u64(&r->in);
	block->ns = (int64_t)*ns;
	block->free_ns = (int64_t)duration < 0 ? -1 : (int64_t)(*ns + duration);
	block->tid = tw_tracy_thread_of(r, tw_tracy_get_u16(&r->in));
	block->free_tid = tw_tracy_thread_of(r, tw_tracy_get_u16(&r->in));
	if (tw_tracy_goes_on(r) && r->ops->block)
		r->result = r->ops->block(r->ops->context, block);
}

void tw_tracy_read_memory(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	tw_tracy_get_u64(&r->in); /* allocations */
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t name = tw_tracy_get_u64(&r->in), ns = 0;
		uint64_t n_blocks = tw_tracy_get_u64(&r->in);
		struct tw_tracy_block block = {.pool = {"", 0}};

		if (name)
			block.pool = tw_tracy_text_by_pointer(r, name);
		tw_tracy_in_skip(&r->in, 2 * 8); /* active, freed */
		for (uint64_t k = 0; k < n_blocks && tw_tracy_goes_on(r); k++)
			read_block(r, &block, &ns);
		tw_tracy_in_skip(&r->in, 4 * 8); /* high, low, usage, name */
	}
}

static void read_stack(struct tw_tracy_reader *r, uint64_t number)
{
	unsigned n = tw_tracy_get_u16(&r->in);

	while (tw_tracy_goes_on(r) && r->frame_ids_room < n)
		if (!TW_TRACY_ROOM(r, r->frame_ids, r->frame_ids_room,
				   r->frame_ids_room))
			return;
	for (unsigned i = 0; i < n && tw_tracy_goes_on(r); i++)
		r->frame_ids[i] = tw_tracy_get_u64(&r->in);
	if (tw_tracy_goes_on(r) && r->ops->stack)
		r->result = r->ops->stack(r->ops->context, (uint32_t)number,
					  r->frame_ids, n);
}

static void read_stack_frames(struct tw_tracy_reader *r)
{
	struct tw_tracy_stack_frame frame = {.id = tw_tracy_get_u64(&r->in)};
	unsigned n = tw_tracy_get_u8(&r->in);

	frame.image = tw_tracy_text_at(r, tw_tracy_get_u24(&r->in));
	for (unsigned i = 0; i < n && tw_tracy_goes_on(r); i++) {
		frame.index = (uint8_t)i;
		frame.function = tw_tracy_text_at(r, tw_tracy_get_u24(&r->in));
		frame.file = tw_tracy_text_at(r, tw_tracy_get_u24(&r->in));
		frame.line = tw_tracy_get_u32(&r->in);
		frame.symbol = tw_tracy_get_u64(&r->in);
		if (tw_tracy_goes_on(r) && r->ops->stack_frame)
			r->result = r->ops->stack_frame(r->ops->context, &frame);
	}
}

void tw_tracy_read_stacks(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_stack(r, i + 1);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_stack_frames(r);
}

static void read_runs_of(struct tw_tracy_reader *r, uint64_t tid)
{
	struct tw_tracy_run run = {.tid = tid};
	uint64_t n = tw_tracy_get_u64(&r->in), ns = 0;

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		ns += tw_tracy_get_u64(&r->in); /* woken up */
		ns += tw_tracy_get_u64(&r->in);
		run.begin_ns = (int64_t)ns;
		ns += tw_tracy_get_u64(&r->in);
		run.end_ns = (int64_t)ns;
		run.processor = tw_tracy_get_u8(&r->in);
		run.reason = (int8_t)tw_tracy_get_u8(&r->in);
		run.state = (int8_t)tw_tracy_get_u8(&r->in);
		run.on = tw_tracy_get_u64(&r->in);
		if (r->version >= TW_TRACY_HAS_WAKEUP_CPU)
			tw_tracy_get_u8(&r->in);
		if (tw_tracy_goes_on(r) && r->ops->run)
			r->result = r->ops->run(r->ops->context, &run);
	}
}

void tw_tracy_read_runs(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		read_runs_of(r, tw_tracy_get_u64(&r->in));
}

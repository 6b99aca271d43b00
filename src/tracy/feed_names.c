/* SPDX-License-Identifier: BSD-3-Clause */
/* What the keys of a connection stand for; see feed.h. */
#include "tracy/feed_private.h"
#include "tracy/layer_colour.h"

static const char rest_name[] = "(locations past the viewer's limit)";
static const char lost_lock_name[] = "(a lock from before the trace)";

const char *const tw_feed_loss_words[TW_FEED_LOSS_COUNT] = {
	[TW_FEED_LOSS_THREADS] = " blocks of threads past the first 131,071",
	[TW_FEED_LOSS_FRAMES] = " frames of sets past the first 4,096",
	[TW_FEED_LOSS_MIXED_FRAMES] = " frames of sets that have both marks and begins",
	[TW_FEED_LOSS_LOCKS] = " events of locks past the first 8,192",
	[TW_FEED_LOSS_LOCK_THREADS] = " lock events of threads past a lock's first 64",
	[TW_FEED_LOSS_POOLS] = " allocations of pools past the first 4,096",
	[TW_FEED_LOSS_ADDRESSES] = " allocations past 900,000 at a time",
	[TW_FEED_LOSS_ORDER] =
		" times of locks and memory, which came late and went out as the last",
	[TW_FEED_LOSS_STACKS] = " call stacks",
	[TW_FEED_LOSS_DEVICES] = " device zones past 255 devices and 1,024 tracks",
	[TW_FEED_LOSS_DEVICE_TIMES] = " times of device zones, told too late",
};

static struct tw_feed_text text_of(const char *text)
{
	return (struct tw_feed_text){.text = text, .bytes = strlen(text)};
}

static struct tw_feed_text string_of(struct tw_feed *feed, uint32_t id)
{
	uint32_t bytes = 0;
	const char *text = tw_string_get(feed->arena, id, &bytes);

	if (!text)
		return text_of("???");
	return (struct tw_feed_text){.text = text, .bytes = bytes};
}

struct tw_feed_text tw_feed_string(struct tw_feed *feed, uint64_t key, char *buffer,
				   size_t bytes)
{
	if (key & TW_FEED_POOL)
		return tw_feed_series_name(feed, key & ~TW_FEED_POOL, TW_FEED_MEMORY,
					   buffer, bytes);
	if (key == TW_FEED_LOST_LOCK)
		return text_of(lost_lock_name);
	if (key == TW_FEED_CRASH)
		return text_of(feed->crash);
	if (key == TW_FEED_REST)
		return text_of(rest_name);
	return key > UINT32_MAX ? text_of("???") : string_of(feed, (uint32_t)key);
}

void tw_feed_add_process(struct tw_feed *feed, struct tw_text *t, uint32_t number)
{
	const struct tw_feed_process *p;

	if (number >= TW_FEED_PROCESSES_MAX)
		return;
	p = &feed->processes[number];
	tw_text_add(t, " [");
	tw_text_add(t, feed->texts + p->program);
	tw_text_add(t, p->program ? " " : "");
	tw_text_add_u64(t, p->pid);
	tw_text_add(t, "]");
}

struct tw_feed_text tw_feed_series_name(struct tw_feed *feed, uint64_t key,
					enum tw_feed_series_kind kind, char *buffer,
					size_t bytes)
{
	static const char *const nameless[] = {
		[TW_FEED_PLOT] = "???",
		[TW_FEED_FRAMES] = "Frame",
		[TW_FEED_MEMORY] = "memory",
	};
	struct tw_feed_text name = text_of(nameless[kind]);
	struct tw_text t;

	if ((uint32_t)key)
		name = string_of(feed, (uint32_t)key);
	if (!(key >> 32))
		return name;
	t = tw_text_in(buffer, bytes);
	tw_text_add_bytes(&t, name.text, name.bytes);
	tw_feed_add_process(feed, &t, (uint32_t)(key >> 32));
	return (struct tw_feed_text){.text = buffer, .bytes = t.used};
}

static struct tw_feed_thread *find_by_id(struct tw_feed *feed, uint64_t id)
{
	uint32_t i = (uint32_t)id % TW_FEED_TIDS;

	if (!id || id > UINT32_MAX)
		return NULL;
	while (feed->tids[i]) {
		if (feed->threads[feed->tids[i]].id == id)
			return &feed->threads[feed->tids[i]];
		i = (i + 1) % TW_FEED_TIDS;
	}
	return NULL;
}

void tw_feed_add_name(struct tw_feed *feed, struct tw_text *t,
		      const struct tw_feed_thread *thread)
{
	static const char *const words[] = {
		[TW_THREAD_PLAIN] = "thread ",	     [TW_THREAD_MAIN] = "main",
		[TW_THREAD_FIBER] = "fiber ",	     [TW_THREAD_DEVICE] = "device ",
		[TW_THREAD_DEVICE_TRACK] = "track ",
	};
	uint8_t kind = thread->kind <= TW_THREAD_DEVICE_TRACK ? thread->kind : 0;

	tw_text_add(t, thread->name ? feed->texts + thread->name : words[kind]);
	if (!thread->name && kind != TW_THREAD_MAIN)
		tw_text_add_u64(t, thread->tid);
}

struct tw_feed_text tw_feed_thread_name(struct tw_feed *feed, uint64_t id, char *buffer,
					size_t bytes)
{
	const struct tw_feed_thread *thread = find_by_id(feed, id);
	struct tw_text t = tw_text_in(buffer, bytes);

	if (id & TW_FEED_FIBER)
		thread = tw_feed_thread(feed, (uint32_t)id);
	if (!thread)
		return text_of("???");
	tw_feed_add_name(feed, &t, thread);
	if (feed->n_processes > 1)
		tw_feed_add_process(feed, &t, thread->process);
	return (struct tw_feed_text){.text = buffer, .bytes = t.used};
}

struct tw_feed_text tw_feed_process_name(struct tw_feed *feed, uint64_t id,
					 char *buffer, size_t bytes)
{
	const struct tw_feed_thread *thread = find_by_id(feed, id);
	struct tw_text t = tw_text_in(buffer, bytes);

	if (!thread || thread->process >= TW_FEED_PROCESSES_MAX)
		return text_of("???");
	tw_text_add(&t, feed->texts + feed->processes[thread->process].program);
	return (struct tw_feed_text){.text = buffer, .bytes = t.used};
}

struct tw_wire_location tw_feed_location(struct tw_feed *feed, uint64_t key)
{
	const struct tw_location *l;

	/* One for the whole file, or for all files: its zones carry their names. */
	if (key & TW_FEED_FOLD)
		return (struct tw_wire_location){.name = (uint32_t)key ? (uint32_t)key
								       : TW_FEED_REST,
						 .function = TW_FEED_REST,
						 .file = (uint32_t)key};
	if (key == TW_FEED_LOST_LOCK)
		return (struct tw_wire_location){.name = key, .function = key};
	l = key > UINT32_MAX ? NULL : tw_location_get(feed->arena, (uint32_t)key);
	if (!l)
		return (struct tw_wire_location){.name = TW_FEED_REST};
	return (struct tw_wire_location){
		.name = l->name,
		.function = l->function,
		.file = l->file,
		.line = l->line,
		.rgb = tw_layer_colour(l->colour, l->layer),
	};
}

/* The end of a path. */
static struct tw_feed_text base_of(struct tw_feed_text path)
{
	const char *slash = path.bytes ? memrchr(path.text, '/', path.bytes) : NULL;

	if (!slash)
		return path;
	return (struct tw_feed_text){slash + 1,
				     path.bytes - (size_t)(slash + 1 - path.text)};
}

/* "libfoo.so+0x1234" */
static struct tw_feed_text code_place(const struct tw_feed_frame *frame,
				      struct tw_text *t)
{
	static const char digits[] = "0123456789abcdef";
	struct tw_feed_text image = base_of(frame->image);
	char text[8];
	size_t i = sizeof(text);
	uint32_t offset = frame->line;

	tw_text_add_bytes(t, image.text, image.bytes);
	tw_text_add(t, image.bytes ? "+0x" : "0x");
	do {
		text[--i] = digits[offset % 16];
		offset /= 16;
	} while (offset);
	tw_text_add_bytes(t, text + i, sizeof(text) - i);
	return (struct tw_feed_text){t->buffer, t->used};
}

void tw_feed_frame(struct tw_feed *feed, uint64_t address, struct tw_feed_frame *frame)
{
	uint64_t id = address & ~TW_FEED_CODE;
	const struct tw_location *l = NULL;
	struct tw_text t = tw_text_in(frame->place, sizeof(frame->place));

	frame->image = frame->function = frame->file = text_of("???");
	frame->line = 0;
	if (address & TW_FEED_CODE && id <= UINT32_MAX)
		l = tw_location_get(feed->arena, (uint32_t)id);
	if (!l)
		return;
	frame->image = l->file ? string_of(feed, l->file) : text_of("");
	frame->file = frame->image;
	frame->line = l->line;
	if (l->is_code) {
		frame->file = code_place(frame, &t);
		frame->line = 0;
	}
	if (l->function || l->name)
		frame->function = string_of(feed, l->function ? l->function : l->name);
	else if (l->is_code)
		frame->function = frame->file;
}

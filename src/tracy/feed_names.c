/* SPDX-License-Identifier: BSD-3-Clause */
/* What the keys of a connection stand for; see feed.h. */
#include <string.h>

#include "core/intern.h"
#include "core/text.h"
#include "tracy/feed.h"
#include "tracy/layer_colour.h"

static const char rest_name[] = "(locations past the viewer's limit)";

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

struct tw_feed_text tw_feed_string(struct tw_feed *feed, uint64_t key)
{
	if (key == TW_FEED_CRASH)
		return text_of(feed->crash);
	if (key == TW_FEED_REST)
		return text_of(rest_name);
	return key > UINT32_MAX ? text_of("???") : string_of(feed, (uint32_t)key);
}

/* " [server 4711]" */
static void add_process(struct tw_feed *feed, struct tw_text *t, uint32_t number)
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
					bool is_frame, char *buffer, size_t bytes)
{
	struct tw_feed_text name = string_of(feed, (uint32_t)key);
	struct tw_text t = tw_text_in(buffer, bytes);

	if (is_frame && !(uint32_t)key)
		name = text_of("Frame");
	if (!(key >> 32))
		return name;
	tw_text_add_bytes(&t, name.text, name.bytes);
	add_process(feed, &t, (uint32_t)(key >> 32));
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

struct tw_feed_text tw_feed_thread_name(struct tw_feed *feed, uint64_t id, char *buffer,
					size_t bytes)
{
	const struct tw_feed_thread *thread = find_by_id(feed, id);
	struct tw_text t = tw_text_in(buffer, bytes);

	if (!thread)
		return text_of("???");
	if (thread->name) {
		tw_text_add(&t, feed->texts + thread->name);
	} else if (thread->kind == TW_THREAD_MAIN) {
		tw_text_add(&t, "main");
	} else {
		tw_text_add(&t, "thread ");
		tw_text_add_u64(&t, thread->tid);
	}
	if (feed->n_processes > 1)
		add_process(feed, &t, thread->process);
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

struct tw_feed_series *tw_feed_series(struct tw_feed *feed, uint32_t process,
				      uint32_t name, bool is_frame)
{
	uint64_t key = name;

	for (int round = 0; round < 2; round++) {
		uint32_t i = (uint32_t)(key ^ key >> 29) * 2654435761u;

		for (uint32_t n = 0; n < TW_FEED_SERIES; n++, i++) {
			struct tw_feed_series *s = &feed->series[i % TW_FEED_SERIES];

			if (!s->process)
				*s = (struct tw_feed_series){.key = key,
							     .process = process,
							     .is_frame = is_frame};
			if (s->key != key || s->is_frame != is_frame)
				continue;
			if (s->process == process)
				return s;
			break;
		}
		key = (uint64_t)process << 32 | name;
	}
	return NULL;
}

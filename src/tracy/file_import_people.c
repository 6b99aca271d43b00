/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes and threads of an import (file_import.h): from the ledger where the file
 * has one, else from what Tracy keeps: the program's pid, threads and their names, to
 * which our live client adds the process ("worker [server 4711]").
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/loss.h"
#include "export/writer.h"
#include "trace/timeline.h"
#include "tracy/file_format.h"
#include "tracy/file_import_private.h"
#include "tracy/file_ledger.h"

static void put_text(struct tw_import *im, enum tw_meta_tag tag, const char *key,
		     struct tw_slice value)
{
	struct tw_span texts[] = {{key, key ? strlen(key) : 0},
				  {value.text, value.n_bytes}};

	tw_spool_meta(im->spool, tag, NULL, 0, key ? texts : texts + 1, key ? 2 : 1);
}

int tw_import_info(void *context, const struct tw_tracy_info *info)
{
	static const char mark[] = "Recorded by: tracewrap";
	struct tw_import *im = context;
	struct tw_import_process *first;

	im->is_ours = info->host.n_bytes >= sizeof(mark) - 1 &&
		      memcmp(info->host.text, mark, sizeof(mark) - 1) == 0;
	im->pid = (uint32_t)info->pid;
	im->last_ns = info->last_ns;
	im->capture_s = info->capture_s;
	im->capture = tw_import_copy(im, info->capture);
	im->host = tw_import_copy(im, info->host);
	first = tw_import_process(im, im->pid);
	if (!first)
		return -ENOMEM;
	first->program = tw_import_copy(im, info->program);
	return 0;
}

static uint64_t number_hash(uint32_t number)
{
	return (uint64_t)number * 0x9e3779b97f4a7c15u >> 7;
}

static uint64_t series_hash(struct tw_slice text, bool is_frame)
{
	return XXH3_64bits_withSeed(text.text, text.n_bytes, is_frame);
}

/* A ledger's thread: the file's id of the spool's number. */
static int link_thread(struct tw_import *im, uint64_t number, uint64_t id)
{
	struct tw_import_thread *thread = tw_import_thread(im, id);
	uint32_t *main_thread;

	if (!thread)
		return -ENOMEM;
	if (number == 0 || number >= TW_IDS_MAX || thread->number)
		return 0;
	thread->number = (uint32_t)number;
	if (thread->number > im->next_number)
		im->next_number = thread->number;
	if (im->ledger_thread != number)
		return 0;
	thread->process = im->ledger_process;
	thread->is_main = im->is_ledger_main;
	main_thread = tw_import_slot(&im->mains, number_hash(thread->process));
	if (!main_thread)
		return -ENOMEM;
	if (!*main_thread || thread->is_main)
		*main_thread = (uint32_t)(thread - im->threads) + 1;
	return 0;
}

static int add_series(struct tw_import *im, const uint64_t *numbers,
		      const struct tw_slice *texts)
{
	uint32_t *slot =
		tw_import_slot(&im->series_ids, series_hash(texts[0], numbers[0] != 0));
	struct tw_import_series *s;

	if (!slot)
		return -ENOMEM;
	if (im->n_series == im->series_room) {
		uint32_t room = im->series_room ? im->series_room * 2 : 16;

		s = realloc(im->series, room * sizeof(*s));
		if (!s)
			return -ENOMEM;
		im->series = s;
		im->series_room = room;
	}
	im->series[im->n_series++] = (struct tw_import_series){
		.name = tw_import_copy(im, texts[1]),
		.process = numbers[1] < TW_IDS_MAX ? (uint32_t)numbers[1] : 0};
	*slot = im->n_series;
	return 0;
}

static int on_record(void *context, uint64_t tag, const uint64_t *numbers,
		     const struct tw_slice *texts)
{
	struct tw_import *im = context;
	struct tw_span spans[TW_LEDGER_TEXTS_MAX];
	unsigned n_numbers, n_texts;

	if (tag == TW_LEDGER_THREAD_ID)
		return link_thread(im, numbers[0], numbers[1]);
	if (tag == TW_LEDGER_OPEN) {
		if (im->n_threads && numbers[2] <= numbers[1] &&
		    im->threads[im->n_threads - 1].number == numbers[0])
			im->threads[im->n_threads - 1].first_open =
				numbers[1] - numbers[2];
		return 0;
	}
	if (tag == TW_LEDGER_SERIES)
		return add_series(im, numbers, texts);
	if (tag == TW_META_THREAD && numbers[1] < TW_IDS_MAX) {
		im->ledger_thread = numbers[0];
		im->ledger_process = (uint32_t)numbers[1];
		im->is_ledger_main = numbers[4] == TW_THREAD_MAIN;
	}
	if (!tw_ledger_shape(tag, &n_numbers, &n_texts))
		return 0;
	for (unsigned i = 0; i < n_texts; i++)
		spans[i] = (struct tw_span){texts[i].text, texts[i].n_bytes};
	tw_spool_meta(im->spool, (enum tw_meta_tag)tag, numbers, n_numbers, spans,
		      n_texts);
	return 0;
}

int tw_import_ledger(void *context, struct tw_slice text)
{
	struct tw_import *im = context;

	if (!im->is_ours || !tw_ledger_is(text))
		return 0;
	im->has_ledger = true;
	return tw_ledger_read(text, on_record, im);
}

/* "name [program pid]": cuts *name and finds the process; NULL when it is none. */
static struct tw_import_process *owner_of(struct tw_import *im, struct tw_slice *name)
{
	struct tw_import_process *p;
	uint32_t at = name->n_bytes, digits;
	struct tw_slice program;
	uint64_t pid = 0;

	if (!im->is_ours || at < 5 || name->text[--at] != ']')
		return NULL;
	for (digits = at;
	     at > 0 && name->text[at - 1] >= '0' && name->text[at - 1] <= '9';)
		at--;
	for (uint32_t i = at; i < digits && i < at + 10; i++)
		pid = pid * 10 + (uint64_t)(name->text[i] - '0');
	if (at == digits || digits - at > 10 || at == 0 || pid > UINT32_MAX)
		return NULL;
	digits = name->text[at - 1] == ' ' ? at - 1 : at;
	for (at = digits; at > 1 && name->text[at - 1] != '[';)
		at--;
	if (at < 2 || name->text[at - 1] != '[' || name->text[at - 2] != ' ')
		return NULL;
	program = (struct tw_slice){name->text + at, digits - at};
	p = tw_import_process(im, (uint32_t)pid);
	if (p && p->program.n_bytes == 0)
		p->program = tw_import_copy(im, program);
	name->n_bytes = at - 2;
	return p;
}

int tw_import_thread_name(void *context, uint64_t tid, struct tw_slice name)
{
	struct tw_import *im = context;
	struct tw_import_thread *thread;
	struct tw_import_process *owner;
	char number[32];

	if (im->has_ledger)
		return 0;
	thread = tw_import_thread(im, tid);
	owner = owner_of(im, &name);
	if (!thread)
		return -ENOMEM;
	if (owner)
		thread->process = owner->number;
	/* Names that our live client gives to those who have none. */
	snprintf(number, sizeof(number), "thread %u", (uint32_t)tid);
	if (im->is_ours && ((name.n_bytes == 4 && memcmp(name.text, "main", 4) == 0) ||
			    (name.n_bytes == strlen(number) &&
			     memcmp(name.text, number, name.n_bytes) == 0)))
		return 0;
	thread->name = tw_import_copy(im, name);
	return 0;
}

int tw_import_crash(void *context, uint64_t tid, int64_t ns, struct tw_slice text)
{
	struct tw_import *im = context;
	char words[512];
	unsigned pid, signal;
	const char *at;
	int n;

	(void)tid;
	if (im->has_ledger)
		return 0;
	n = snprintf(words, sizeof(words), "crash: %.*s",
		     (int)(text.n_bytes < 400 ? text.n_bytes : 400), text.text);
	tw_spool_meta(im->spool, TW_META_MARK, (uint64_t[]){tw_import_ticks(ns)}, 1,
		      &(struct tw_span){words, (size_t)n}, 1);
	/* In the words of file_names.c or of feed_meta.c. */
	at = strstr(words, "process ");
	at = at ? at : strstr(words, "(pid ");
	if (im->is_ours && at &&
	    (sscanf(at, "process %u was killed by signal %u", &pid, &signal) == 2 ||
	     sscanf(at, "(pid %u) was killed by signal %u", &pid, &signal) == 2)) {
		struct tw_import_process *p = tw_import_process(im, pid);

		if (p)
			p->signal = signal;
	}
	return 0;
}

int tw_import_app_info(void *context, struct tw_slice text)
{
	struct tw_import *im = context;

	if (!im->has_ledger)
		put_text(im, im->is_ours ? TW_META_SESSION : TW_META_NOTE,
			 im->is_ours ? "command" : NULL, text);
	return 0;
}

/* What a ledger says of a series: 0, or the index + 1 of the thread for its points. */
static uint32_t ledger_series(struct tw_import *im, struct tw_slice *name,
			      bool is_frame)
{
	uint32_t *slot = tw_import_slot(&im->series_ids, series_hash(*name, is_frame));
	const struct tw_import_series *s;

	if (!slot || !*slot || *slot > im->n_series)
		return 0;
	s = &im->series[*slot - 1];
	*name = s->name;
	slot = tw_import_slot(&im->mains, number_hash(s->process));
	return slot ? *slot : 0;
}

int tw_import_series(struct tw_import *im, struct tw_slice text, bool is_frame)
{
	struct tw_slice name = text;
	const struct tw_import_process *owner = NULL;
	uint32_t at = 0;

	if (im->has_ledger)
		at = ledger_series(im, &name, is_frame);
	else
		owner = owner_of(im, &name);
	if (!im->has_ledger && is_frame && name.n_bytes == 5 &&
	    memcmp(name.text, "Frame", 5) == 0)
		name.n_bytes = 0;
	im->named_string = tw_import_string(im, name);
	if (at == 0) {
		struct tw_import_thread *thread =
			tw_import_thread(im, owner ? owner->pid : im->pid);

		if (!thread)
			return -ENOMEM;
		if (owner)
			thread->process = owner->number;
		at = (uint32_t)(thread - im->threads) + 1;
	}
	im->named_thread = at - 1;
	return 0;
}

static void put_process(struct tw_import *im, const struct tw_import_process *p)
{
	struct tw_span program = {p->program.text, p->program.n_bytes};
	uint64_t end = tw_import_ticks(im->last_ns);
	uint32_t parent = p->number > 1 ? im->pid : 0;

	tw_spool_meta(im->spool, TW_META_PROCESS,
		      (uint64_t[]){p->number, p->pid, parent, 1, parent ? 1 : 0}, 5,
		      (struct tw_span[]){program, program}, 2);
	tw_spool_meta(im->spool, TW_META_PROCESS_END,
		      (uint64_t[]){p->number, end,
				   p->signal ? TW_END_SIGNALLED : TW_END_UNKNOWN,
				   p->signal},
		      4, NULL, 0);
}

static void put_thread(struct tw_import *im, struct tw_import_thread *thread)
{
	struct tw_span name = {thread->name.text, thread->name.n_bytes};
	uint32_t process = thread->process ? thread->process : 1;

	thread->is_main = im->processes[process - 1].pid == thread->id;
	tw_spool_meta(im->spool, TW_META_THREAD,
		      (uint64_t[]){thread->number, process, (uint32_t)thread->id, 0,
				   thread->is_main ? TW_THREAD_MAIN : TW_THREAD_PLAIN},
		      5, NULL, 0);
	if (name.bytes)
		tw_spool_meta(im->spool, TW_META_THREAD_NAME,
			      (uint64_t[]){thread->number}, 1, &name, 1);
}

void tw_import_people(struct tw_import *im)
{
	uint64_t end = tw_import_ticks(im->last_ns), wall = im->capture_s * 1000000000u;

	if (!im->has_ledger) {
		struct tw_clock_anchor first = {1, 1, wall}, last = {end, end, wall};

		last.wall_ns += end - 1;
		tw_spool_clock(im->spool, &first, TW_CLOCK_KIND_RAW);
		tw_spool_clock(im->spool, &last, TW_CLOCK_KIND_RAW);
		put_text(im, TW_META_SESSION, "capture", im->capture);
		put_text(im, TW_META_SESSION, "host", im->host);
		for (uint32_t i = 0; i < im->n_processes; i++)
			put_process(im, &im->processes[i]);
	}
	for (uint32_t i = 0; i < im->n_threads; i++) {
		struct tw_import_thread *thread = &im->threads[i];

		if (thread->number || im->next_number >= TW_IDS_MAX - 1)
			continue;
		/* Of our marks; the ledger has them. */
		if (im->has_ledger && thread->id == TW_TRACY_NO_TID)
			continue;
		thread->number = ++im->next_number;
		put_thread(im, thread);
	}
	if (!im->has_ledger)
		tw_spool_meta(im->spool, TW_META_FINISH, &end, 1, NULL, 0);
}

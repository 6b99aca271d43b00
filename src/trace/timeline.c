/* SPDX-License-Identifier: BSD-3-Clause */
/* See timeline.h: opening (pass 1), looking up, closing. */
#include "trace/timeline.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "trace/demangle.h"
#include "trace/symbols.h"
#include "trace/timeline_private.h"

#define SLICE(literal)                                                                 \
	{                                                                              \
		literal, sizeof(literal) - 1                                           \
	}

static const char *const layer_words[] = {
#define TW_X(name, word) [TW_LAYER_##name] = word,
	TW_LAYERS(TW_X)
#undef TW_X
};

static const char *const loss_words[] = {
#define TW_X(name, words) [TW_LOSS_##name] = words,
	TW_LOSSES(TW_X)
#undef TW_X
};

static const struct tw_place unknown_place = {
	.layer = TW_LAYER_COUNT,
	.name = SLICE("(unknown location)"),
	.function = SLICE(""),
	.file = SLICE(""),
};

const char *tw_layer_word(uint32_t layer)
{
	return layer < TW_LAYER_COUNT ? layer_words[layer] : "unknown";
}

const char *tw_thread_kind_word(uint32_t kind)
{
	static const char *const words[] = {
		[TW_THREAD_PLAIN] = "thread",	    [TW_THREAD_MAIN] = "main",
		[TW_THREAD_FIBER] = "fiber",	    [TW_THREAD_DEVICE] = "device",
		[TW_THREAD_DEVICE_TRACK] = "track",
	};

	return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "unknown";
}

const char *tw_loss_words(uint32_t reason)
{
	return reason < TW_LOSS_COUNT ? loss_words[reason]
				      : "a reason that only a newer tracewrap knows";
}

const struct tw_place *tw_timeline_place(const struct tw_timeline *t, uint32_t id)
{
	const struct tw_place *place = tw_table_get(&t->places, id);

	return place ? place : &unknown_place;
}

struct tw_slice tw_timeline_string(const struct tw_timeline *t, uint32_t id)
{
	const struct tw_slice none = SLICE(""), unknown = SLICE("(unknown name)");
	const struct tw_slice *string = tw_table_get(&t->strings, id);

	if (string)
		return *string;
	return id == 0 ? none : unknown;
}

/* Remembers where a thread's events begin: the session is at least that old. */
static void note_events(struct tw_timeline *t, const struct tw_block *block)
{
	struct tw_thread *thread = tw_timeline_thread(t, block->thread);
	const uint8_t *raw;
	uint64_t ticks;

	t->n_events += block->n_records;
	if (!thread || thread->first_ticks != 0 || block->raw_bytes < sizeof(ticks))
		return;
	raw = tw_spool_unpack(t->spool, block, sizeof(ticks));
	if (!raw)
		return;
	memcpy(&ticks, raw, sizeof(ticks));
	thread->first_ticks = le64toh(ticks);
	tw_clock_map_seen(&t->clock, thread->first_ticks);
}

static int read_blocks(struct tw_timeline *t, struct tw_fault *fault)
{
	struct tw_block block;
	int more;

	while ((more = tw_spool_next(t->spool, &block, fault)) > 0) {
		const uint8_t *raw;

		if (block.kind == TW_BLOCK_EVENTS)
			note_events(t, &block);
		if (block.kind != TW_BLOCK_META)
			continue;
		raw = tw_spool_unpack(t->spool, &block, UINT32_MAX);
		if (raw && tw_timeline_read_meta(t, raw, block.raw_bytes) < 0)
			return tw_fault_no_memory(fault);
	}
	return more;
}

/* Was the trace made on this machine? Only then are its files the ones it speaks of. */
static bool is_from_here(const struct tw_timeline *t)
{
	struct utsname host;
	char line[sizeof(host.nodename) + 16];

	if (uname(&host) != 0)
		return false;
	snprintf(line, sizeof(line), "\nHost: %s\n", host.nodename);
	for (uint32_t i = 0; i < t->n_session; i++)
		if (strcmp(t->session[i].key.text, "host") == 0)
			return strstr(t->session[i].value.text, line) != NULL;
	return false;
}

static int put_name(struct tw_timeline *t, struct tw_place *place, const char *format,
		    ...) __attribute__((format(printf, 3, 4)));

static int put_name(struct tw_timeline *t, struct tw_place *place, const char *format,
		    ...)
{
	char buffer[TW_DEMANGLED_MAX + 32];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(buffer, sizeof(buffer), format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= sizeof(buffer))
		n = n < 0 ? 0 : (int)sizeof(buffer) - 1;
	place->name.text = tw_names_copy(t->names, buffer, (size_t)n);
	place->name.n_bytes = (uint32_t)n;
	return place->name.text ? 0 : -ENOMEM;
}

/* A code address: "function+0x12" if its file still tells, what the loader said while
 * recording, or "libfoo.so+0x1234". */
static int name_code(struct tw_timeline *t, struct tw_place *place)
{
	const char *base = strrchr(place->file.text, '/');
	char buffer[TW_DEMANGLED_MAX];
	struct tw_symbol symbol;

	base = base ? base + 1 : place->file.text;
	if (t->symbols &&
	    tw_symbols_find(t->symbols, place->file.text, place->line, &symbol)) {
		size_t n = tw_demangle(t->demangler, symbol.name, buffer);
		const char *name = n ? buffer : symbol.name;

		if (symbol.offset == 0)
			return put_name(t, place, "%s", name);
		return put_name(t, place, "%s+0x%" PRIx64, name, symbol.offset);
	}
	if (place->function.n_bytes) {
		if (tw_demangle(t->demangler, place->function.text, buffer))
			return put_name(t, place, "%s", buffer);
		place->name = place->function;
		return 0;
	}
	return put_name(t, place, "%s+0x%" PRIx32, *base ? base : "(unknown)",
			place->line);
}

/* The name people see: its own or its function's, demangled. */
static int name_place(struct tw_timeline *t, struct tw_place *place)
{
	char buffer[TW_DEMANGLED_MAX];
	size_t n;

	place->function = tw_timeline_string(t, place->function_id);
	place->file = tw_timeline_string(t, place->file_id);
	place->name = tw_timeline_string(t, place->name_id);
	if (place->is_code && place->name.n_bytes == 0)
		return name_code(t, place);
	if (place->name.n_bytes == 0)
		place->name = place->function;
	if (place->name.n_bytes == 0)
		place->name = (struct tw_slice)SLICE("(unnamed)");
	n = tw_demangle(t->demangler, place->name.text, buffer);
	if (n == 0)
		return 0;
	place->name.text = tw_names_copy(t->names, buffer, n);
	place->name.n_bytes = (uint32_t)n;
	return place->name.text ? 0 : -ENOMEM;
}

static void time_process(struct tw_timeline *t, struct tw_process *p)
{
	p->start_ns = tw_clock_map_ns(&t->clock, p->start_ticks);
	p->end_ns = tw_clock_map_ns(&t->clock, p->end_ticks);
	if (p->end_ns < p->start_ns)
		p->end_ns = p->start_ns;
}

static void time_thread(struct tw_timeline *t, struct tw_thread *thread)
{
	uint64_t start =
		thread->start_ticks ? thread->start_ticks : thread->first_ticks;

	thread->start_ns = tw_clock_map_ns(&t->clock, start);
	thread->end_ns = tw_clock_map_ns(&t->clock, thread->end_ticks);
	/* A killed process has threads that never said good-bye. */
	if (!thread->has_end && thread->process->has_end) {
		thread->has_end = true;
		thread->end_ns = thread->process->end_ns;
	}
	if (thread->end_ns < thread->start_ns)
		thread->end_ns = thread->start_ns;
}

/* Everything that needs all META records: names, and times from the whole clock. */
static int settle(struct tw_timeline *t)
{
	tw_clock_map_finish(&t->clock);
	t->end_ns = tw_clock_map_ns(&t->clock, t->end_ticks);
	t->start_wall_ns = tw_clock_map_wall_ns(&t->clock);
	if (t->start_wall_ns == 0)
		t->start_wall_ns = le64toh(tw_spool_header(t->spool)->created_wall_ns);
	if (is_from_here(t))
		t->symbols = tw_symbols_new(t->start_wall_ns);
	for (uint32_t i = 0; i < t->places.n; i++)
		if (t->places.items[i] && name_place(t, t->places.items[i]) < 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < t->processes.n; i++)
		if (t->processes.items[i])
			time_process(t, t->processes.items[i]);
	for (uint32_t i = 0; i < t->threads.n; i++)
		if (t->threads.items[i])
			time_thread(t, t->threads.items[i]);
	return 0;
}

int tw_timeline_open(struct tw_timeline **out, const char *path, struct tw_fault *fault)
{
	struct tw_spool *spool;
	int error = tw_spool_open(&spool, path, fault);

	*out = NULL;
	return error ? error : tw_timeline_adopt(out, spool, fault);
}

int tw_timeline_adopt(struct tw_timeline **out, struct tw_spool *spool,
		      struct tw_fault *fault)
{
	struct tw_timeline *t = calloc(1, sizeof(*t));
	int error = 0;

	*out = NULL;
	if (!t) {
		tw_spool_close(spool);
		return tw_fault_no_memory(fault);
	}
	t->spool = spool;
	tw_clock_map_init(&t->clock);
	t->unknown_process.program.text = t->unknown_process.command.text = "";
	t->names = tw_names_new();
	t->demangler = tw_demangler_new();
	if (!t->names || !t->demangler)
		error = tw_fault_no_memory(fault);
	if (!error)
		error = read_blocks(t, fault);
	if (!error && settle(t) < 0)
		error = tw_fault_no_memory(fault);
	/* Its child process would outlive its use otherwise. */
	tw_demangler_free(t->demangler);
	t->demangler = NULL;
	tw_symbols_free(t->symbols);
	t->symbols = NULL;
	if (error) {
		tw_timeline_close(t);
		return error;
	}
	*out = t;
	return 0;
}

void tw_timeline_close(struct tw_timeline *t)
{
	if (!t)
		return;
	tw_spool_close(t->spool);
	tw_timeline_free_index(t);
	tw_table_free(&t->strings);
	tw_table_free(&t->places);
	tw_table_free(&t->processes);
	tw_table_free(&t->threads);
	tw_demangler_free(t->demangler);
	tw_names_free(t->names);
	free(t);
}

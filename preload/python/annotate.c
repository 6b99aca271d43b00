/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of `_tracewrap` that record: zones, messages, plots, frames, threads'
 * names; and those that start and stop. Contracts in module.h and annotate.h. Called by
 * our packages (lib/), which check and convert; on any Python thread, with the lock.
 */
#include "annotate.h"

#include <string.h>
#include <sys/mman.h>

#include "core/intern.h"
#include "core/sys.h"
#include "module.h"
#include "tracewrap.h"
#include "zone.h"

#define FIRST_BYTES  4096u
#define GATE_WAIT_NS 1000000000u
#define GATE_STEP_NS 50000u

extern const struct tracewrap_api tracewrap_api_1;

/*
 * In a task, functions end at each await, zones need not: so they lie on a row of their
 * own beside the task's, and are known there by it.
 */
struct open_zone {
	uint64_t number;
	struct tw_producer *home;  /* who ran when it began; NULL: the thread itself */
	struct tw_producer *fiber; /* where it lies */
	uint32_t token;
};

/* A thread's open zones, innermost last. */
struct book {
	int32_t pid; /* of the process that wrote it: a fork's child begins anew */
	uint32_t n, bytes;
	struct open_zone zones[];
};

static _Thread_local struct book *book __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t last_number;

static bool grow_book(void)
{
	uint32_t bytes = book ? book->bytes * 2 : FIRST_BYTES;
	struct book *more = tw_sys_mmap(bytes, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (tw_sys_failed(more))
		return false;
	if (book)
		memcpy(more, book, book->bytes);
	tw_py_annotate_leave();
	more->bytes = bytes;
	book = more;
	return true;
}

/* Room for one more zone, and none of another process. */
static bool prepare_book(void)
{
	if (book && book->pid != tw_self.life->pid)
		book->n = 0;
	if (!book ||
	    offsetof(struct book, zones) + (book->n + 1) * sizeof(struct open_zone) >
		    book->bytes)
		if (!grow_book())
			return false;
	book->pid = tw_self.life->pid;
	return true;
}

void tw_py_annotate_leave(void)
{
	if (book)
		tw_sys_munmap(book, book->bytes);
	book = NULL;
}

void tw_py_annotate_cut(uint32_t token)
{
	struct tw_producer *fiber = tw_thread_producer->fiber;
	uint32_t kept = 0;

	for (uint32_t i = 0; book && i < book->n; i++)
		if (book->zones[i].fiber != fiber || book->zones[i].token < token)
			book->zones[kept++] = book->zones[i];
	if (book)
		book->n = kept;
}

/* From here on events go there, until the same with what ran before. */
static void go_to(struct tw_producer *fiber)
{
	if (fiber && fiber != tw_thread_producer->fiber)
		tw_producer_enter(tw_thread_producer, fiber);
}

/*
 * The zone of that number, if it was opened by who runs now and is still open; else
 * NULL. Then events go to where it lies: go_to(zone's home) when done.
 */
static struct open_zone *find(uint64_t number)
{
	struct tw_producer *p = tw_thread_producer, *home = p->fiber;

	if (!book || !p->ring || book->pid != tw_self.life->pid)
		return NULL;
	for (uint32_t i = book->n; i-- > 0;) {
		struct open_zone *zone = &book->zones[i];

		if (zone->number != number)
			continue;
		if (zone->home != home)
			return NULL;
		go_to(zone->fiber);
		if (p->fiber == zone->fiber && zone->token <= p->depth)
			return zone;
		go_to(home);
		return NULL;
	}
	return NULL;
}

/* The UTF-8 of any object's str(), cut at the first NUL; *holder is to be dropped. */
static const char *text_of(tw_o *object, tw_o **holder)
{
	tw_o *text = tw_py_call.to_text(object);
	const char *words = NULL;

	*holder = NULL;
	if (!text)
		return NULL;
	/* Lone surrogates have no UTF-8. */
	*holder = tw_py_call.to_bytes(text, "utf-8", "replace");
	tw_py_call.drop(text);
	if (*holder)
		words = tw_py_call.bytes(*holder);
	return words;
}

static uint32_t intern(tw_o *object)
{
	tw_o *holder = NULL;
	const char *words = NULL;
	uint32_t id = 0;

	if (object != tw_py_call.at_none)
		words = text_of(object, &holder);
	if (words)
		id = tw_intern_string(tw_self.view.arena, words, strlen(words));
	tw_py_release(holder);
	return id;
}

/* location(name, function, file, line, colour) -> number for zone_begin */
static tw_o *location(tw_o *self, tw_o *arguments)
{
	struct tw_location l = {.layer = TW_LAYER_USER};
	tw_o *name, *function, *file;
	uint32_t id = 0;

	(void)self;
	if (!tw_py_call.parse(arguments, "OOOII", &name, &function, &file, &l.line,
			      &l.colour))
		return NULL;
	if (tw_self_producer()) {
		l.name = intern(name);
		l.function = intern(function);
		l.file = intern(file);
		l.colour &= 0xffffff;
		id = tw_intern_location(tw_self.view.arena, &l);
	}
	if (tw_py_call.error_now())
		return NULL;
	return tw_py_call.build("I", id);
}

/* zone_begin(location) -> number of the zone, 0 when it is not recorded */
static tw_o *zone_begin(tw_o *self, tw_o *arguments)
{
	unsigned id;
	uint64_t number = 0;

	(void)self;
	if (!tw_py_call.parse(arguments, "I", &id))
		return NULL;
	if (id && tw_self_producer() && prepare_book()) {
		struct tw_producer *home = tw_thread_producer->fiber;
		struct open_zone zone = {.number = ++last_number, .home = home};

		go_to(home ? tw_py_task_zones(home) : NULL);
		zone.fiber = tw_thread_producer->fiber;
		zone.token = tw_py_zone_begin(id);
		go_to(home);
		book->zones[book->n++] = zone;
		number = zone.number;
	}
	return tw_py_call.build("K", (unsigned long long)number);
}

/* zone_end(number): with it end zones that were opened inside and never ended */
static tw_o *zone_end(tw_o *self, tw_o *arguments)
{
	unsigned long long number;
	struct open_zone *zone;

	(void)self;
	if (!tw_py_call.parse(arguments, "K", &number))
		return NULL;
	zone = find(number);
	if (zone) {
		uint32_t token = zone->token;
		struct tw_producer *home = zone->home;

		tw_py_annotate_cut(token);
		tw_py_zone_end(token);
		go_to(home);
	}
	return tw_py_nothing();
}

/* Describes the innermost zone. False: an exception is set. */
static bool describe(char kind, tw_o *value, unsigned long long n)
{
	tw_o *holder = NULL;
	const char *words = NULL;

	if (kind == 'c')
		tracewrap_api_1.zone_colour((uint32_t)n & 0xffffff);
	else if (kind == 'v')
		tracewrap_api_1.zone_value(n);
	else
		words = text_of(value, &holder);
	if (words && kind == 't')
		tracewrap_api_1.zone_text(words, strlen(words));
	else if (words)
		tracewrap_api_1.zone_name(words, strlen(words));
	tw_py_release(holder);
	return !tw_py_call.error_now();
}

/*
 * zone_add(number, kind, value, is_last) -> whether it was taken. Only the innermost
 * zone can be described; is_last ends those inside, because this one ends next. Kinds
 * are text, name, colour and value, by their first letters.
 */
static tw_o *zone_add(tw_o *self, tw_o *arguments)
{
	struct tw_producer *p = tw_thread_producer, *home = p->fiber;
	unsigned long long number, n = 0;
	struct open_zone *zone;
	tw_o *value;
	const char *kind;
	int is_last;
	bool is_taken, is_right = true;

	(void)self;
	if (!tw_py_call.parse(arguments, "KsOi", &number, &kind, &value, &is_last))
		return NULL;
	if ((*kind == 'c' || *kind == 'v') &&
	    !tw_py_call.parse(arguments, "OOKO", &value, &value, &n, &value))
		return NULL;
	zone = find(number);
	if (zone && is_last) {
		tw_py_annotate_cut(zone->token + 1);
		tw_producer_unwind(p, zone->token);
	}
	is_taken = zone && p->depth == zone->token;
	if (is_taken)
		is_right = describe(*kind, value, n);
	go_to(home);
	return is_right ? tw_py_call.bool_new(is_taken) : NULL;
}

/* A function whose first argument is a text: given to `use` with a number. */
static tw_o *with_text(tw_o *arguments, void (*use)(const char *words, double number))
{
	tw_o *text, *holder;
	double number = 0;
	const char *words;

	if (!tw_py_call.parse(arguments, "O|d", &text, &number))
		return NULL;
	words = text_of(text, &holder);
	if (words)
		use(words, number);
	tw_py_release(holder);
	return words ? tw_py_nothing() : NULL;
}

static void use_message(const char *words, double colour)
{
	tracewrap_api_1.message(words, strlen(words), (uint32_t)colour & 0xffffff);
}

static void use_plot(const char *words, double value)
{
	tracewrap_api_1.plot(words, value);
}

/* An empty name is that of the one unnamed series of frames. */
static void use_frame(const char *words, double what)
{
	const char *name = *words ? words : NULL;

	if (what == 0)
		tracewrap_api_1.frame(name);
	else if (what > 0)
		tracewrap_api_1.frame_begin(name);
	else
		tracewrap_api_1.frame_end(name);
}

static void use_thread_name(const char *words, double unused)
{
	(void)unused;
	tracewrap_api_1.thread_name(words);
}

static void use_note(const char *words, double unused)
{
	(void)unused;
	if (tw_self_producer())
		tw_arena_note(tw_self.view.arena, words, strlen(words));
}

static tw_o *message(tw_o *self, tw_o *arguments)
{
	(void)self;
	return with_text(arguments, use_message);
}

static tw_o *plot(tw_o *self, tw_o *arguments)
{
	(void)self;
	return with_text(arguments, use_plot);
}

static tw_o *frame(tw_o *self, tw_o *arguments)
{
	(void)self;
	return with_text(arguments, use_frame);
}

static tw_o *thread_name(tw_o *self, tw_o *arguments)
{
	(void)self;
	return with_text(arguments, use_thread_name);
}

static tw_o *note(tw_o *self, tw_o *arguments)
{
	(void)self;
	return with_text(arguments, use_note);
}

/* memory(pool, address, bytes): bytes < 0 frees it */
static tw_o *memory(tw_o *self, tw_o *arguments)
{
	unsigned long long address;
	long long bytes;
	const char *words;
	tw_o *pool, *holder;

	(void)self;
	if (!tw_py_call.parse(arguments, "OKL", &pool, &address, &bytes))
		return NULL;
	words = text_of(pool, &holder);
	if (words && bytes >= 0)
		tracewrap_api_1.memory_alloc(*words ? words : NULL,
					     (void *)(uintptr_t)address, (size_t)bytes);
	else if (words)
		tracewrap_api_1.memory_free(*words ? words : NULL,
					    (void *)(uintptr_t)address);
	tw_py_release(holder);
	return words ? tw_py_nothing() : NULL;
}

/* recording(is_on): as `tracewrap ctl`: all layers, all processes; waits for it. */
static tw_o *recording(tw_o *self, tw_o *arguments)
{
	struct tw_arena *arena = tw_self.view.arena;
	uint32_t is_on;

	(void)self;
	if (!tw_py_call.parse(arguments, "p", &is_on))
		return NULL;
	if (!tw_self_producer() || atomic_load(&arena->gate) == is_on)
		return tw_py_nothing();
	atomic_store(&arena->control.gate_request, is_on ? 1 : 2);
	tw_arena_kick(arena);
	for (uint32_t ns = 0; ns < GATE_WAIT_NS && !atomic_load(&arena->is_pump_gone) &&
			      atomic_load(&arena->gate) != is_on;
	     ns += GATE_STEP_NS)
		tw_sys_sleep_ns(GATE_STEP_NS);
	return tw_py_nothing();
}

/* python(is_on): Python functions alone, in this process; at once. */
static tw_o *python(tw_o *self, tw_o *arguments)
{
	int is_on;

	(void)self;
	if (!tw_py_call.parse(arguments, "p", &is_on))
		return NULL;
	tw_py_code_silence(!is_on);
	return tw_py_nothing();
}

static tw_o *is_recorded(tw_o *self, tw_o *arguments)
{
	(void)self;
	(void)arguments;
	return tw_py_call.bool_new(tw_self_producer() != NULL);
}

struct tw_py_function tw_py_annotate_rows[] = {
	{"location", location, TW_PY_VARARGS, NULL},
	{"zone_begin", zone_begin, TW_PY_VARARGS, NULL},
	{"zone_end", zone_end, TW_PY_VARARGS, NULL},
	{"zone_add", zone_add, TW_PY_VARARGS, NULL},
	{"message", message, TW_PY_VARARGS, NULL},
	{"plot", plot, TW_PY_VARARGS, NULL},
	{"frame", frame, TW_PY_VARARGS, NULL},
	{"thread_name", thread_name, TW_PY_VARARGS, NULL},
	{"note", note, TW_PY_VARARGS, NULL},
	{"memory", memory, TW_PY_VARARGS, NULL},
	{"recording", recording, TW_PY_VARARGS, NULL},
	{"python", python, TW_PY_VARARGS, NULL},
	{"is_recorded", is_recorded, TW_PY_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

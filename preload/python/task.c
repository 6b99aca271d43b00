/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * asyncio tasks as fibers. A task has a row of its own, named by its coroutine, with
 * one zone from its first step to its end; what it runs at each step lies in it, across
 * awaits. When it has ended the next task of the same coroutine takes the row, so there
 * are as many rows as tasks were alive at once.
 *
 * Where a step begins and ends: the accelerator (_asyncio) hands the event loop objects
 * whose call is the step. Their C function is taken over, in the type's slot for calls
 * or in the row of the builtin function; the hook (lib/_tracewrap_hooks/asyncio.py)
 * finds these with a task of its own. The Task that is written in Python gets its
 * method wrapped. The first step of an eager task runs inside its creator, and lies
 * there.
 *
 * Rows are looked up by the task's address. A weak reference tells when that has become
 * another task. Hooks run with the lock; free-threaded builds have `lock` here.
 */
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "annotate.h"
#include "core/intern.h"
#include "core/sys.h"
#include "core/text.h"
#include "module.h"
#include "preload/slot.h"
#include "tracewrap.h"
#include "zone.h"

#define ROWS_MAX      1024u
#define BUCKETS_N     1024u
#define TYPE_NAME     8	  /* in a type, from the end of an object's header */
#define TYPE_CALL     112 /* the same: tp_call */
#define BUILTIN_ROW   0	  /* in a builtin function: its PyMethodDef */
#define BUILTIN_SELF  8
#define FLAG_KEYWORDS 2
#define FLAG_ONE      8 /* METH_O */

extern const struct tracewrap_api tracewrap_api_1;

typedef tw_o *(*call_function)(tw_o *self, tw_o *arguments, tw_o *keywords);
typedef tw_o *(*one_function)(tw_o *self, tw_o *argument);

/* A row of the timeline and the task that has it. */
struct row {
	uint32_t fiber; /* 0 = never used */
	uint32_t zones; /* another one beside it, for zones of Python code; 0 = none */
	uint32_t location; /* its coroutine */
	uint32_t next;	   /* + 1, in the bucket of its task */
	bool is_taken;
	tw_o *task; /* an address: no reference */
	tw_o *weak; /* to the task, when it sleeps */
};

static struct row rows[ROWS_MAX];
static uint32_t n_rows;
static uint32_t buckets[BUCKETS_N];	 /* row + 1 */
static uint16_t rows_of[TW_THREADS_MAX]; /* by fiber: row + 1 */
static int32_t pid;			 /* whose rows these are */
static _Atomic uint32_t is_locked;

/* What was there before us: two types' calls, one builtin function. */
static call_function next_calls[2];
static one_function next_wakeup;

static void lock(void)
{
	while (atomic_exchange_explicit(&is_locked, 1, memory_order_acquire))
		;
}

static void unlock(void)
{
	atomic_store_explicit(&is_locked, 0, memory_order_release);
}

static uint32_t *bucket_of(const tw_o *task)
{
	return &buckets[((uintptr_t)task >> 4 ^ (uintptr_t)task >> 14) &
			(BUCKETS_N - 1)];
}

/* With the lock. */
static void unlink_row(struct row *row)
{
	uint32_t number = (uint32_t)(row - rows) + 1;

	for (uint32_t *at = bucket_of(row->task); *at; at = &rows[*at - 1].next)
		if (*at == number) {
			*at = row->next;
			break;
		}
	row->task = NULL;
	row->is_taken = false;
}

static struct row *look_up(const tw_o *task)
{
	struct row *found = NULL;

	lock();
	for (uint32_t at = *bucket_of(task); at && !found; at = rows[at - 1].next)
		if (rows[at - 1].task == task)
			found = &rows[at - 1];
	unlock();
	return found;
}

static void end_zones(uint32_t fiber)
{
	struct tw_producer *p = tw_thread_producer;

	tracewrap_api_1.fiber_enter(fiber);
	if (p->fiber && p->fiber->index + 1 == fiber) {
		tw_py_annotate_cut(0);
		tw_producer_unwind(p, 0);
	}
	tracewrap_api_1.fiber_leave();
}

/* The task has ended, or is gone: ends its zones and gives the row back. */
static void release_row(struct row *row)
{
	tw_o *weak;

	end_zones(row->fiber);
	if (row->zones)
		end_zones(row->zones);
	lock();
	weak = row->weak;
	row->weak = NULL;
	unlink_row(row);
	unlock();
	tw_py_release(weak);
}

/* In a fork's child the parent's rows are gone. */
static void forget_parent(void)
{
	if (pid == tw_self.life->pid)
		return;
	for (uint32_t i = 0; i < n_rows; i++)
		tw_py_release(rows[i].weak);
	memset(rows, 0, sizeof(rows));
	memset(buckets, 0, sizeof(buckets));
	memset(rows_of, 0, sizeof(rows_of));
	n_rows = 0;
	pid = tw_self.life->pid;
}

/* The row of a task that has run before. */
static struct row *find_row(tw_o *task)
{
	struct row *row = look_up(task);
	tw_o *alive;

	if (!row || !row->weak)
		return row;
	alive = tw_py_call.call(row->weak, NULL);
	if (!alive)
		tw_py_call.error_clear();
	tw_py_release(alive);
	if (alive == task)
		return row;
	release_row(row);
	return NULL;
}

/* What a coroutine is called and where it is written. */
static uint32_t find_location(tw_o *task, struct tw_text *name)
{
	tw_o *coroutine = tw_py_call.attribute(task, "_coro");
	tw_o *holders[2] = {NULL, NULL}, *code = NULL;
	struct tw_location l = {.layer = TW_LAYER_USER};
	struct tw_arena *arena = tw_self.view.arena;
	const char *text = NULL;

	tw_py_call.error_clear();
	if (coroutine) {
		text = tw_py_text_of(coroutine, "__qualname__", &holders[0]);
		code = tw_py_call.attribute(coroutine, "cr_code");
		if (!code)
			code = tw_py_call.attribute(coroutine, "gi_code");
		tw_py_call.error_clear();
	}
	tw_text_add(name, "Task: ");
	tw_text_add(name, text ? text : "?");
	l.name = tw_intern_string(arena, name->buffer, name->used);
	if (code) {
		text = tw_py_text_of(code, "co_filename", &holders[1]);
		l.file = text ? tw_intern_string(arena, text, strlen(text)) : 0;
		l.line = (uint32_t)tw_py_number_of(code, "co_firstlineno", 0);
	}
	tw_py_release(holders[1]);
	tw_py_release(holders[0]);
	tw_py_release(code);
	tw_py_release(coroutine);
	return tw_intern_location(arena, &l);
}

/* A row that no task has: one of the same coroutine, else a new one, else any. */
static struct row *choose_row(uint32_t location, uint32_t *n_same)
{
	struct row *other = NULL;

	*n_same = 0;
	for (uint32_t i = 0; i < n_rows; i++) {
		*n_same += rows[i].location == location;
		if (rows[i].is_taken)
			continue;
		if (rows[i].location == location)
			return &rows[i];
		other = &rows[i];
	}
	return n_rows < ROWS_MAX ? &rows[n_rows++] : other;
}

/* With the lock. NULL: there are too many tasks at once. */
static struct row *take_row(tw_o *task, uint32_t location, struct tw_text *name)
{
	uint32_t n_same;
	struct row *row = choose_row(location, &n_same);

	if (!row)
		return NULL;
	if (row->location != location) {
		if (row->fiber) {
			rows_of[row->fiber - 1] = 0;
			tracewrap_api_1.fiber_free(row->fiber);
		}
		if (row->zones)
			tracewrap_api_1.fiber_free(row->zones);
		row->zones = 0;
		if (n_same) {
			tw_text_add(name, " ");
			tw_text_add_u64(name, n_same + 1);
		}
		row->fiber = tracewrap_api_1.fiber_new(name->buffer);
		row->location = location;
		if (row->fiber)
			rows_of[row->fiber - 1] = (uint16_t)(row - rows + 1);
	}
	row->is_taken = true;
	row->task = task;
	row->next = *bucket_of(task);
	*bucket_of(task) = (uint32_t)(row - rows) + 1;
	return row;
}

struct tw_producer *tw_py_task_zones(struct tw_producer *fiber)
{
	uint32_t number = rows_of[fiber->index], bytes;
	struct row *row = number ? &rows[number - 1] : NULL;
	char words[256];
	struct tw_text name = tw_text_in(words, sizeof(words));
	const char *task;

	if (!row || pid != tw_self.life->pid)
		return fiber;
	if (!row->zones) {
		task = tw_string_get(tw_self.view.arena,
				     atomic_load(&fiber->ring->name), &bytes);
		if (task)
			tw_text_add_bytes(&name, task, bytes);
		tw_text_add(&name, " (zones)");
		row->zones = tracewrap_api_1.fiber_new(words);
	}
	return row->zones ? &tw_self.producers[row->zones - 1] : fiber;
}

/* The text of the zone that is the task's life: the task's own name, from 3.8. */
static void tell_name(tw_o *task)
{
	tw_o *name = tw_py_call.call_method(task, "get_name", NULL);
	const char *text = name ? tw_py_call.text(name) : NULL;

	if (text)
		tracewrap_api_1.zone_text(text, strlen(text));
	tw_py_call.error_clear();
	tw_py_release(name);
}

/* Gives back rows of tasks that are gone without an end; now and then. */
static void sweep(void)
{
	static uint32_t next_at = 64;
	uint32_t n_taken = 0;

	if (n_rows < next_at)
		return;
	for (uint32_t i = 0; i < n_rows; i++) {
		tw_o *alive = rows[i].weak ? tw_py_call.call(rows[i].weak, NULL) : NULL;

		if (alive == tw_py_call.at_none)
			release_row(&rows[i]);
		tw_py_release(alive);
		n_taken += rows[i].is_taken;
	}
	next_at = n_taken * 2 > 64 ? n_taken * 2 : 64;
	if (next_at > ROWS_MAX)
		next_at = ROWS_MAX;
}

/* The first step of a task. */
static struct row *new_row(tw_o *task)
{
	char words[256];
	struct tw_text name = tw_text_in(words, sizeof(words));
	uint32_t location = find_location(task, &name);
	struct row *row;

	sweep();
	lock();
	row = take_row(task, location, &name);
	unlock();
	if (!row) {
		static const char note[] =
			"asyncio: more than 1024 tasks at once; the others have no row";

		tw_arena_note(tw_self.view.arena, note, sizeof(note) - 1);
	}
	return row;
}

static bool is_done(tw_o *task)
{
	tw_o *holder;
	const char *state = tw_py_text_of(task, "_state", &holder);
	bool is = state && strcmp(state, "PENDING") != 0;

	tw_py_release(holder);
	return is;
}

/* A step begins. NULL: the task has no row. */
static struct row *enter(tw_o *task)
{
	struct tw_py_aside aside = tw_py_aside_put();
	struct row *row;
	bool is_new;

	forget_parent();
	row = find_row(task);
	is_new = !row;
	if (!row)
		row = new_row(task);
	if (row)
		tracewrap_api_1.fiber_enter(row->fiber);
	if (row && is_new) {
		tw_py_zone_begin(row->location);
		tell_name(task);
	}
	tw_py_aside_take(&aside);
	return row;
}

/* The step has ended; what ran before goes on. */
static void leave(tw_o *task, struct row *row, struct tw_producer *before)
{
	struct tw_py_aside aside = tw_py_aside_put();

	/* Not in a child that was forked inside of the step. */
	if (pid == tw_self.life->pid && row->task == task) {
		if (!is_done(task) && !row->weak)
			row->weak = tw_py_call.weak_new(task, NULL);
		if (row->weak && !is_done(task))
			tracewrap_api_1.fiber_leave();
		else
			release_row(row);
		if (before && before->ring)
			tw_producer_enter(tw_thread_producer, before);
	}
	tw_py_call.error_clear();
	tw_py_aside_take(&aside);
}

/* A way to call the step itself. */
struct step {
	call_function call;
	one_function one;
	tw_o *self, *arguments, *keywords;
};

static tw_o *run_step(tw_o *task, const struct step *step)
{
	struct tw_producer *p = tw_self_producer();
	struct tw_producer *before = p ? p->fiber : NULL;
	struct row *row;
	tw_o *result;

	tw_py_call.keep(task);
	row = p ? enter(task) : NULL;
	result = step->call ? step->call(step->self, step->arguments, step->keywords)
			    : step->one(step->self, step->arguments);
	if (row)
		leave(task, row, before);
	tw_py_call.drop(task);
	return result;
}

/* Objects of both types begin with their task. */
static tw_o *call_either(int which, tw_o *self, tw_o *arguments, tw_o *keywords)
{
	struct step step = {next_calls[which], NULL, self, arguments, keywords};
	tw_o *task = *(tw_o **)((char *)self + tw_py_header_bytes());

	return task ? run_step(task, &step)
		    : next_calls[which](self, arguments, keywords);
}

static tw_o *call_first(tw_o *self, tw_o *arguments, tw_o *keywords)
{
	return call_either(0, self, arguments, keywords);
}

static tw_o *call_second(tw_o *self, tw_o *arguments, tw_o *keywords)
{
	return call_either(1, self, arguments, keywords);
}

static tw_o *wakeup(tw_o *task, tw_o *future)
{
	struct step step = {NULL, next_wakeup, task, future, NULL};

	return run_step(task, &step);
}

static const call_function our_calls[2] = {call_first, call_second};

/* By a system call, which fails where a store would crash. */
static bool store(void *at, const void *value)
{
	struct iovec from = {&value, sizeof(value)}, to = {at, sizeof(value)};

	return tw_sys6(SYS_process_vm_writev, tw_sys_getpid(), (long)&from, 1,
		       (long)&to, 1, 0) == sizeof(value);
}

static bool take_type(const tw_o *object, const tw_o *task, char *type)
{
	int header = tw_py_header_bytes();
	void **slot = (void **)(type + header + TYPE_CALL);
	const char *name = *(char **)(type + header + TYPE_NAME);
	bool is_known = strstr(name, "MethWrapper") &&
			*(tw_o **)((char *)object + header) == task;

	if (!is_known || *slot == (void *)call_first || *slot == (void *)call_second)
		return is_known;
	for (int i = 0; i < 2; i++)
		if (!next_calls[i] || (void *)next_calls[i] == *slot) {
			next_calls[i] = (call_function)*slot;
			return store(slot, (void *)our_calls[i]);
		}
	return false;
}

static bool take_builtin(const char *object, const tw_o *task)
{
	int header = tw_py_header_bytes();
	struct tw_py_function *row =
		*(struct tw_py_function **)(object + header + BUILTIN_ROW);

	if (*(tw_o **)(object + header + BUILTIN_SELF) != task ||
	    row->flags != FLAG_ONE)
		return false;
	if (row->function == wakeup)
		return true;
	next_wakeup = row->function;
	return store(&row->function, (void *)wakeup);
}

/* task_watch(callback, task) -> whether steps that this callback makes are seen */
static tw_o *task_watch(tw_o *self, tw_o *arguments)
{
	tw_o *callback, *task, *type;
	bool is_taken;

	(void)self;
	if (!tw_py_call.parse(arguments, "OO", &callback, &task))
		return NULL;
	type = tw_py_call.type_of(callback);
	if (type == tw_py_call.at_builtin_type)
		is_taken = take_builtin((char *)callback, task);
	else
		is_taken = take_type(callback, task, (char *)type);
	tw_py_release(type);
	return tw_py_call.bool_new(is_taken);
}

/* The Task that is written in Python: self is its own method. */
static tw_o *step_method(tw_o *self, tw_o *arguments, tw_o *keywords)
{
	struct step step = {tw_py_call.call_with, NULL, self, arguments, keywords};
	tw_o *task = tw_py_call.tuple_get(arguments, 0);

	return task ? run_step(task, &step) : NULL;
}

static struct tw_py_function method_row = {
	"__step", (tw_o * (*)(tw_o *, tw_o *))(void *)step_method,
	TW_PY_VARARGS | FLAG_KEYWORDS, NULL};

/* task_method(function) -> a method that runs it as a step of the task */
static tw_o *task_method(tw_o *self, tw_o *arguments)
{
	tw_o *original, *function, *method = NULL;

	(void)self;
	if (!tw_py_call.parse(arguments, "O", &original))
		return NULL;
	function = tw_py_call.function_new(&method_row, original, NULL);
	if (function)
		method = tw_py_call.method_new(function);
	tw_py_release(function);
	return method;
}

struct tw_py_function tw_py_task_rows[] = {
	{"task_watch", task_watch, TW_PY_VARARGS, NULL},
	{"task_method", task_method, TW_PY_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

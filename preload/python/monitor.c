/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Back end from 3.12: sys.monitoring, with a tool id of our own and callbacks that are
 * C functions. CPython passes the code object and we know it (code.h): no frame is
 * looked at. A yield ends a zone and a resume begins one; an exception that leaves a
 * function is its own event. Results are None, which is immortal from 3.12.
 *
 * Runs on every Python thread, in free-threaded builds on several at once.
 */
#include "core/intern.h"
#include "fast.h"
#include "filter.h"
#include "module.h"
#include "native.h"
#include "object.h"
#include "preload/log.h"
#include "shadow.h"
#include "special.h"

#define TOOLS_N 6

/* Tool ids in the order we try them: those without a usual owner come first. */
static const int tools[TOOLS_N] = {4, 3, 5, 1, 2, 0};

static tw_o *disable; /* sys.monitoring.DISABLE */

static __attribute__((noinline)) tw_o *begin_slow(tw_o *code, uint64_t word)
{
	uint32_t id;

	if (!tw_py_code_is(word, code))
		word = tw_py_code_find(code, NULL);
	if (TW_PY_FLAGS(word) & TW_PY_SKIPPED)
		return disable;
	id = TW_PY_ID(word);
	if (TW_PY_FLAGS(word) & TW_PY_SPECIAL) {
		id = tw_py_special_begin(word, NULL);
		if (!id) {
			tw_py_shadow_begin_quiet();
			return tw_py_call.at_none;
		}
	}
	/* Also without an id: the end will come. */
	tw_py_shadow_begin(id ? id : TW_LOCATION_OVERFLOW);
	return tw_py_call.at_none;
}

static tw_o *on_begin(tw_o *self, tw_o *const *arguments, size_t n, tw_o *keywords)
{
	uint64_t word = tw_py_code_peek(arguments[0]);

	(void)self;
	(void)n;
	(void)keywords;
	if (TW_PY_UNLIKELY(!tw_py_code_is(word, arguments[0])) ||
	    TW_PY_UNLIKELY(word & TW_PY_FLAGS_ALL))
		return begin_slow(arguments[0], word);
	tw_py_shadow_begin((uint32_t)word);
	return tw_py_call.at_none;
}

static tw_o *on_end(tw_o *self, tw_o *const *arguments, size_t n, tw_o *keywords)
{
	(void)self;
	(void)arguments;
	(void)n;
	(void)keywords;
	tw_py_shadow_end();
	return tw_py_call.at_none;
}

/* With a filter an end may be of a function that is left out; then never again. */
static tw_o *on_end_filtered(tw_o *self, tw_o *const *arguments, size_t n,
			     tw_o *keywords)
{
	if (TW_PY_FLAGS(tw_py_code_word(arguments[0])) & TW_PY_SKIPPED)
		return disable;
	return on_end(self, arguments, n, keywords);
}

/* The same for an exception that leaves a function: that cannot be switched off. */
static tw_o *on_unwind_filtered(tw_o *self, tw_o *const *arguments, size_t n,
				tw_o *keywords)
{
	if (!(TW_PY_FLAGS(tw_py_code_word(arguments[0])) & TW_PY_SKIPPED))
		on_end(self, arguments, n, keywords);
	return tw_py_call.at_none;
}

/* And for one that is thrown into a generator. */
static tw_o *on_throw(tw_o *self, tw_o *const *arguments, size_t n, tw_o *keywords)
{
	if (!(TW_PY_FLAGS(tw_py_code_word(arguments[0])) & TW_PY_SKIPPED))
		on_begin(self, arguments, n, keywords);
	return tw_py_call.at_none;
}

/* Only with --python-c. */
static tw_o *on_call(tw_o *self, tw_o *const *arguments, size_t n, tw_o *keywords)
{
	(void)self;
	(void)n;
	(void)keywords;
	if (tw_py_filter_is_on() &&
	    TW_PY_FLAGS(tw_py_code_word(arguments[0])) & TW_PY_SKIPPED)
		return disable;
	if (tw_py_module_is_used() &&
	    tw_py_special_of(tw_py_code_word(arguments[0])) == TW_PY_OWN)
		return tw_py_call.at_none;
	tw_py_native_begin(arguments[2]);
	return tw_py_call.at_none;
}

static tw_o *on_called(tw_o *self, tw_o *const *arguments, size_t n, tw_o *keywords)
{
	(void)self;
	(void)arguments;
	(void)n;
	(void)keywords;
	tw_py_shadow_end_native();
	return tw_py_call.at_none;
}

/* An event and what to call; the number of its bit is asked for, it has changed. */
struct event {
	const char *name;
	tw_py_vectorcall function;
	tw_py_vectorcall filtered; /* when functions are left out */
};

static const struct event events[] = {
	{"PY_START", on_begin, on_begin},
	{"PY_RESUME", on_begin, on_begin},
	{"PY_THROW", on_throw, on_throw},
	{"PY_RETURN", on_end, on_end_filtered},
	{"PY_YIELD", on_end, on_end_filtered},
	{"PY_UNWIND", on_end, on_unwind_filtered},
	{"CALL", on_call, on_call},
	{"C_RETURN", on_called, on_called},
	{"C_RAISE", on_called, on_called},
};
#define EVENTS_N	sizeof(events) / sizeof(events[0])
#define NATIVE_EVENTS_N 3

static bool is_done(tw_o *result)
{
	if (!result) {
		tw_py_call.error_clear();
		return false;
	}
	tw_py_call.drop(result);
	return true;
}

static int take_tool(tw_o *monitoring)
{
	for (int i = 0; i < TOOLS_N; i++)
		if (is_done(tw_py_call.call_method(monitoring, "use_tool_id", "is",
						   tools[i], "tracewrap")))
			return tools[i];
	return -1;
}

/* Is this the process's first interpreter, not a sub-interpreter? */
static bool is_first(void)
{
	return tw_py.hook == TW_PYTHON_HOOK_AUTO;
}

/* Registers one callback; the event's bit, or 0. */
static long listen_to(tw_o *monitoring, int tool, tw_o *numbers,
		      const struct event *event)
{
	long bit = tw_py_number_of(numbers, event->name, 0);
	tw_py_vectorcall function =
		tw_py_filter_is_on() ? event->filtered : event->function;
	tw_o *hook = bit ? tw_py_object_new(function) : NULL;
	bool is_set;

	if (!hook)
		return 0;
	/* The result is the callback that was there before: None. */
	is_set = is_done(tw_py_call.call_method(monitoring, "register_callback", "ilO",
						tool, bit, hook));
	/* The interpreter holds it; the accelerator compares with it. */
	if (is_set && is_first() && bit < 1 << TW_PY_FAST_EVENTS)
		tw_py_fast.hooks[__builtin_ctzl((unsigned long)bit)] = hook;
	tw_py_call.drop(hook);
	return is_set ? bit : 0;
}

static bool listen_to_all(tw_o *monitoring, int tool)
{
	tw_o *numbers = tw_py_call.attribute(monitoring, "events");
	size_t n = EVENTS_N - (tw_py.choice.has_native ? 0 : NATIVE_EVENTS_N);
	long bits = 0;

	for (size_t i = 0; numbers && i < n; i++) {
		long bit = listen_to(monitoring, tool, numbers, &events[i]);

		if (!bit)
			return false; /* half the events would be worse than none */
		/* C_RETURN and C_RAISE come with CALL and cannot be asked for. */
		if (events[i].function != on_called)
			bits |= bit;
	}
	tw_py_release(numbers);
	return bits && is_done(tw_py_call.call_method(monitoring, "set_events", "il",
						      tool, bits));
}

/* auto: only on versions that the tests have run it on, with the usual headers. */
static void accelerate(tw_o *monitoring, int tool)
{
	enum tw_python_fast wish = tw_py.choice.fast;
	bool is_tried =
		tw_py.abi && tw_py.abi->is_fast_tried && tw_py_header_bytes() == 16;
	const char *wrong;

	if (wish == TW_PYTHON_FAST_OFF || (wish == TW_PYTHON_FAST_AUTO && !is_tried))
		return;
	tw_py_fast.monitoring = monitoring;
	tw_py_fast.tool = tool;
	wrong = tw_py_fast_install();
	if (wrong)
		tw_py_note("calls cost more than they could: ", wrong);
	else
		tw_log(TW_LOG_STEP, "Python calls take the short way", NULL);
}

bool tw_py_monitor_install(void)
{
	tw_o *monitoring = tw_py_call.sys("monitoring"); /* borrowed */
	int tool;

	if (!monitoring)
		return false;
	disable = tw_py_call.attribute(monitoring, "DISABLE");
	tool = disable ? take_tool(monitoring) : -1;
	if (tool < 0) {
		tw_py_call.error_clear();
		return false;
	}
	if (listen_to_all(monitoring, tool)) {
		if (is_first())
			accelerate(monitoring, tool);
		return true;
	}
	tw_py_call.error_clear();
	is_done(tw_py_call.call_method(monitoring, "free_tool_id", "i", tool));
	return false;
}

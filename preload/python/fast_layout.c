/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where CPython keeps what the gate looks at; contract in fast.h. No offset is written
 * down: each is found by a value that is known or by a change that is caused, and only
 * an answer that is the only one counts.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "fast.h"

#define STATE_BYTES 512
#define DATA_BYTES  64

/* The field that entering "tracing" counts up. */
static bool find_tracing(char *state)
{
	int before[STATE_BYTES / 4], after[STATE_BYTES / 4], n = 0;

	if (!tw_py_read(state, before, sizeof(before)))
		return false;
	tw_py_call.enter_tracing(state);
	memcpy(after, state, sizeof(after));
	tw_py_call.leave_tracing(state);
	for (int i = 0; i < STATE_BYTES / 4; i++) {
		if (before[i] == after[i])
			continue;
		n += after[i] == before[i] + 1 ? 1 : 2;
		tw_py_fast.tracing = i * 4;
	}
	return n == 1;
}

static bool find_interpreter(char *state, const char *interpreter)
{
	int n = 0;

	for (int i = 0; i < 64; i += 8) {
		if (*(char **)(state + i) != interpreter)
			continue;
		tw_py_fast.interpreter = i;
		n++;
	}
	return n == 1;
}

/* How many bytes of the interpreter's state are known to be there. */
static size_t known_bytes(const char *interpreter)
{
	const char *runtime = tw_py_call.at_runtime;
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!runtime || !dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || interpreter < runtime ||
	    interpreter >= runtime + symbol->st_size)
		return 0;
	return (size_t)(runtime + symbol->st_size - interpreter);
}

/* The only place where our four callbacks stand in a row. */
static bool find_callbacks(const char *interpreter)
{
	size_t bytes = known_bytes(interpreter);
	int n = 0;

	for (size_t i = 0; i + sizeof(tw_py_fast.hooks) <= bytes; i += 8) {
		if (memcmp(interpreter + i, tw_py_fast.hooks, sizeof(tw_py_fast.hooks)))
			continue;
		tw_py_fast.callbacks = (int)i;
		n++;
	}
	return n == 1;
}

const char *tw_py_fast_find_layout(void)
{
	char *state = tw_py_call.thread_state();
	char *interpreter = tw_py_call.interpreter();

	if (!find_tracing(state))
		return "the field that switches events off was not found";
	if (!find_interpreter(state, interpreter))
		return "the interpreter was not found in the thread's state";
	if (!find_callbacks(interpreter))
		return "the table of callbacks was not found";
	return NULL;
}

static uint8_t our_bit(void)
{
	return (uint8_t)(1u << tw_py_fast.tool);
}

/* The only pointer of a code object that leads to four bytes with our bit alone. */
static bool find_monitored(const char *code)
{
	uint8_t row[TW_PY_FAST_EVENTS], data[DATA_BYTES];
	int n = 0;

	memset(row, our_bit(), sizeof(row));
	for (int i = 16; i < tw_py_fast.bytecode; i += 8) {
		const uint8_t *p = *(uint8_t *const *)(code + i);

		if (!p || (uintptr_t)p & 7 || !tw_py_read(p, data, sizeof(data)))
			continue;
		for (int j = 0; j < 40; j++) {
			if (memcmp(data + j, row, sizeof(row)) ||
			    (j && data[j - 1] == our_bit()))
				continue;
			tw_py_fast.monitored = i;
			tw_py_fast.active = j;
			n++;
		}
	}
	return n == 1;
}

/* Listeners of start and return, after the function has run once. */
static bool is_active(tw_o *function, const char *code, uint8_t start, uint8_t end)
{
	tw_o *result = tw_py_call.call(function, NULL);
	const uint8_t *data;

	tw_py_release(result);
	data = *(const uint8_t *const *)(code + tw_py_fast.monitored) +
	       tw_py_fast.active;
	return result && data[0] == start && data[1] == our_bit() && data[2] == end;
}

static bool ask(const char *method, int tool, tw_o *code, int events)
{
	tw_o *result = code ? tw_py_call.call_method(tw_py_fast.monitoring, method,
						     "iOi", tool, code, events)
			    : tw_py_call.call_method(tw_py_fast.monitoring, method,
						     "ii", tool, events);

	tw_py_release(result);
	return result != NULL;
}

/* A second tool comes and goes: exactly its bit must move in exactly its byte. */
static bool is_proven(tw_o *function, tw_o *code, int other)
{
	uint8_t one = our_bit(), both = (uint8_t)(one | 1u << other);
	const char *at = (const char *)code;

	return ask("set_local_events", other, code, 1) &&
	       is_active(function, at, both, one) &&
	       ask("set_local_events", other, code, 0) &&
	       is_active(function, at, one, one) &&
	       ask("set_events", other, NULL, 1 << 2) &&
	       is_active(function, at, one, both) &&
	       ask("set_events", other, NULL, 0) && is_active(function, at, one, one);
}

static int take_other_tool(void)
{
	for (int i = 5; i >= 0; i--) {
		tw_o *result =
			tw_py_call.call_method(tw_py_fast.monitoring, "use_tool_id",
					       "is", i, "tracewrap probe");

		if (result) {
			tw_py_call.drop(result);
			return i;
		}
		tw_py_call.error_clear();
	}
	return -1;
}

const char *tw_py_fast_find_active(tw_o *function)
{
	tw_o *code = tw_py_call.function_code(function); /* borrowed */
	/* Once, so that it is instrumented. */
	tw_o *result = tw_py_call.call(function, NULL);
	bool is_right;
	int other;

	tw_py_release(result);
	if (!result || !find_monitored((const char *)code))
		return "the monitoring data of a code object was not found";
	other = take_other_tool();
	if (other < 0)
		return "no second tool id is free";
	is_right = is_proven(function, code, other);
	if (!is_right) {
		tw_py_call.error_clear();
		ask("set_local_events", other, code, 0);
		ask("set_events", other, NULL, 0);
	}
	tw_py_release(tw_py_call.call_method(tw_py_fast.monitoring, "free_tool_id", "i",
					     other));
	tw_py_call.error_clear();
	return is_right ? NULL : "the listeners of a code object are not as expected";
}

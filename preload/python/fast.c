/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accelerator's gate and the order in which it is put on; contract in fast.h.
 */
#include "fast.h"

#include <string.h>

#include "core/sys.h"
#include "filter.h"
#include "preload/self.h"
#include "shadow.h"

struct tw_py_fast tw_py_fast;
int (*tw_py_fast_decide)(struct tw_py_site *site, const uint64_t *registers);

#if defined(__x86_64__)

/* Copies for the gate: one cache line. */
static struct {
	_Alignas(TW_CACHE_LINE) tw_o *hooks[TW_PY_FAST_EVENTS];
	int tracing, interpreter, callbacks, monitored, active;
	uint8_t bit;
	bool is_filtered;
} gate;

/*
 * May this event be recorded here? Registers: thread state, event, frame. Exactly our
 * tool listens to it in this code; events are not switched off; and the interpreter's
 * table holds our callback, which also says that it is our interpreter and that nobody
 * took our tool id.
 */
static inline bool is_ours(const uint64_t *r, uint32_t event, const char *code)
{
	const char *state = (const char *)(uintptr_t)r[0];
	const uint8_t *data = *(const uint8_t *const *)(code + gate.monitored);
	const char *interpreter = *(const char *const *)(state + gate.interpreter);

	return event < TW_PY_FAST_EVENTS && data[gate.active + event] == gate.bit &&
	       *(const int *)(state + gate.tracing) == 0 &&
	       ((tw_o *const *)(interpreter + gate.callbacks))[event] ==
		       gate.hooks[event];
}

static inline const char *code_of(const uint64_t *r)
{
	return (const char *)(uintptr_t)(*(const uint64_t *)(uintptr_t)r[2] &
					 TW_PY_FRAME_MASK);
}

/* 1: recorded. 0: the interpreter's own way, to our callback or to whoever listens. */
static int decide(struct tw_py_site *site, const uint64_t *r)
{
	uint32_t event = (uint32_t)r[1];
	tw_o *code = (tw_o *)code_of(r);
	uint64_t word;

	(void)site;
	if (TW_PY_UNLIKELY(!is_ours(r, event, (const char *)code)))
		return 0;
	if (event >= 2 && TW_PY_LIKELY(!gate.is_filtered)) {
		tw_py_shadow_end();
		return 1;
	}
	/* A code that is new, special or left out goes to the callback. */
	word = tw_py_code_peek(code);
	if (TW_PY_UNLIKELY(!tw_py_code_is(word, code)) ||
	    TW_PY_UNLIKELY(word & TW_PY_FLAGS_ALL))
		return 0;
	if (event < 2)
		tw_py_shadow_begin((uint32_t)word);
	else
		tw_py_shadow_end();
	return 1;
}

/* The gate during the last test: all but the recording. */
static int count(struct tw_py_site *site, const uint64_t *r)
{
	uint32_t event = (uint32_t)r[1];

	(void)site;
	if (!is_ours(r, event, code_of(r)))
		return 0;
	tw_py_fast_counts[event >= 2] += 1 << 16;
	return 1;
}

static void fill_gate(void)
{
	memcpy(gate.hooks, tw_py_fast.hooks, sizeof(gate.hooks));
	gate.tracing = tw_py_fast.tracing;
	gate.interpreter = tw_py_fast.interpreter;
	gate.callbacks = tw_py_fast.callbacks;
	gate.monitored = tw_py_fast.monitored;
	gate.active = tw_py_fast.active;
	gate.bit = (uint8_t)(1u << tw_py_fast.tool);
	gate.is_filtered = tw_py_filter_is_on();
}

/* Text is changed: no other thread may be running it. */
static bool is_alone(void)
{
	char text[1024];
	int fd = tw_sys_open("/proc/self/status", O_RDONLY, 0);
	long n = fd < 0 ? 0 : tw_sys_read(fd, text, sizeof(text) - 1);
	const char *line;
	/* Under a bare preload the pump is one, and runs none of it. */
	char most = tw_self.has_parent ? '1' : '2';

	if (fd >= 0)
		tw_sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "\nThreads:\t");
	return line && line[10] <= most && line[11] == '\n';
}

static bool redirect(bool is_on)
{
	bool is_done = true;

	for (int i = 0; i < tw_py_fast.n_sites; i++) {
		struct tw_py_site *site = &tw_py_fast.sites[i];

		if (!site->is_chosen)
			continue;
		if (is_on)
			is_done = is_done &&
				  tw_py_fast_slot_make(site, (void *)tw_py_fast_enter);
		if (is_done || !is_on)
			is_done = tw_py_fast_site_set(site, is_on) && is_done;
	}
	return is_done;
}

/* All events of a run of the probe come, each once, and the gate takes most of them. */
static const char *test(void)
{
	int half = tw_py_fast.n_probe_events / 2, n = 0, n_fast = 0;

	tw_py_fast_decide = count;
	memset(tw_py_fast_counts, 0, sizeof(tw_py_fast_counts));
	if (!redirect(true))
		return "the system does not let code be changed";
	tw_py_fast_phase = TW_PY_FAST_COUNT;
	if (!tw_py_fast_probe(1))
		return "the probe program does not run";
	tw_py_fast_phase = TW_PY_FAST_IDLE;
	for (int i = 0; i < 2; i++) {
		int fast = tw_py_fast_counts[i] >> 16;

		n += fast + (tw_py_fast_counts[i] & 0xffff) == half;
		n_fast += fast;
	}
	return n == 2 && n_fast > half ? NULL : "its own test failed";
}

static const char *put_on(void)
{
	const char *wrong = tw_py_fast_find_layout();

	if (!wrong)
		wrong = tw_py_fast_find_sites();
	if (!wrong)
		wrong = tw_py_fast_find_active(tw_py_fast_probe_small());
	if (wrong)
		return wrong;
	fill_gate();
	wrong = test();
	if (wrong)
		(void)redirect(false);
	return wrong;
}

/* A second interpreter: sites and offsets are those of the first, hooks are new. */
static const char *put_on_again(void)
{
	memcpy(gate.hooks, tw_py_fast.hooks, sizeof(gate.hooks));
	gate.bit = (uint8_t)(1u << tw_py_fast.tool);
	return NULL;
}

const char *tw_py_fast_install(void)
{
	static bool is_on;
	const char *wrong;

	if (is_on)
		return put_on_again();
	if (!tw_py_call.enter_tracing || !tw_py_call.leave_tracing ||
	    !tw_py_call.compile || !tw_py_call.interpreter)
		return "the interpreter lacks a function";
	if (!is_alone())
		return "other threads are running";
	if (!tw_py_fast_text_find(tw_py_call.at_eval_default))
		return "the interpreter's code was not found";
	tw_py_fast_borrow();
	wrong = put_on();
	tw_py_fast_give_back();
	tw_py_call.error_clear();
	tw_py_fast_phase = TW_PY_FAST_IDLE;
	is_on = !wrong;
	if (is_on)
		tw_py_fast_decide = decide;
	return wrong;
}

#else

const char *tw_py_fast_install(void)
{
	return "not for this processor";
}

#endif

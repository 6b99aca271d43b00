/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe: a small Python program that makes every event the accelerator handles,
 * and what is learned by watching it; contract in fast.h. First the call instructions
 * that lead to our callbacks are collected from the stack. Then each is redirected to
 * a stub that changes nothing, and its arguments are compared with what the official
 * callback gets for the same event; then its effects are watched: the original must
 * leave thread state, frame and code as they were, and return 0.
 */
#include <execinfo.h>
#include <string.h>

#include "fast.h"

#define FILE_INPUT   257 /* Py_file_input */
#define DEPTH_MAX    12
#define LEVELS_MAX   5 /* of the interpreter, between its loop and our callback */
#define CHAINS_MAX   64
#define STATE_BYTES  512
#define FRAME_BYTES  96
#define CODE_BYTES   160
#define BYTECODE_MAX 1024

static const char program[] = "def value(a): return a\n"
			      "def constant(): return 1\n"
			      "def generator():\n"
			      " yield 1\n"
			      "def delegating():\n"
			      " yield from generator()\n"
			      "async def coroutine(): return 1\n"
			      "async def awaiting(): return await coroutine()\n"
			      "class Made:\n"
			      " def __init__(self): self.x = 1\n"
			      "def probe():\n"
			      " value(1); constant(); Made()\n"
			      " for x in generator(): pass\n"
			      " for x in delegating(): pass\n"
			      " c = awaiting()\n"
			      " try: c.send(None)\n"
			      " except StopIteration: pass\n"
			      "def small(): return 7\n";

static tw_o *scope;

/* The call sites that one event came through, innermost first. */
struct chain {
	int n;
	int sites[LEVELS_MAX + 1];
};
static struct chain chains[CHAINS_MAX];
static int n_chains;

enum tw_py_fast_phase tw_py_fast_phase;
int tw_py_fast_counts[2];

static bool make_program(void)
{
	tw_o *code = tw_py_call.compile(program, "<tracewrap probe>", FILE_INPUT);
	tw_o *result = NULL;

	scope = tw_py_call.dict_new();
	if (code && scope &&
	    tw_py_call.dict_set(scope, "__builtins__", tw_py_call.builtins()) == 0 &&
	    tw_py_call.dict_set(scope, "__name__", tw_py_call.at_none) == 0)
		result = tw_py_call.evaluate(code, scope, scope);
	tw_py_release(code);
	tw_py_release(result);
	return result != NULL;
}

tw_o *tw_py_fast_probe_small(void)
{
	return tw_py_call.dict_get(scope, "small");
}

bool tw_py_fast_probe(int n)
{
	tw_o *function;

	if (!scope && !make_program())
		return false;
	function = tw_py_call.dict_get(scope, "probe");
	while (function && n--) {
		tw_o *result = tw_py_call.call(function, NULL);

		tw_py_release(result);
		if (!result)
			return false;
	}
	return function != NULL;
}

/* The site whose call returns to `back`, entered if it is new; -1: it is none. */
static int find_site(uint8_t *back)
{
	struct tw_py_fast *f = &tw_py_fast;
	uint8_t *target;
	int32_t distance;

	if (back[-5] != 0xe8)
		return -1;
	memcpy(&distance, back - 4, sizeof(distance));
	target = back + distance;
	if (!tw_py_fast_text_has(target))
		return -1;
	for (int i = 0; i < f->n_sites; i++)
		if (f->sites[i].call == back - 5)
			return i;
	if (f->n_sites == TW_PY_SITES_MAX)
		return -1;
	f->sites[f->n_sites] =
		(struct tw_py_site){.call = back - 5, .original = target};
	return f->n_sites++;
}

static void collect(void)
{
	void *stack[DEPTH_MAX];
	int n = backtrace(stack, DEPTH_MAX), n_levels = 0;
	struct chain *chain = &chains[n_chains];

	if (n_chains == CHAINS_MAX)
		return;
	chain->n = 0;
	for (int i = 0; i < n && n_levels < LEVELS_MAX; i++) {
		int site;

		if (!tw_py_fast_text_has(stack[i])) {
			if (n_levels)
				break;
			continue; /* our own frames come first */
		}
		n_levels++;
		site = find_site(stack[i]);
		if (site >= 0)
			chain->sites[chain->n++] = site;
	}
	n_chains++;
}

/* Do the registers at a site say what the callback was told? */
static bool is_right(const struct tw_py_site *site, int event, tw_o *const *arguments)
{
	const uint64_t *r = site->registers;
	long offset = tw_py_call.integer(arguments[1]), start;
	uint64_t code = 0;

	if (r[0] != (uint64_t)(uintptr_t)tw_py_call.thread_state() ||
	    (uint32_t)r[1] != (uint32_t)event ||
	    !tw_py_read((void *)(uintptr_t)r[2], &code, sizeof(code)) ||
	    (code & TW_PY_FRAME_MASK) != (uint64_t)(uintptr_t)arguments[0])
		return false;
	start = (long)(r[3] - (uint64_t)(uintptr_t)arguments[0]) - offset;
	if (!tw_py_fast.bytecode && start > 64 && start < BYTECODE_MAX)
		tw_py_fast.bytecode = start;
	if (start != tw_py_fast.bytecode)
		return false;
	return event < 2 || r[4] == (uint64_t)(uintptr_t)arguments[2];
}

static void compare(int event, tw_o *const *arguments)
{
	for (int i = 0; i < tw_py_fast.n_sites; i++) {
		struct tw_py_site *site = &tw_py_fast.sites[i];

		if (!site->is_pending)
			continue;
		site->is_pending = false;
		if (is_right(site, event, arguments)) {
			site->n_right++;
			site->event = event;
		} else {
			site->n_wrong++;
		}
	}
}

static tw_o *on_event(int event, tw_o *const *arguments)
{
	if (tw_py_fast_phase == TW_PY_FAST_FIND)
		collect();
	else if (tw_py_fast_phase == TW_PY_FAST_CHECK)
		compare(event, arguments);
	else if (tw_py_fast_phase == TW_PY_FAST_COUNT)
		tw_py_fast_counts[event >= 2]++;
	return tw_py_call.at_none;
}

#define TW_X(n)                                                                        \
	static tw_o *on_event_##n(tw_o *self, tw_o *const *arguments, size_t count,    \
				  tw_o *keywords)                                      \
	{                                                                              \
		(void)self;                                                            \
		(void)count;                                                           \
		(void)keywords;                                                        \
		return on_event(n, arguments);                                         \
	}
TW_X(0)
TW_X(1)
TW_X(2)
TW_X(3)
#undef TW_X

static tw_py_vectorcall kept[TW_PY_FAST_EVENTS];

void tw_py_fast_borrow(void)
{
	static const tw_py_vectorcall ours[] = {on_event_0, on_event_1, on_event_2,
						on_event_3};

	for (int i = 0; i < TW_PY_FAST_EVENTS; i++)
		kept[i] = tw_py_object_swap(tw_py_fast.hooks[i], ours[i]);
}

void tw_py_fast_give_back(void)
{
	for (int i = 0; i < TW_PY_FAST_EVENTS; i++)
		tw_py_object_swap(tw_py_fast.hooks[i], kept[i]);
	tw_py_release(scope);
	scope = NULL;
	n_chains = 0;
}

/* The gate while arguments are checked: remembers them and lets the call through. */
static int remember(struct tw_py_site *site, const uint64_t *registers)
{
	/* Once more before its callback came: it is called for other reasons too. */
	if (site->is_pending)
		site->n_wrong++;
	site->is_pending = true;
	memcpy(site->registers, registers, sizeof(site->registers));
	return 0;
}

static struct {
	uint8_t state[STATE_BYTES], frame[FRAME_BYTES], code[CODE_BYTES];
} before;

static const void *code_in(const void *frame)
{
	uint64_t word;

	memcpy(&word, frame, sizeof(word));
	return (const void *)(uintptr_t)(word & TW_PY_FRAME_MASK);
}

void tw_py_fast_before(struct tw_py_site *site, const uint64_t *registers)
{
	const void *frame = (const void *)(uintptr_t)registers[2];

	memcpy(site->registers, registers, sizeof(site->registers));
	memcpy(before.state, (void *)(uintptr_t)registers[0], sizeof(before.state));
	memcpy(before.frame, frame, sizeof(before.frame));
	memcpy(before.code, code_in(frame), sizeof(before.code));
}

void tw_py_fast_after(struct tw_py_site *site, int result)
{
	const void *frame = (const void *)(uintptr_t)site->registers[2];

	if (result ||
	    memcmp(before.state, (void *)(uintptr_t)site->registers[0],
		   sizeof(before.state)) ||
	    memcmp(before.frame, frame, sizeof(before.frame)) ||
	    memcmp(before.code, code_in(frame), sizeof(before.code)))
		site->n_wrong++;
}

/* Runs the probe with all sites that look right so far led through a stub. */
static bool watch(void *stub)
{
	struct tw_py_fast *f = &tw_py_fast;
	bool is_done = true;

	for (int i = 0; i < f->n_sites && is_done; i++)
		is_done = tw_py_fast_slot_make(&f->sites[i], stub);
	for (int i = 0; i < f->n_sites && is_done; i++)
		if (!f->sites[i].n_wrong)
			is_done = tw_py_fast_site_set(&f->sites[i], true);
	is_done = is_done && tw_py_fast_probe(2);
	for (int i = 0; i < f->n_sites; i++) {
		struct tw_py_site *site = &f->sites[i];

		if (site->slot)
			(void)tw_py_fast_site_set(site, false);
		site->n_wrong += site->is_pending;
		site->is_pending = false;
	}
	return is_done;
}

/* Of each event's way the outermost site that passed: nothing else is behind it. */
static int choose(void)
{
	int n = 0;

	for (int i = 0; i < n_chains; i++) {
		for (int j = chains[i].n - 1; j >= 0; j--) {
			struct tw_py_site *site = &tw_py_fast.sites[chains[i].sites[j]];

			if (!site->n_right || site->n_wrong)
				continue;
			n += !site->is_chosen;
			site->is_chosen = true;
			break;
		}
	}
	return n;
}

const char *tw_py_fast_find_sites(void)
{
	/* Three times, so that all instructions are specialised. */
	if (!tw_py_fast_probe(3))
		return "the probe program does not run";
	tw_py_fast_phase = TW_PY_FAST_FIND;
	tw_py_fast_probe(1);
	tw_py_fast_phase = TW_PY_FAST_IDLE;
	tw_py_fast.n_probe_events = n_chains;
	if (!tw_py_fast.n_sites)
		return "no call was found on the stack";
	tw_py_fast_decide = remember;
	tw_py_fast_phase = TW_PY_FAST_CHECK;
	if (!watch((void *)tw_py_fast_enter)) {
		tw_py_fast_phase = TW_PY_FAST_IDLE;
		return "the system does not let code be changed";
	}
	tw_py_fast_phase = TW_PY_FAST_IDLE;
	for (int i = 0; i < tw_py_fast.n_sites; i++)
		tw_py_fast.sites[i].n_wrong += !tw_py_fast.sites[i].n_right;
	if (!tw_py_fast.bytecode || !watch((void *)tw_py_fast_around) || !choose())
		return "no call has the arguments and effects that are expected";
	return NULL;
}

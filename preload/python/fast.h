/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accelerator of the monitoring back end, x86-64. sys.monitoring stays as it is: it
 * puts instrumented instructions into the bytecode, and it remains the slow path. Only
 * the few call instructions of CPython's evaluation loop that lead from there to the
 * callbacks are redirected to a stub of ours (fast_stub.S), which asks the gate
 * (fast.c): is our tool the only listener, is the code known, does nothing trace? Then
 * the event is recorded and the call returns as the original would; else it goes to
 * its original target with all registers as they were.
 *
 * Nothing is taken for granted: call sites are found by running a probe program and
 * looking at the stack (fast_probe.c), offsets by changing values and watching
 * (fast_layout.c), and each site's arguments and effects are checked against what the
 * official callbacks get. Any doubt, and the interface is used as documented.
 *
 *   fast.c         the gate, and the order of the steps
 *   fast_probe.c   finds the call sites and checks them
 *   fast_layout.c  finds the offsets
 *   fast_site.c    patches call instructions
 *
 * All of it runs once, while arming, on the only thread of the process; but the gate,
 * which runs for each event.
 */
#ifndef TW_PYTHON_FAST_H
#define TW_PYTHON_FAST_H

#include "object.h"

#define TW_PY_FAST_EVENTS 4 /* start, resume, return, yield: numbers 0 to 3 */
#define TW_PY_SITES_MAX	  32

/* A call instruction of the evaluation loop. fast_stub.S knows where `original` is. */
struct tw_py_site {
	uint8_t *call;	/* the instruction: E8 and a 32-bit distance */
	void *original; /* where it went */
	uint8_t *slot;	/* our way to the stub, within reach */
	uint64_t registers[6];
	int event;
	int n_right, n_wrong; /* calls that were and were not as expected */
	bool is_pending;      /* called, and the callback has not come yet */
	bool is_chosen;
};
_Static_assert(offsetof(struct tw_py_site, original) == 8, "fast_stub.S");

/* The monitoring back end as it is set up, and where things are in CPython. */
struct tw_py_fast {
	tw_o *monitoring; /* sys.monitoring */
	int tool;
	tw_o *hooks[TW_PY_FAST_EVENTS]; /* our callbacks, by event number */
	/* found by fast_layout.c */
	int tracing;	 /* in a thread state: not 0 = events are off */
	int interpreter; /* in a thread state */
	int callbacks;	 /* in an interpreter: table of our tool's callbacks */
	int monitored;	 /* in a code object: its monitoring data */
	int active;	 /* in that: a byte an event, a bit a listening tool */
	/* found by fast_probe.c */
	long bytecode; /* in a code object; 0 = not known yet */
	struct tw_py_site sites[TW_PY_SITES_MAX];
	int n_sites;
	int n_probe_events; /* of one run of the probe */
};
extern struct tw_py_fast tw_py_fast;

/* What the low bits of the code pointer in a frame are used for, from 3.12. */
#define TW_PY_FRAME_MASK (~(uint64_t)7)

/* Puts the accelerator on; why not, or NULL for success. */
const char *tw_py_fast_install(void);

/* Steps, each NULL or why not. */
const char *tw_py_fast_find_layout(void);
const char *tw_py_fast_find_active(tw_o *function);
const char *tw_py_fast_find_sites(void);

/* The probe program: made once, run n times; false: it did not work. */
bool tw_py_fast_probe(int n);
tw_o *tw_py_fast_probe_small(void); /* a function of it, borrowed */

/* What the callbacks do while the accelerator is being put on. */
enum tw_py_fast_phase {
	TW_PY_FAST_IDLE,
	TW_PY_FAST_FIND,
	TW_PY_FAST_CHECK,
	TW_PY_FAST_COUNT
};
extern enum tw_py_fast_phase tw_py_fast_phase;
extern int tw_py_fast_counts[2]; /* begins and ends, by callback or gate */

/* Puts the probe's callbacks in place of the real ones, and back. */
void tw_py_fast_borrow(void);
void tw_py_fast_give_back(void);

/* fast_site.c: the interpreter's text; true when it is known. */
bool tw_py_fast_text_find(const void *inside);
bool tw_py_fast_text_has(const uint8_t *address);
/* Makes a site's slot lead to `stub`; false: no memory within reach. */
bool tw_py_fast_slot_make(struct tw_py_site *site, void *stub);
/* Redirects a site to its slot, or back to its original; false: not allowed. */
bool tw_py_fast_site_set(struct tw_py_site *site, bool is_ours);

/* fast_stub.S: asks tw_py_fast_decide, then returns 0 or goes on to the original. */
void tw_py_fast_enter(void);
/* fast_stub.S: calls the original between tw_py_fast_before and tw_py_fast_after. */
void tw_py_fast_around(void);
extern int (*tw_py_fast_decide)(struct tw_py_site *site, const uint64_t *registers);
void tw_py_fast_before(struct tw_py_site *site, const uint64_t *registers);
void tw_py_fast_after(struct tw_py_site *site, int result);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Python room: from a CPython interpreter in this process to zones. One library
 * serves CPython 3.6 to 3.15, static or shared: no Python.h, no libpython; everything
 * is found by name at run time (call.h) and every layout fact is a row (abi.c).
 *
 *   arm.c      gets control inside the interpreter, once, and picks a back end
 *   eval.c     back end up to 3.11: PEP 523, the frame evaluation hook
 *   monitor.c  back end from 3.12: sys.monitoring with C callbacks
 *   profile.c  back end of last resort: PyEval_SetProfile
 *   code.c     code object -> interned location, right when addresses are used again
 *   name.c     what a code object is called; special.c  imports and thread names
 *
 * Hooks run on the program's threads, with the interpreter lock or an attached thread
 * state; they keep errno and the exception that is set, and own no reference to a code
 * object.
 */
#ifndef TW_PYTHON_H
#define TW_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"

/* Any Python object, and other structures of CPython: never looked into by name. */
struct tw_py_object;

/* What has to be known of a minor version of CPython; rows in abi.c. */
struct tw_py_abi {
	int minor;
	enum tw_python_hook hook; /* what works best there */
	int eval_arguments;	  /* of the frame evaluation function: 2 or 3 */
	int eval_slot;	   /* of it in the interpreter's state; -1: there is a setter */
	int frame_globals; /* in a frame: those of its function; -1: not needed */
	int frame_locals;  /* first local variable in a frame; -1: not needed */
	int frame_owner;   /* who owns the frame; -1: no such field */
	bool is_fast_tried; /* the tests have run the accelerator on it */
};

/* The row of a version, or NULL for one that this release does not know. */
const struct tw_py_abi *tw_py_abi_find(int major, int minor);

/* The interpreter of this process. Written while arming, only read afterwards. */
struct tw_py {
	int major, minor;
	int header_bytes; /* of an object: 16, more in unusual builds */
	const struct tw_py_abi *abi;
	enum tw_python_hook hook; /* the one in use; AUTO: none yet */
	struct tw_python_choice choice;
};
extern struct tw_py tw_py;

/*
 * Looks for an interpreter in a library and what it needs, and prepares to be called
 * when it starts. The first that is found counts. From the constructor with
 * RTLD_DEFAULT: costs one symbol lookup in other programs. A library that the program
 * loads later can be looked at in the same way, before its interpreter starts.
 */
void tw_python_look(void *handle);

/* The calling thread records no more: gives back what the room holds for it. */
void tw_python_leave(void);

/* For the summary: something about Python, in two parts. */
void tw_py_note(const char *what, const char *about);

/* Back ends: true when calls are recorded from here on. Called with the lock held. */
bool tw_py_eval_install(void);
bool tw_py_monitor_install(void);
bool tw_py_profile_install(void);

#endif

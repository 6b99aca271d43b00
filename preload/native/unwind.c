/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The personality of the thunk: what an unwinder asks when an exception, a cancelled or
 * an exiting thread passes a wrapped call. It answers "clean up at the landing pad",
 * where the zone ends and the frame is given back; the frame must outlive this function
 * because the unwinder keeps pointers into it.
 *
 * A process may have several unwinders (libgcc_s, LLVM's, libunwind, static ones), and
 * the functions that work on a context must be those of the one that asks: they are
 * looked up in the object that we are called from. One that hides them is let through;
 * its frames are given back when a call around them returns.
 */
#include <stdatomic.h>
#include <unwind.h>

#include "preload/native/objects.h"
#include "preload/native/thunk.h"

struct unwinder {
	struct tw_range range; /* of its object */
	__typeof__(&_Unwind_GetIP) get_ip;
	__typeof__(&_Unwind_GetGR) get_register;
	__typeof__(&_Unwind_SetIP) set_ip;
	__typeof__(&_Unwind_SetGR) set_register;
	void (*resume)(void *);
};

/* By DWARF's numbers: the first register of an exception, and the frame's. */
#define REGISTER_RAX 0
#define REGISTER_R15 15

_Unwind_Reason_Code tw_unwind_personality(int version, _Unwind_Action actions,
					  _Unwind_Exception_Class class,
					  struct _Unwind_Exception *exception,
					  struct _Unwind_Context *context)
	__attribute__((visibility("hidden")));

/* The last one seen; its parts are written before `is_known`. */
static struct unwinder known;
static _Atomic uint32_t is_known;

static bool find_unwinder(uintptr_t address, struct unwinder *u)
{
	static const char *const names[] = {"_Unwind_GetIP", "_Unwind_GetGR",
					    "_Unwind_SetIP", "_Unwind_SetGR",
					    "_Unwind_Resume"};
	uint32_t nobody = 0;
	void *found[5];

	if (atomic_load_explicit(&is_known, memory_order_acquire) == 2 &&
	    tw_range_has(&known.range, address)) {
		*u = known;
		return true;
	}
	if (!tw_objects_export(address, names, 5, found, &u->range))
		return false;
	u->get_ip = (__typeof__(u->get_ip))found[0];
	u->get_register = (__typeof__(u->get_register))found[1];
	u->set_ip = (__typeof__(u->set_ip))found[2];
	u->set_register = (__typeof__(u->set_register))found[3];
	u->resume = (void (*)(void *))found[4];
	/* Whoever comes first is remembered: usually there is one in a process. */
	if (atomic_compare_exchange_strong(&is_known, &nobody, 1)) {
		known = *u;
		atomic_store_explicit(&is_known, 2, memory_order_release);
	}
	return true;
}

_Unwind_Reason_Code tw_unwind_personality(int version, _Unwind_Action actions,
					  _Unwind_Exception_Class class,
					  struct _Unwind_Exception *exception,
					  struct _Unwind_Context *context)
{
	struct unwinder u;
	struct tw_frame *f;

	(void)class;
	if (version != 1 || !(actions & _UA_CLEANUP_PHASE) ||
	    !find_unwinder((uintptr_t)__builtin_return_address(0), &u) ||
	    u.get_ip(context) != (uintptr_t)tw_thunk_returned)
		return _URC_CONTINUE_UNWIND;
	f = (struct tw_frame *)u.get_register(context, REGISTER_R15);
	f->resume = u.resume;
	u.set_register(context, REGISTER_RAX, (_Unwind_Word)exception);
	u.set_ip(context, (uintptr_t)tw_thunk_landing);
	return _URC_INSTALL_CONTEXT;
}

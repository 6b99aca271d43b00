/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code compiled with -fno-plt calls through the same slots that it loads addresses of
 * functions from. Such a slot may only be changed when nobody loads from it: programs
 * compare function addresses. The code of the object tells.
 */
#ifndef TW_TAKEN_H
#define TW_TAKEN_H

#include "preload/native/objects.h"

enum tw_got_use {
	TW_USE_UNKNOWN,
	TW_USE_ASKED = 1,  /* set by the caller: tell me about this one */
	TW_USE_CALLED = 2, /* some instruction calls or jumps through it */
	TW_USE_LOADED = 4, /* some other instruction refers to it */
};

/* Adds CALLED and LOADED to those of uses[], one a slot of 8 bytes of the range, that
 * are ASKED about. */
void tw_taken_look(const struct tw_object *object, const struct tw_range *slots,
		   uint8_t *uses);

#endif

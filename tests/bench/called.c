/* SPDX-License-Identifier: BSD-3-Clause */
/* The library whose functions tests/bench/calls.c calls: one, and 64 alike. */
#include "called.h"

#define DEFINE(n)                                                                      \
	int called_##n(int x)                                                          \
	{                                                                              \
		return x + 0x##n;                                                      \
	}
CALLED(DEFINE)

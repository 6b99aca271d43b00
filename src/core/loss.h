/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be lost, and how a process can end: the vocabulary that producers, pump,
 * file and reports share. Numbers are stored in files: add at the end only.
 */
#ifndef TW_LOSS_H
#define TW_LOSS_H

/* How a process ended. */
enum tw_end { TW_END_UNKNOWN, TW_END_EXITED, TW_END_SIGNALLED, TW_END_EXEC };

/* Why events were lost; the words are what reports print. */
/* clang-format off */
#define TW_LOSSES(X)                                                     \
	X(RING_FULL,   "ring full (--drop)")                             \
	X(PUMP_GONE,   "nobody reads the ring")                          \
	X(NO_RING,     "no ring left for the thread (--buffer-size)")    \
	X(THREAD_GONE, "thread had stopped recording")                      \
	X(DISK,        "output could not be written")                    \
	X(DAMAGED,     "ring was overwritten by the program")            \
	X(NAMES_FULL,  "name table full")                                \
	X(TEXT_CUT,    "text longer than 4096 bytes was cut")            \
	X(TOO_DEEP,    "native calls nested too deep, or left behind by jumps")
/* clang-format on */

enum tw_loss {
#define TW_X(name, words) TW_LOSS_##name,
	TW_LOSSES(TW_X)
#undef TW_X
		TW_LOSS_COUNT
};

#endif

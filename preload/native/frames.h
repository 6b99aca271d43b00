/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames: what a wrapped call must remember until it returns. They cannot lie on the
 * program's stack, because arguments on the stack must stay where they are, so each
 * thread has an array of its own. Claimed and released by the thunk (thunk_x86_64.S)
 * on the thread itself, signal handlers included. A fork's child keeps them: it returns
 * through them.
 *
 * Usually they are a stack. Two things break the order: a jump (longjmp) leaves frames
 * behind that nobody returns through, and programs with several stacks on one thread
 * (fibers) return in any order. So a frame that is left while others are above it is
 * only marked, and a frame counts as left behind only where that is certain: when it is
 * on the thread's own stack, below the place where the program went on.
 */
#ifndef TW_FRAMES_H
#define TW_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tw_hook;

struct tw_frame {
	void *return_address;
	uint64_t saved; /* the caller's value of the register that points here */
	uintptr_t sp;	/* the caller's stack pointer after the return */
	struct tw_hook *hook;
	uint32_t token; /* depth of its zone, with TW_FRAME_IS_SLOW; 0 = no zone */
	uint32_t is_left;
	void (*resume)(void *); /* of the unwinder that is passing through */
	uint64_t spare[2];
};

/* In a token: the end of the zone takes the slow path. */
#define TW_FRAME_IS_SLOW 0x80000000u

struct tw_frames {
	struct tw_frame *next; /* first free one */
	struct tw_frame *end;
	struct tw_frame *base; /* NULL = no memory yet */
	uintptr_t stack_low;   /* the thread's own stack; 0 = not known */
	uintptr_t stack_high;
	bool is_over; /* the thread is ending */
};

extern _Thread_local struct tw_frames tw_frames
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The slow way to a frame; NULL = none to be had, the call goes unrecorded. */
struct tw_frame *tw_frames_claim(void);

/*
 * Marks `f` as left, together with those above it that certainly are, and returns what
 * `next` becomes; NULL = it stays. The caller stores it when it no longer needs `f`.
 */
struct tw_frame *tw_frames_leave(struct tw_frame *f);

/*
 * The program goes on at this stack pointer: marks the frames that are left behind and
 * returns the outermost of them, or NULL. tw_frames_trim gives them back.
 */
struct tw_frame *tw_frames_cut(uintptr_t sp);
void tw_frames_trim(void);

/* The thread's own stack: `bytes` up to its thread pointer; the main thread's own. */
void tw_frames_born(size_t stack_bytes);
void tw_frames_born_main(void);

/* Gives the memory back; the thread is ending. */
void tw_frames_die(void);

#endif

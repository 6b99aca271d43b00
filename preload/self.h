/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who we are: this process's place in the arena and each thread's producer. Everything
 * a hook needs to get from "something happened" to a ring.
 *
 * Rules inside the traced process, which all of preload/ keeps:
 *  1. errno, signal masks and streams of the program stay as they are; we never exit,
 *     abort, raise or print.
 *  2. No malloc, stdio, getenv or locks on an event's way; memory comes from mmap.
 *  3. Thread-local memory is one pointer, initial-exec.
 *  4. Process state that a fork must not inherit lies in memory that the kernel wipes
 * in the child; the child notices on its first event, however it was made.
 *  5. What fails is left out and noted (tw_arena_note); the program goes on.
 */
#ifndef TW_SELF_H
#define TW_SELF_H

#include "core/ring.h"

/* This process, as long as it is this process: wiped in a fork's child. */
struct tw_life {
	_Atomic uint32_t state; /* enum tw_life_state */
	uint32_t process;	/* our slot */
	int32_t pid;
};

enum tw_life_state {
	TW_LIFE_NONE, /* not yet in the arena: just started, or just forked */
	TW_LIFE_JOINING,
	TW_LIFE_ON,
	TW_LIFE_OFF, /* not recorded: refused, not followed, or over */
};

struct tw_self {
	struct tw_view view;
	struct tw_config config;       /* bare LD_PRELOAD: from the environment */
	struct tw_producer *producers; /* [TW_THREADS_MAX], wiped on fork */
	struct tw_life *life;	       /* wiped on fork */
	enum tw_clock_kind clock;
	enum tw_follow follow;
	int32_t root_pid;	   /* the process in which the constructor ran */
	_Atomic uint32_t is_caged; /* seccomp: system calls of ours could kill */
	bool has_parent;	   /* under `tracewrap CMD` */
	bool is_child;		   /* bare LD_PRELOAD below a traced process */
	char session[64];	   /* where the arena is; under `tracewrap CMD` */
	char library[4096];	   /* absolute path of libtracewrap.so; "" = unknown */
};

extern struct tw_self tw_self;

/* This thread's producer; a wiped or static one takes every slow path. */
extern _Thread_local struct tw_producer *tw_thread_producer
	__attribute__((tls_model("initial-exec")));

/* Sets up tw_self once; true when this process is to be recorded. init.c. */
bool tw_start(void);

/* Once, from tw_start: what thread birth and death need. */
void tw_self_prepare(void);

/* Claims a process slot if this process has none yet; true when recorded. */
bool tw_self_join(void);

/* A child that will join is about to be made (1), or was not made after all (-1). */
void tw_self_expect(int n);

/*
 * This thread's producer, made on first use and after a fork; NULL when the thread
 * cannot record (counted).
 */
struct tw_producer *tw_self_producer(void);

/* Fills in a claimed thread slot for the calling thread and makes it its producer. */
struct tw_producer *tw_self_adopt(uint32_t index);

/* Names the thread of this process with that pthread_t; none: nothing. thread.c. */
void tw_thread_rename(uint64_t handle, const char *name);

/* Ends the calling thread's recording; its slot goes to the pump. */
void tw_self_leave(void);

/* System calls may be fatal from here on (cage.c); is_strict: reading the clock is,
 * too. */
void tw_self_cage(bool is_strict);

/* Is the caller really the process that joined, not a vfork child of it? */
bool tw_self_is_me(void);

#endif

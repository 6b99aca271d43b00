/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arena: the one piece of memory that a run's processes and its pump share. It
 * holds the run's settings, a slot per process and per thread, the name tables
 * (intern.h) and the rings (ring.h). Under `tracewrap CMD` it is a memfd that children
 * map by path; under a bare LD_PRELOAD it is private memory of the process. Nothing in
 * it is a pointer, and whoever reads what another process wrote checks every index.
 *
 * Lock-free throughout: a process may be killed between any two instructions and the
 * others go on. Slots are claimed by producers and given back by the pump only.
 */
#ifndef TW_ARENA_H
#define TW_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/choice.h"
#include "core/clock.h"
#include "core/loss.h"
#include "core/options.h"
#include "core/record.h"

#define TW_ARENA_MAGIC	0x616e657261577754ull
#define TW_ARENA_LAYOUT 3u /* of this file; command and library must agree */

#define TW_CACHE_LINE  64
#define TW_UNIT_BYTES  (64u << 10) /* rings are made of these */
#define TW_UNITS_MAX   8192u	   /* 512 MiB of rings */
#define TW_PROCS_MAX   4096u
#define TW_THREADS_MAX 8192u
#define TW_NOTES_MAX   64u
#define TW_MARK_MAX    240u
#define TW_LOG_MAX     1024u
#define TW_GLOBS_MAX   1024u

enum tw_slot_state {
	TW_SLOT_FREE,	 /* nobody's */
	TW_SLOT_CLAIMED, /* a producer fills it in */
	TW_SLOT_LIVE,
	TW_SLOT_DEAD, /* the owner is done; the pump drains and frees it */
};

/* Tagged head of a lock-free stack of slot numbers + 1; the tag defeats ABA. */
typedef _Atomic uint64_t tw_stack_head;

/* A process of the run. Filled in by the process, ended by the pump. */
struct tw_proc {
	_Atomic uint32_t state; /* enum tw_slot_state */
	uint32_t next;		/* free stack */
	int32_t pid;
	int32_t ppid;
	uint64_t start_ticks;
	uint32_t program; /* string ids */
	uint32_t command;
	_Atomic uint32_t end; /* enum tw_end as the process itself knows it */
	_Atomic int32_t code;
	_Atomic uint32_t n_without_slot; /* events of threads that got no slot */
	_Atomic uint32_t n_departed;	 /* events of threads that had left */
	uint32_t is_foreign; /* of another pid namespace: pid means nothing to us */
	uint32_t reserved;
	_Atomic uint64_t end_ticks; /* of an orderly end; 0 = none */
};
_Static_assert(sizeof(struct tw_proc) == 64, "one line a process");

/* A thread of the run: identity, and the shared half of its ring. */
struct tw_ring {
	/* written by the producer */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t state; /* enum tw_slot_state */
	uint32_t next;					/* free stack */
	uint32_t process;				/* index of its tw_proc */
	int32_t tid;
	uint64_t start_ticks;
	uint64_t end_ticks;
	_Atomic uint64_t handle;     /* pthread_t, to find the thread by */
	_Atomic uint32_t name;	     /* string id, 0 = none */
	_Atomic uint32_t first_unit; /* + 1; 0 = no ring memory yet */
	uint32_t n_units;
	uint32_t kind;		 /* enum tw_thread_kind */
	uint32_t parent;	 /* of a device track: slot of its device */
	_Atomic uint32_t n_runs; /* of a fiber: how often it was entered */
	_Atomic uint64_t bound;	 /* no slot at or past it was ever claimed */
	_Alignas(TW_CACHE_LINE) _Atomic uint64_t lost[TW_LOSS_COUNT];
	_Alignas(TW_CACHE_LINE) _Atomic uint64_t stall_ns;
	_Atomic uint64_t n_stalls;
	/* written by the pump */
	_Alignas(TW_CACHE_LINE) _Atomic uint64_t
		tail; /* slots below it are free again */
};

/* A word for the summary: something that could not be traced. */
struct tw_note {
	_Atomic uint32_t text; /* string id; published last */
	_Atomic uint32_t count;
};

struct tw_mark {
	_Atomic uint32_t state; /* 0 free, 1 being written, 2 ready for the pump */
	uint32_t bytes;
	uint64_t ticks;
	char text[TW_MARK_MAX];
};

/*
 * What `tracewrap ctl` may ask for. Part of the arena, or, where the arena is private
 * to a process, a page of its own that the pump shows to the outside.
 */
struct tw_control {
	uint64_t magic;
	_Atomic uint32_t gate_request; /* 1 start, 2 stop; the pump answers with 0 */
	uint32_t clock_kind;
	struct tw_mark mark;
};

/* What the user chose for Python, as the traced processes read it. */
struct tw_python_choice {
	uint32_t is_off;
	uint32_t hook; /* enum tw_python_hook */
	uint32_t is_mine;
	uint32_t has_native;	    /* --python-c */
	uint32_t has_sub;	    /* --python-sub */
	uint32_t fast;		    /* enum tw_python_fast */
	uint32_t is_overriding;	    /* our tracy and tracy_client win over real ones */
	char include[TW_GLOBS_MAX]; /* "" = all */
	char exclude[TW_GLOBS_MAX];
};

/* Copies it out of the settings; patterns that do not fit are cut. */
void tw_python_choice_fill(struct tw_python_choice *choice,
			   const struct tw_config *config);

struct tw_arena {
	uint64_t magic;
	struct tw_clock_anchor born; /* the first anchor: gives a rate from the start */
	uint32_t layout;
	uint32_t clock_kind; /* enum tw_clock_kind */
	uint64_t total_bytes;
	uint64_t session;
	uint64_t pid_namespace; /* of the creator; 0 = unknown */
	uint32_t is_dropping;
	uint32_t follow;	      /* enum tw_follow */
	char log[TW_LOG_MAX];	      /* --log, absolute when a file */
	struct tw_choice choice;      /* native calls */
	_Atomic uint64_t choice_hits; /* patterns that something was hooked for */
	int32_t toggle_signal;	      /* --signal; 0 = none */
	_Atomic int32_t signal_pid;   /* the process that listens to it */
	struct tw_python_choice python;

	/* where things are, from the start of the arena */
	uint64_t procs_offset;
	uint64_t threads_offset;
	uint64_t strings_offset;
	uint64_t string_index_offset;
	uint64_t locations_offset;
	uint64_t location_index_offset;
	uint64_t rings_offset;
	uint32_t strings_bytes;
	uint32_t string_index_n;
	uint32_t locations_n;
	uint32_t location_index_n;
	uint32_t n_units;

	/* Producers record begins only while the gate is open (1). */
	_Alignas(TW_CACHE_LINE) _Atomic uint32_t gate;

	/* the pump's side */
	_Alignas(
		TW_CACHE_LINE) _Atomic uint32_t kick; /* futex: somebody wants a turn */
	_Atomic uint32_t is_pump_asleep;
	_Atomic uint32_t beat;	       /* grows with every turn */
	_Atomic uint32_t is_pump_gone; /* do not wait for it */
	_Atomic int32_t pump_pid;
	_Atomic uint32_t
		flush_request; /* a producer wants its rings empty, e.g. before exec */
	_Atomic uint32_t flush_answer;
	_Atomic uint32_t n_refused; /* processes that could not join */
	/* Processes that were made but have not joined yet: the end of a run waits for
	 * them a moment. May stay too high when a fork fails. */
	_Atomic int32_t n_births;

	/* allocation */
	_Alignas(TW_CACHE_LINE) tw_stack_head free_procs;
	tw_stack_head free_threads;
	_Atomic uint32_t next_proc;
	_Atomic uint32_t next_thread;
	_Atomic uint32_t strings_used; /* in 8-byte steps */
	_Atomic uint32_t strings_n;
	_Atomic uint32_t locations_used;
	_Atomic uint32_t units_used;
	_Atomic uint64_t names_lost;
	_Atomic uint32_t n_locks; /* numbers given to locks */
	struct tw_note notes[TW_NOTES_MAX];
	struct tw_control control;
	_Atomic uint64_t unit_map[TW_UNITS_MAX / 64]; /* 1 = in use */
};

/* What one process sees of an arena: how much of it is mapped may differ. */
struct tw_view {
	struct tw_arena *arena;
	size_t mapped_bytes;
	uint32_t n_units; /* ring units inside the mapped part */
};

/* Which pid namespace this process lives in; 0 when the kernel does not tell. */
uint64_t tw_pid_namespace(void);

/* Bytes an arena takes whose rings hold `buffer_bytes`. */
size_t tw_arena_bytes(uint64_t buffer_bytes);

/* Lays out an arena in zeroed memory of tw_arena_bytes(buffer_bytes). */
void tw_arena_init(struct tw_arena *arena, uint64_t buffer_bytes,
		   const struct tw_config *config, uint64_t session);

/*
 * Makes a shared arena: fd of a memfd (or, without one, of an unlinked-later file whose
 * path goes to `path`). Returns 0 or -errno. The caller owns fd and mapping.
 */
int tw_arena_create(struct tw_view *view, const struct tw_config *config, int *fd,
		    char *path, size_t path_bytes) __attribute__((warn_unused_result));

/* Makes an arena in private memory, smaller when address space is short. 0 or -errno.
 */
int tw_arena_create_private(struct tw_view *view, const struct tw_config *config)
	__attribute__((warn_unused_result));

/* In a fork's child of a private arena: empty slots and rings, names kept. */
void tw_arena_reset_after_fork(struct tw_view *view);

/*
 * Joins an existing arena. -EPROTO when it is of another layout, -ENOMEM when not even
 * the tables and one ring fit into the address space; the refusal is counted in it.
 */
int tw_arena_join(struct tw_view *view, const char *path)
	__attribute__((warn_unused_result));

void tw_view_unmap(struct tw_view *view);

static inline void *tw_arena_at(struct tw_arena *arena, uint64_t offset)
{
	return (char *)arena + offset;
}

static inline struct tw_proc *tw_arena_proc(struct tw_arena *arena, uint32_t i)
{
	return (struct tw_proc *)tw_arena_at(arena, arena->procs_offset) + i;
}

static inline struct tw_ring *tw_arena_thread(struct tw_arena *arena, uint32_t i)
{
	return (struct tw_ring *)tw_arena_at(arena, arena->threads_offset) + i;
}

static inline struct tw_record *tw_arena_unit(struct tw_arena *arena, uint32_t unit)
{
	return tw_arena_at(arena, arena->rings_offset + (uint64_t)unit * TW_UNIT_BYTES);
}

/* Claim a slot: its number, or -1 when all are taken. State is CLAIMED. */
int tw_arena_claim_proc(struct tw_arena *arena);
int tw_arena_claim_thread(struct tw_arena *arena);
/* Give a slot back: the pump, or a producer whose claim came to nothing. */
void tw_arena_free_proc(struct tw_arena *arena, uint32_t i);
void tw_arena_free_thread(struct tw_arena *arena, uint32_t i);

/*
 * Finds ring memory: 16 units while there is plenty, then 4, then 1. Returns the first
 * unit and sets *n, or -1 when the buffer is used up.
 */
int tw_arena_claim_units(struct tw_view *view, uint32_t *n);
void tw_arena_free_units(struct tw_arena *arena, uint32_t first, uint32_t n);

/* Wakes the pump if it sleeps. One system call at most. */
void tw_arena_kick(struct tw_arena *arena);

/* Leaves a note for the summary; equal notes are counted. */
void tw_arena_note(struct tw_arena *arena, const char *text, size_t bytes);

#endif

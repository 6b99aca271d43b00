/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pump: empties all rings of an arena into a spool. It has two homes and does not
 * know which: a thread of the `tracewrap` command, or a task inside the traced process
 * (preload/home.c). One caller at a time. Raw system calls, no malloc: its memory is
 * one mapping of its own.
 */
#ifndef TW_PUMP_H
#define TW_PUMP_H

#include "core/arena.h"
#include "trace/spool_write.h"

/* Who is in the run and what happened; for the exit summary. */
struct tw_pump_totals {
	uint32_t n_processes;
	uint32_t n_threads;
	uint32_t n_live; /* processes that have not ended */
	uint64_t n_events;
	uint64_t lost[TW_LOSS_COUNT];
	uint64_t stall_ns;
	uint64_t n_stalls;
};

/* The pump's knowledge of a process slot and of a thread slot. */
struct tw_pump_proc {
	uint32_t number; /* in the file; 0 = slot not seen yet */
	int pidfd;	 /* -1: liveness by kill(pid, 0) */
	int32_t pid;
	uint64_t start_ticks;
	uint64_t end_ticks; /* 0 = not known */
	uint8_t is_ended;   /* known to be gone: drain and free */
	uint8_t is_foreign; /* see struct tw_proc */
	uint8_t end;	    /* enum tw_end, when somebody told */
	int32_t code;
};

struct tw_pump_thread {
	uint32_t number; /* in the file; 0 = slot not seen yet */
	uint32_t process;
	uint32_t kind; /* enum tw_thread_kind */
	uint32_t name;
	uint32_t n_units;
	uint32_t first_unit;
	uint16_t n_blocks;
	struct tw_stream_state stream;
	uint64_t drained_ns;
	uint64_t stuck_at,
		stuck_ns; /* slot + 1 that stays uncommitted, and since when */
	uint64_t stall_ns, n_stalls;
	uint64_t lost[TW_LOSS_COUNT];
	uint64_t clean_ticks; /* when the ring was last found empty */
	uint64_t waiting_ns;  /* for a fiber's earlier run since; 0 = not waiting */
	uint32_t n_runs;      /* of a fiber: how many were taken */
	struct tw_stream_state
		*carrier; /* of a fiber: the thread that it ran on last */
};

struct tw_pump {
	struct tw_view view;
	struct tw_control *control; /* NULL before start: the arena's own */
	struct tw_spool_writer spool;
	struct tw_encoder encoder;
	struct tw_pump_totals totals;
	int32_t awaited_pid; /* its end is told (tw_pump_tell_ended), not looked for */
	uint32_t next_process, next_thread;
	uint64_t gate_open_at_ns, gate_close_at_ns; /* --delay, --duration; 0 = never */
	uint64_t duration_ns;
	uint64_t anchored_ns, looked_ns, counted_ns;
	uint32_t note_counts[TW_NOTES_MAX];
	uint64_t names_lost;
	uint64_t serial_ticks; /* of the latest event of a lock or a memory block */
	uint64_t horizon_ticks;
	uint64_t n_slots; /* of rings, read so far */
	bool is_burying;  /* a process is gone: nothing of it is waited for */
	bool is_waiting;  /* a ring waits for what is in another */
	uint32_t kick_seen;
	uint32_t flushed; /* the last flush request that was answered */
	uint8_t encoder_bytes[TW_ENCODE_BYTES];
	uint64_t strings_seen[(32u << 20) / 8 / 64];
	uint64_t locations_seen[(1u << 18) / 64];
	struct tw_pump_proc procs[TW_PROCS_MAX];
	struct tw_pump_thread threads[TW_THREADS_MAX];
};

/* What a run is, for the spool's first lines. NULL members are left out. */
struct tw_pump_session {
	const char *command; /* arguments separated by NUL */
	size_t command_bytes;
	const char *cwd;
};

/* Maps a pump; NULL when there is no memory. Released with the process. */
struct tw_pump *tw_pump_new(void);

/*
 * Starts pumping `view` into a new spool at `path`. `config` gives size cap, delay
 * and duration. Returns 0 or -errno (the spool could not be created).
 */
int tw_pump_start(struct tw_pump *pump, const struct tw_view *view, const char *path,
		  bool is_forced, const struct tw_config *config,
		  const struct tw_pump_session *session)
	__attribute__((warn_unused_result));

/*
 * One turn over everything. With is_forced also small amounts are taken. Returns true
 * when the next turn should follow at once.
 */
bool tw_pump_turn(struct tw_pump *pump, bool is_forced);

/* Sleeps until somebody kicks or the next turn is due. */
void tw_pump_sleep(struct tw_pump *pump);

/* Tells how a process ended, from wait(2). */
void tw_pump_tell_ended(struct tw_pump *pump, int pid, enum tw_end end, int code);

/* Opens or closes the gate now and writes it down. */
void tw_pump_set_gate(struct tw_pump *pump, bool is_open);

/* Number of processes that still run. */
uint32_t tw_pump_count_live(struct tw_pump *pump);

/* Takes everything that is left and ends the file. */
void tw_pump_finish(struct tw_pump *pump);

#endif

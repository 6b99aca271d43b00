/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From spool blocks to Tracy items, for one connection: who is in the run (META), what
 * happened (EVENTS), and the names behind the keys that the viewer asks for. Strings
 * and locations are looked up in the arena, everything else in what META told. One
 * thread, no malloc; the memory is zeroed by whoever maps it.
 *
 * Keys on the wire: a location is its id, or FOLD | file string id when there are more
 * locations than a viewer can bear (both as tw_wire_location_key turns them); a string
 * is its id; a plot or frame set is its name | process << 32, without the process for
 * the first that uses the name.
 */
#ifndef TW_FEED_H
#define TW_FEED_H

#include "core/arena.h"
#include "tracy/wire.h"

#define TW_FEED_THREADS_MAX   (1u << 17)
#define TW_FEED_PROCESSES_MAX (1u << 15)
#define TW_FEED_TIDS	      (1u << 18) /* a power of two, twice the threads */
#define TW_FEED_SERIES	      4096u	 /* plots and frame sets; a power of two */
#define TW_FEED_TEXT_BYTES    (8u << 20)

/* Viewers refuse more than 32,767 locations; the rest of them share one a file. */
#define TW_FEED_LOCATIONS_MAX 31000u
#define TW_FEED_FOLDS_MAX     1700u

#define TW_FEED_FOLD  (UINT64_C(1) << 40)
#define TW_FEED_CRASH (UINT64_C(1) << 41) /* string key of the crash's text */
#define TW_FEED_REST  (UINT64_C(1) << 42) /* string key: names past all bounds */

struct tw_feed_thread {
	uint32_t process;
	uint32_t tid;
	uint32_t id;   /* on the wire; 0 = not met */
	uint32_t name; /* offset in texts, 0 = none */
	uint64_t last_ticks;
	uint64_t depth;	    /* zones open on the wire */
	uint64_t n_missing; /* zones around them whose begin is not in the file */
	uint8_t kind;	    /* enum tw_thread_kind */
	bool has_hint;
};

struct tw_feed_process {
	uint32_t pid;
	uint32_t program; /* offset in texts */
};

struct tw_feed_series {
	uint64_t key; /* on the wire */
	uint64_t last_ticks;
	uint32_t process; /* 0 = a free entry */
	bool is_frame;
};

struct tw_feed {
	struct tw_arena *arena;
	struct tw_wire *wire; /* NULL while looking ahead: nothing is sent */
	uint64_t first_ticks; /* of the run; 0 = unknown */
	uint64_t first_anchor_ticks, first_anchor_ns, first_wall_ns;
	uint32_t n_processes, n_threads; /* that META told of */
	uint32_t root_pid;
	uint32_t main_thread;	  /* number of the first */
	uint32_t command;	  /* offset in texts */
	uint32_t command_bytes;	  /* arguments are separated by NUL */
	uint32_t max_thread;	  /* highest number met */
	uint32_t n_locations;	  /* sent so far, those that stand for themselves */
	uint32_t n_folds;	  /* and those that stand for a file */
	uint64_t n_folded;	  /* zones whose name went with them */
	uint64_t n_nobodys;	  /* events of threads past TW_FEED_THREADS_MAX */
	uint64_t n_frames_unsent; /* of sets past TW_FEED_SERIES */
	bool is_finished;	  /* the writer closed the file */
	bool has_crashed;
	char crash[160];
	uint32_t texts_used;
	uint64_t locations[(1u << 18) / 64];  /* sent, by id */
	uint64_t folds[(32u << 20) / 8 / 64]; /* sent, by file's string id */
	struct tw_feed_series series[TW_FEED_SERIES];
	uint32_t tids[TW_FEED_TIDS]; /* thread numbers, hashed by wire id */
	struct tw_feed_process processes[TW_FEED_PROCESSES_MAX];
	struct tw_feed_thread threads[TW_FEED_THREADS_MAX];
	char texts[TW_FEED_TEXT_BYTES];
};

/* A META block's records. Safe to give twice. */
void tw_feed_meta(struct tw_feed *feed, const uint8_t *raw, size_t bytes);

/* An EVENTS block of thread `number`. */
void tw_feed_events(struct tw_feed *feed, uint32_t number, const uint8_t *raw,
		    size_t bytes);

/* Ends all open zones of a thread, or of all threads, on the wire. */
void tw_feed_close_thread(struct tw_feed *feed, struct tw_feed_thread *thread,
			  uint64_t ticks);
void tw_feed_close_all(struct tw_feed *feed);

/* The thread of that number, or NULL. */
struct tw_feed_thread *tw_feed_thread(struct tw_feed *feed, uint32_t number);

/* The key of a plot or frame set of this thread's process; see above. */
struct tw_feed_series *tw_feed_series(struct tw_feed *feed, uint32_t process,
				      uint32_t name, bool is_frame);

/* What a key stands for. Text is written to `buffer` when it has to be made. */
struct tw_feed_text {
	const char *text;
	size_t bytes;
};
struct tw_feed_text tw_feed_string(struct tw_feed *feed, uint64_t key);
struct tw_feed_text tw_feed_series_name(struct tw_feed *feed, uint64_t key,
					bool is_frame, char *buffer, size_t bytes);
struct tw_feed_text tw_feed_thread_name(struct tw_feed *feed, uint64_t id, char *buffer,
					size_t bytes);
struct tw_feed_text tw_feed_process_name(struct tw_feed *feed, uint64_t id,
					 char *buffer, size_t bytes);
struct tw_wire_location tw_feed_location(struct tw_feed *feed, uint64_t key);

#endif

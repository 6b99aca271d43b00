/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From spool blocks to Tracy items, for one connection: who is in the run (META), what
 * happened (EVENTS), and the names behind the keys that the viewer asks for. Strings
 * and locations are looked up in the arena, everything else in what META told. One
 * thread, no malloc; the memory is zeroed by whoever maps it.
 *
 * Keys on the wire: a location is its id, or FOLD | file string id when there are more
 * locations than a viewer can bear (both as tw_wire_location_key turns them); a string
 * is its id; a plot, frame set or memory pool is its name | process << 32, without the
 * process for the first that uses the name.
 */
#ifndef TW_FEED_H
#define TW_FEED_H

#include "core/arena.h"
#include "tracy/address_table.h"
#include "tracy/lock_state.h"
#include "tracy/wire.h"

#define TW_FEED_THREADS_MAX   (1u << 17)
#define TW_FEED_PROCESSES_MAX (1u << 15)
#define TW_FEED_TIDS	      (1u << 18) /* a power of two, twice the threads */
#define TW_FEED_SERIES	      4096u	 /* plots and frame sets; a power of two */
#define TW_FEED_TEXT_BYTES    (8u << 20)

/* Viewers refuse more than 32,767 locations; the rest of them share one a file. */
#define TW_FEED_LOCATIONS_MAX 31000u
#define TW_FEED_FOLDS_MAX     1700u

#define TW_FEED_FOLD	  (UINT64_C(1) << 40)
#define TW_FEED_CRASH	  (UINT64_C(1) << 41) /* string key of the crash's text */
#define TW_FEED_REST	  (UINT64_C(1) << 42) /* string key: names past all bounds */
#define TW_FEED_LOST_LOCK (UINT64_C(1) << 43) /* location and string key */
#define TW_FEED_FIBER	  (UINT64_C(1) << 44) /* | number of a fiber */
#define TW_FEED_CODE	  (UINT64_C(1) << 45) /* | location: an invented address */
#define TW_FEED_POOL	  (UINT64_C(1) << 55) /* | key of a pool's series */

#define TW_FEED_SERIALS	    (1u << 17) /* locks and memory held back at most */
#define TW_FEED_LOCKS	    (1u << 13) /* that live at the same time; a power of two */
#define TW_FEED_LOCK_IDS    (1u << 20)
#define TW_FEED_ADDRESSES   (1u << 20) /* allocated at the same time; a power of two */
#define TW_FEED_STACKS	    64u	       /* whose zone is in a block to come */
#define TW_FEED_DEVICES	    255u
#define TW_FEED_CONTEXTS    255u /* viewers have a byte for their numbers */
#define TW_FEED_TRACKS	    1024u
#define TW_FEED_TRACK_DEPTH 64u

struct tw_feed_thread {
	uint32_t process;
	uint32_t tid;
	uint32_t id;   /* on the wire; 0 = not met */
	uint32_t name; /* offset in texts, 0 = none */
	uint64_t last_ticks;
	uint64_t depth;	    /* zones open on the wire */
	uint64_t n_missing; /* zones around them whose begin is not in the file */
	/* Numbers: what is entered on the wire, which may lag behind the truth. */
	uint32_t fiber;	  /* of a thread: the fiber that it runs; 0 = none */
	uint32_t carrier; /* of a fiber: the thread that runs it; 0 = none */
	uint32_t last_carrier;
	uint32_t device;   /* of a device track: its device's number */
	uint16_t unit;	   /* of a device or track: index + 1 of what is kept of it */
	uint16_t sequence; /* of its last block */
	uint8_t kind;	   /* enum tw_thread_kind */
	bool has_sequence;
	bool has_hint;
	bool has_stack; /* one is kept for its next zone */
};

struct tw_feed_process {
	uint32_t pid;
	uint32_t program; /* offset in texts */
};

enum tw_feed_series_kind { TW_FEED_PLOT, TW_FEED_FRAMES, TW_FEED_MEMORY };

struct tw_feed_series {
	uint64_t key; /* on the wire */
	uint64_t last_ticks;
	uint32_t process; /* 0 = a free entry */
	uint8_t kind;	  /* enum tw_feed_series_kind */
	bool is_range;	  /* of frames: with begin and end */
	bool is_open;	  /* and one has begun */
};

/* A lock's or memory's event, until nothing earlier can come. */
struct tw_feed_serial {
	uint64_t ticks;
	uint64_t order; /* in which it came */
	uint64_t address;
	uint64_t bytes;
	uint32_t thread; /* on the wire */
	uint32_t process;
	uint32_t id;
	uint32_t kind; /* enum tw_event_kind */
};

struct tw_feed_lock {
	uint32_t id; /* 0 = a free entry */
	struct tw_lock_state state;
};

/* Of one thread: the block ended between stack and zone. */
struct tw_feed_stack {
	uint32_t thread; /* number; 0 = a free entry */
	uint32_t n_bytes;
	uint64_t ticks;
	uint8_t payload[TW_PAYLOAD_MAX];
};

/* A device's clock, from the last looks at it. */
struct tw_feed_device {
	uint32_t context; /* + 1; 0 = none yet */
	uint32_t n_looks;
	int64_t time, first_time; /* of the device, at `ns` of ours */
	double ns, first_ns;
	double ns_per_tick;
};

/* A row of a context, and the zones whose ends are still to be sent. */
struct tw_feed_track {
	uint32_t number;  /* of the thread */
	uint32_t context; /* + 1 */
	uint32_t n_open;
	bool is_alone; /* its context has no other track */
	int64_t begin_ns;
	struct {
		int64_t end; /* of the device's clock */
		int64_t end_ns;
	} open[TW_FEED_TRACK_DEPTH];
};

struct tw_feed_context {
	int64_t last_ns;    /* sent */
	int64_t flushed_ns; /* before this no end is pending */
	uint16_t query;
};

/* What a viewer, or we, have no room for; words for it in feed_names.c. */
enum tw_feed_loss {
	TW_FEED_LOSS_THREADS,
	TW_FEED_LOSS_FRAMES,
	TW_FEED_LOSS_MIXED_FRAMES,
	TW_FEED_LOSS_LOCKS,
	TW_FEED_LOSS_LOCK_THREADS,
	TW_FEED_LOSS_POOLS,
	TW_FEED_LOSS_ADDRESSES,
	TW_FEED_LOSS_ORDER,
	TW_FEED_LOSS_STACKS,
	TW_FEED_LOSS_DEVICES,
	TW_FEED_LOSS_DEVICE_TIMES,
	TW_FEED_LOSS_COUNT
};

struct tw_feed {
	struct tw_arena *arena;
	struct tw_wire *wire;	    /* NULL while looking ahead: nothing is sent */
	struct tw_feed_thread *row; /* selected on the wire; NULL = none */
	double tick_ns;		    /* as the viewer was told */
	uint64_t first_ticks;	    /* of the run; 0 = unknown */
	uint64_t first_anchor_ticks, first_anchor_ns, first_wall_ns;
	uint32_t n_processes, n_threads; /* that META told of */
	uint32_t root_pid;
	uint32_t main_thread;	/* number of the first */
	uint32_t command;	/* offset in texts */
	uint32_t command_bytes; /* arguments are separated by NUL */
	uint32_t max_thread;	/* highest number met */
	uint32_t n_locations;	/* sent so far, those that stand for themselves */
	uint32_t n_folds;	/* and those that stand for a file */
	uint64_t n_folded;	/* zones whose name went with them */
	uint64_t lost[TW_FEED_LOSS_COUNT];
	bool is_finished; /* the writer closed the file */
	bool has_crashed;
	char crash[160];
	uint32_t texts_used;
	uint32_t n_serials, n_devices, n_tracks, n_contexts;
	uint64_t serial_ticks; /* sent: nothing may be earlier */
	uint64_t n_serials_met;
	struct tw_address_table addresses;
	uint64_t locations[(1u << 18) / 64];  /* sent, by id */
	uint64_t folds[(32u << 20) / 8 / 64]; /* sent, by file's string id */
	uint64_t locks_announced[TW_FEED_LOCK_IDS / 64];
	struct tw_feed_series series[TW_FEED_SERIES];
	struct tw_feed_stack stacks[TW_FEED_STACKS];
	struct tw_feed_device devices[TW_FEED_DEVICES];
	struct tw_feed_context contexts[TW_FEED_CONTEXTS];
	struct tw_feed_track tracks[TW_FEED_TRACKS];
	struct tw_feed_lock locks[TW_FEED_LOCKS];
	struct tw_feed_serial serials[TW_FEED_SERIALS]; /* a heap, earliest first */
	struct tw_address address_entries[TW_FEED_ADDRESSES];
	uint32_t tids[TW_FEED_TIDS]; /* thread numbers, hashed by wire id */
	struct tw_feed_process processes[TW_FEED_PROCESSES_MAX];
	struct tw_feed_thread threads[TW_FEED_THREADS_MAX];
	char texts[TW_FEED_TEXT_BYTES];
};

/* A META block's records. Safe to give twice. */
void tw_feed_meta(struct tw_feed *feed, const uint8_t *raw, size_t bytes);

/* An EVENTS block of thread `number`, with the number that its header has. */
void tw_feed_events(struct tw_feed *feed, uint32_t number, uint16_t sequence,
		    const uint8_t *raw, size_t bytes);

/* Nothing more comes: what is held back goes out, what is open ends. */
void tw_feed_close_all(struct tw_feed *feed);

/* The thread of that number, or NULL. */
struct tw_feed_thread *tw_feed_thread(struct tw_feed *feed, uint32_t number);

/* What a key stands for. Text is written to `buffer` when it has to be made. */
struct tw_feed_text {
	const char *text;
	size_t bytes;
};
struct tw_feed_text tw_feed_string(struct tw_feed *feed, uint64_t key, char *buffer,
				   size_t bytes);
struct tw_feed_text tw_feed_series_name(struct tw_feed *feed, uint64_t key,
					enum tw_feed_series_kind kind, char *buffer,
					size_t bytes);
/* Also of a fiber's key. */
struct tw_feed_text tw_feed_thread_name(struct tw_feed *feed, uint64_t id, char *buffer,
					size_t bytes);
struct tw_feed_text tw_feed_process_name(struct tw_feed *feed, uint64_t id,
					 char *buffer, size_t bytes);
struct tw_wire_location tw_feed_location(struct tw_feed *feed, uint64_t key);

/* What an invented address stands for; texts are written to `place` when made. */
struct tw_feed_frame {
	struct tw_feed_text image, function, file;
	uint32_t line;
	char place[512];
};
void tw_feed_frame(struct tw_feed *feed, uint64_t address, struct tw_feed_frame *frame);

/* What a loss is called: "the live view left out N " ... */
extern const char *const tw_feed_loss_words[TW_FEED_LOSS_COUNT];

#endif

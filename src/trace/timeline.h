/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline: what reports and exporters read of a spool. Opening it is pass 1 and
 * collects names, places, processes, threads, the clock and what was lost; events are
 * never kept but streamed by tw_timeline_each(), as often as wanted. Memory grows with
 * names and threads, not with events. One thread; the command only.
 *
 * Ids in a file are not trusted: everything handed out here has been checked, and what
 * did not pass is counted in n_bad_records.
 */
#ifndef TW_TIMELINE_H
#define TW_TIMELINE_H

#include "core/record.h"
#include "trace/clock_map.h"
#include "trace/cursor.h"
#include "trace/spool_read.h"
#include "trace/table.h"

/* Ids and numbers above this are damage: a table of pointers never exceeds 32 MiB. */
#define TW_IDS_MAX	(1u << 22)
#define TW_NOTES_KEPT	256u
#define TW_SESSION_KEPT 64u

/* A source location with its strings looked up. */
struct tw_place {
	uint32_t name_id, function_id, file_id;
	uint32_t line;
	uint32_t colour; /* 0xRRGGBB, 0 = none */
	uint32_t layer;	 /* enum tw_layer, or one we do not know */
	bool is_code;	 /* a code address: `line` is its offset in `file` */
	struct tw_slice
		name; /* demangled; the function's where it has none of its own */
	struct tw_slice function;
	struct tw_slice file;
};

struct tw_process {
	uint32_t number;
	uint32_t pid, ppid;
	uint32_t parent; /* number of the parent; 0 = not in this trace */
	uint32_t n_threads;
	uint64_t start_ticks, end_ticks;
	uint64_t start_ns, end_ns; /* end_ns only when has_end */
	bool has_end;
	uint32_t end;  /* enum tw_end */
	uint32_t code; /* exit code or signal */
	struct tw_slice program;
	struct tw_slice command; /* arguments separated by NUL */
};

struct tw_thread {
	uint32_t number;
	uint32_t tid;
	struct tw_process *process; /* never NULL; may be the unknown process */
	uint64_t start_ticks, end_ticks;
	uint64_t start_ns, end_ns; /* end_ns only when has_end */
	bool has_end;
	uint32_t kind;	      /* enum tw_thread_kind, or one we do not know */
	uint32_t device;      /* number of a device track's device */
	bool is_guessed;      /* no THREAD record was readable */
	struct tw_slice name; /* the last one */
	char *name_buffer;
	uint32_t name_room;
	uint64_t first_ticks; /* of its first EVENTS block; 0 = none */
	uint64_t n_lost;      /* events */
	uint64_t n_stalls, stall_ns;
	/* Of the pass: time of its latest event and number of its latest block so far.
	 */
	uint64_t last_ns;
	uint16_t last_block;
	bool has_block;
};

/* A thread of the system, not a fiber or something of a device? */
static inline bool tw_thread_is_real(const struct tw_thread *thread)
{
	return thread->kind == TW_THREAD_PLAIN || thread->kind == TW_THREAD_MAIN;
}

struct tw_session_value {
	struct tw_slice key;
	struct tw_slice value;
};

/* Tables are indexed by id or number and have holes (NULL); 0 is never used. */
struct tw_timeline {
	struct tw_spool *spool;
	struct tw_clock_map clock;
	struct tw_table strings; /* struct tw_slice */
	struct tw_table places;
	struct tw_table processes;
	struct tw_table threads;
	struct tw_process unknown_process; /* number 0: owner of threads without one */
	struct tw_slice notes[TW_NOTES_KEPT];
	struct tw_session_value session[TW_SESSION_KEPT];
	uint64_t n_notes; /* more than are kept, perhaps */
	uint32_t n_session;
	uint32_t n_processes, n_threads;
	uint32_t n_rows; /* fibers, devices and their tracks: in `threads`, too */
	uint64_t lost[TW_LOSS_COUNT + 1]; /* the last one: reasons we do not know */
	uint64_t n_lost;		  /* events; cut texts are not lost events */
	uint64_t n_stalls, stall_ns;
	uint64_t rotated_blocks, rotated_events, rotated_bytes;
	uint64_t n_events; /* as the block headers say */
	uint64_t n_marks, n_gates;
	uint64_t n_bad_records; /* META records that make no sense */
	uint64_t n_bad_blocks;	/* of the pass: EVENTS payloads that end in nonsense */
	bool is_complete;	/* FINISH was seen */
	uint64_t end_ticks;	/* the latest that META knows of */
	uint64_t end_ns;
	uint64_t start_wall_ns;	      /* 0 = unknown */
	struct tw_names *names;	      /* memory of all texts */
	struct tw_block_index *index; /* of tw_timeline_each_of(); NULL = not made */
	struct tw_demangler *demangler;
	struct tw_symbols *symbols; /* NULL = nobody here can be asked */
};

/* Opens and runs pass 1. Returns 0, or a negative errno with the fault worded. */
int tw_timeline_open(struct tw_timeline **out, const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));
/* The same for a spool that is open, which is taken over. */
int tw_timeline_adopt(struct tw_timeline **out, struct tw_spool *spool,
		      struct tw_fault *fault) __attribute__((warn_unused_result));
void tw_timeline_close(struct tw_timeline *timeline);

/* What an id stands for; a stand-in with an "(unknown ...)" name, never NULL. */
const struct tw_place *tw_timeline_place(const struct tw_timeline *timeline,
					 uint32_t id);
struct tw_slice tw_timeline_string(const struct tw_timeline *timeline, uint32_t id);

/* One event. `payload` lives until the callback returns. */
struct tw_event {
	struct tw_thread *thread;
	uint64_t ns;   /* since the session's start; never runs back within a thread */
	uint32_t kind; /* enum tw_event_kind; others come from later versions */
	uint32_t id;   /* what kind's tw_id_role says, not looked up yet */
	uint32_t n_bytes;
	const uint8_t *payload;
};

/* What to call. Each may be NULL; a result other than 0 ends the pass with it. */
struct tw_visitor {
	void *context;
	/* A block of this thread begins: so many zones are open before its first event.
	 * has_gap: blocks before it are missing. */
	int (*block)(void *context, struct tw_thread *thread, uint64_t depth,
		     bool has_gap);
	int (*event)(void *context, const struct tw_event *event);
	int (*mark)(void *context, uint64_t ns, struct tw_slice text);
	/* Recording was started or stopped. */
	int (*gate)(void *context, uint64_t ns, bool is_on);
};

/*
 * Pass 2: all events in file order, which is each thread's own order. Returns 0, a
 * callback's result, or a negative errno with the fault worded.
 */
int tw_timeline_each(struct tw_timeline *timeline, const struct tw_visitor *visitor,
		     struct tw_fault *fault) __attribute__((warn_unused_result));

/*
 * The same for one thread's events alone, without marks and gates: its blocks are found
 * by an index (8 bytes a block) that the first call makes in a pass of its own.
 */
int tw_timeline_each_of(struct tw_timeline *timeline, struct tw_thread *thread,
			const struct tw_visitor *visitor, struct tw_fault *fault)
	__attribute__((warn_unused_result));

/* The words of a layer ("user", ...), a thread's kind and a loss; for any number. */
const char *tw_layer_word(uint32_t layer);
const char *tw_thread_kind_word(uint32_t kind);
const char *tw_loss_words(uint32_t reason);

#endif

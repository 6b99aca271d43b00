/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the `.tracy` import share; nobody else includes this. */
#ifndef TW_TRACY_FILE_IMPORT_PRIVATE_H
#define TW_TRACY_FILE_IMPORT_PRIVATE_H

#include "export/scratch.h"
#include "export/sort.h"
#include "trace/names.h"
#include "trace/spool_stream.h"
#include "tracy/file_read.h"

/* A thread of the file, in the order in which they were heard of. */
struct tw_import_thread {
	uint64_t id;	  /* in the file */
	uint32_t number;  /* in the spool; 0 = not given yet */
	uint32_t process; /* number in the spool */
	bool is_main;
	uint64_t first_open; /* so many zones of it end, the others are open */
	uint64_t n_ended;
	struct tw_slice name;
	uint64_t first_item, n_items, at_item; /* in import->items */
};

struct tw_import_process {
	uint32_t number, pid;
	uint32_t signal; /* that killed it; 0 = none */
	struct tw_slice program;
};

/* A plot or a set of frames of a ledger. */
struct tw_import_series {
	struct tw_slice name; /* in the trace; in the file it may say whose it is */
	uint32_t process;
};

/* From hashes to ids of the spool; equal hashes are taken for equal things. */
struct tw_import_table {
	struct tw_import_slot {
		uint64_t hash;
		uint32_t id; /* 0 = free */
	} * slots;
	uint32_t n_slots, n; /* n_slots: a power of two */
};

enum tw_import_kind { TW_IMPORT_MESSAGE, TW_IMPORT_PLOT, TW_IMPORT_FRAME };

/* A message, point or frame: what is left of a tw_sort_item. */
struct tw_import_item {
	uint64_t ns;
	uint64_t value; /* message: colour << 32 | bytes of its text; plot: the value */
	uint64_t id;	/* kind << 60 | message: where its text is; else: string */
};

#define TW_IMPORT_ITEMS 256u /* read at a time */

struct tw_import {
	struct tw_spool_writer *spool;
	struct tw_spool_stream *stream;
	struct tw_names *names;
	bool is_ours;	 /* recorded by tracewrap: colours hold layers */
	bool has_ledger; /* of a file that tracewrap wrote itself */
	uint32_t pid;
	int64_t last_ns;
	uint64_t capture_s;
	struct tw_slice capture, host;
	uint64_t ledger_thread; /* the last one of the ledger */
	uint32_t ledger_process;
	bool is_ledger_main;
	struct tw_import_thread *threads;
	uint32_t n_threads, threads_room;
	uint32_t next_number; /* of threads */
	struct tw_import_process *processes;
	uint32_t n_processes, processes_room;
	struct tw_import_series *series;
	uint32_t n_series, series_room;
	struct tw_import_table thread_ids; /* of the file: index + 1 */
	struct tw_import_table pids;	   /* index of the process + 1 */
	struct tw_import_table mains;	   /* process of a ledger: thread's index + 1 */
	struct tw_import_table series_ids; /* index + 1 */
	struct tw_import_table strings;
	struct tw_import_table folded; /* places */
	uint32_t n_strings, n_places;
	uint32_t places[65536]; /* by the file's number of a location, as unsigned */
	uint64_t n_cut, n_gpu_zones;
	bool has_base_frame;   /* the first of all, which nobody marked, has come */
	struct tw_slice named; /* of the last point or frame, in the file */
	uint32_t named_string; /* in the spool, ... */
	uint32_t named_thread; /* ... and where it goes */
	int named_kind;
	struct tw_sorter sorter;	  /* items, by thread and time */
	struct tw_scratch items;	  /* the same, sorted */
	struct tw_scratch texts;	  /* of messages */
	struct tw_import_thread *current; /* of the second pass */
	uint64_t
		n_open; /* zones without an end that have not been followed by others */
	struct tw_import_item next[TW_IMPORT_ITEMS];
	uint32_t n_next, at_next;
};

/* ns of a file to ticks of the spool: later than 0, and no more than they can be. */
static inline uint64_t tw_import_ticks(int64_t ns)
{
	return ns < 0 ? 1 : (uint64_t)(ns < INT64_MAX / 4 ? ns : INT64_MAX / 4) + 1;
}

/* file_import_kept.c: NULL or 0 without memory (or ids). */
struct tw_import_thread *tw_import_thread(struct tw_import *im, uint64_t id);
struct tw_import_process *tw_import_process(struct tw_import *im, uint32_t pid);
uint32_t tw_import_string(struct tw_import *im, struct tw_slice text);
uint32_t tw_import_place(struct tw_import *im, const struct tw_tracy_zone *zone);
struct tw_slice tw_import_copy(struct tw_import *im, struct tw_slice text);
/* The id that belongs to a hash, 0 = fill it in; NULL without memory. */
uint32_t *tw_import_slot(struct tw_import_table *table, uint64_t hash);

/* file_import_people.c: callbacks of the first pass, and what follows from them. */
int tw_import_info(void *context, const struct tw_tracy_info *info);
int tw_import_ledger(void *context, struct tw_slice text);
int tw_import_thread_name(void *context, uint64_t tid, struct tw_slice name);
int tw_import_crash(void *context, uint64_t tid, int64_t ns, struct tw_slice text);
int tw_import_app_info(void *context, struct tw_slice text);
void tw_import_people(struct tw_import *im);
/* Where the points of a series go: sets named_string and named_thread. */
int tw_import_series(struct tw_import *im, struct tw_slice text, bool is_frame)
	__attribute__((warn_unused_result));

/* file_import_zones.c: the second pass. */
int tw_import_zones(struct tw_import *im, const char *path, struct tw_fault *fault)
	__attribute__((warn_unused_result));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the `.tracy` reader share; nobody else includes this. */
#ifndef TW_TRACY_FILE_READ_PRIVATE_H
#define TW_TRACY_FILE_READ_PRIVATE_H

#include "trace/names.h"
#include "tracy/file_in.h"
#include "tracy/file_read.h"

/* Two numbers, sorted by the first when all are there. */
struct tw_tracy_pair {
	uint64_t key, value;
};

struct tw_tracy_pairs {
	struct tw_tracy_pair *items;
	uint64_t n, room;
};

/* A text by index into the string table or by pointer. */
struct tw_tracy_reference {
	uint64_t value;
	uint8_t flags;
};

struct tw_tracy_location {
	struct tw_tracy_reference name, function, file;
	uint32_t line, colour;
};

struct tw_tracy_locations {
	struct tw_tracy_location *items;
	uint64_t n, room;
};

struct tw_tracy_extra {
	uint32_t stack, text, name, colour;
};

struct tw_tracy_kept_message {
	struct tw_tracy_reference text;
	uint64_t id, tid;
	int64_t ns;
	uint32_t colour;
};

struct tw_tracy_frame {
	uint64_t set; /* pointer of its name */
	int64_t begin_ns, end_ns;
};

/* Zones that are open while their children are read. */
struct tw_tracy_open {
	uint64_t n_left; /* children still to come */
	int64_t begin_ns, gpu_begin_ns;
	uint32_t extra; /* of GPU zones: call stack */
	int16_t location;
};

struct tw_tracy_reader {
	struct tw_tracy_in in;
	const struct tw_tracy_ops *ops;
	uint32_t version;
	int result;	 /* what ended the reading early: a callback's, -ENOMEM, ... */
	uint64_t budget; /* bytes that may still be kept */
	struct tw_names *names;
	struct tw_slice *strings;
	uint64_t n_strings, strings_room;
	struct tw_tracy_pairs ids;	 /* string id, index */
	struct tw_tracy_pairs pointers;	 /* client pointer, string id */
	struct tw_tracy_pairs fixed;	 /* client pointer, index into `locations` */
	struct tw_tracy_pairs expansion; /* in file order: client pointer */
	struct tw_tracy_pairs local;	 /* in file order: ids of threads */
	struct tw_tracy_locations locations, dynamic;
	struct tw_tracy_extra *extras;
	uint64_t n_extras, extras_room;
	struct tw_tracy_kept_message *messages;
	uint64_t n_messages, messages_room;
	struct tw_tracy_frame *frames;
	uint64_t n_frames, frames_room;
	struct tw_tracy_open *open;
	uint64_t n_open, open_room;
	uint64_t *frame_ids; /* of the call stack that is being read */
	uint64_t frame_ids_room;
	uint64_t crash_tid, crash_text;
	int64_t crash_ns;
};

/* Does reading go on? */
static inline bool tw_tracy_goes_on(const struct tw_tracy_reader *r)
{
	return !r->in.is_bad && r->result == 0;
}

/* May so many bytes more be kept? If not, r->result says so. */
bool tw_tracy_afford(struct tw_tracy_reader *r, uint64_t bytes);

/* Room for one more item, within the budget: false = r->result says why not. */
bool tw_tracy_room(struct tw_tracy_reader *r, void **items, uint64_t n, uint64_t *room,
		   size_t item_bytes);

#define TW_TRACY_ROOM(r, list, n, room)                                                \
	tw_tracy_room(r, (void **)&(list), n, &(room), sizeof(*(list)))

void tw_tracy_pair_add(struct tw_tracy_reader *r, struct tw_tracy_pairs *pairs,
		       uint64_t key, uint64_t value);
void tw_tracy_pairs_sort(struct tw_tracy_pairs *pairs);
const struct tw_tracy_pair *tw_tracy_find(const struct tw_tracy_pairs *pairs,
					  uint64_t key);

/* Texts; empty where the file gives none, "???" where it promises one that is not. */
struct tw_slice tw_tracy_text_at(const struct tw_tracy_reader *r,
				 uint64_t index_plus_1);
struct tw_slice tw_tracy_text_of(const struct tw_tracy_reader *r,
				 struct tw_tracy_reference reference);
struct tw_slice tw_tracy_text_by_pointer(const struct tw_tracy_reader *r,
					 uint64_t pointer);

/* The location of a zone's id; NULL when the file has none. */
const struct tw_tracy_location *tw_tracy_location_of(const struct tw_tracy_reader *r,
						     int16_t id);

/* A location's name or its function's; "???" when there is no location. */
struct tw_slice tw_tracy_location_name(const struct tw_tracy_reader *r,
				       const struct tw_tracy_location *location);

/* The id of a thread that is given by its short number; 0 = nobody. */
static inline uint64_t tw_tracy_thread_of(const struct tw_tracy_reader *r,
					  unsigned number)
{
	return number < r->local.n ? r->local.items[number].key : 0;
}

/* Passes over a list: u64 count, then that many times so many bytes. */
void tw_tracy_pass(struct tw_tracy_reader *r, uint64_t item_bytes);

/* Sections 17, 20 and 21. */
void tw_tracy_read_locks(struct tw_tracy_reader *r);
void tw_tracy_read_threads(struct tw_tracy_reader *r);
void tw_tracy_read_gpu(struct tw_tracy_reader *r);

/* Sections 23 to 25 and 27 to 32. */
void tw_tracy_read_memory(struct tw_tracy_reader *r);
void tw_tracy_read_stacks(struct tw_tracy_reader *r);
void tw_tracy_pass_images(struct tw_tracy_reader *r);
void tw_tracy_read_runs(struct tw_tracy_reader *r);
void tw_tracy_pass_processors(struct tw_tracy_reader *r);
void tw_tracy_pass_symbols(struct tw_tracy_reader *r);

/* 0xBBGGRR to 0xRRGGBB. */
static inline uint32_t tw_tracy_rgb(uint32_t bgr)
{
	return (bgr & 0xff) << 16 | (bgr & 0xff00) | (bgr >> 16 & 0xff);
}

#endif

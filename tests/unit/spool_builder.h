/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds spools for tests byte by byte from the specification in trace/format.h. It
 * knows nothing of the writer in src/trace, so a mistake made there is not made here
 * again, and it can say what the writer never would. Memory is kept to the end: tests
 * are short.
 */
#ifndef TW_SPOOL_BUILDER_H
#define TW_SPOOL_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "core/record.h"
#include "trace/format.h"

struct bytes {
	uint8_t *at;
	size_t n, room;
	uint16_t *n_blocks; /* of a file, by thread */
};

void put_bytes(struct bytes *b, const void *bytes, size_t n);
void put_varint(struct bytes *b, uint64_t v);
void put_text(struct bytes *b, const char *text);

/* A payload on its way into a block. */
struct payload {
	struct bytes bytes;
	uint32_t n_records;
};

/* META records; `body` is finished bytes, put_meta adds tag and length. */
void put_meta(struct payload *p, uint64_t tag, const struct bytes *body);
/* A record of nothing but numbers. */
void put_numbers(struct payload *p, uint64_t tag, unsigned n, const uint64_t *numbers);
#define PUT_NUMBERS(p, tag, ...)                                                       \
	put_numbers(p, tag, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),      \
		    (uint64_t[]){__VA_ARGS__})
void put_string(struct payload *p, uint64_t id, const char *text);
void put_string_bytes(struct payload *p, uint64_t id, const char *text, size_t n);
void put_process(struct payload *p, uint64_t number, uint64_t pid, uint64_t ppid,
		 uint64_t start, uint64_t parent, const char *program,
		 const char *command, size_t n_command);
void put_thread_name(struct payload *p, uint64_t number, const char *name);
void put_note(struct payload *p, const char *text);
void put_session(struct payload *p, const char *key, const char *value);
void put_mark(struct payload *p, uint64_t ticks, const char *text);

/* EVENTS: the start of the payload, then events. */
void put_start(struct payload *p, uint64_t ticks, uint64_t depth);
void put_begin(struct payload *p, uint64_t delta, uint64_t location);
void put_end(struct payload *p, uint64_t delta);
void put_event(struct payload *p, uint64_t delta, uint8_t kind, uint64_t id,
	       const void *payload, size_t n);
void put_zone_text(struct payload *p, const char *text);
void put_message(struct payload *p, uint64_t delta, uint64_t colour, const char *text);
void put_plot(struct payload *p, uint64_t delta, uint64_t name, double value);

/* The file. A block takes the payload and empties it. */
void put_file_header(struct bytes *file, uint16_t major, uint16_t minor);
void put_block(struct bytes *file, struct payload *p, uint8_t kind, uint8_t codec,
	       uint32_t thread);
/* Header as given but for magic and checksum; `stored` as it is. */
void put_block_as(struct bytes *file, const struct tw_block_header *header,
		  const void *stored, size_t n);
void put_meta_block(struct bytes *file, struct payload *p);
void put_events_block(struct bytes *file, struct payload *p, uint32_t thread);

/* A temporary folder for each test: .init and .fini of a suite. */
void spool_folder_make(void);
void spool_folder_remove(void);

/* The path of a file in it; writing such files; reading one whole, NUL-terminated. */
char *spool_path(const char *name);
char *spool_save(const struct bytes *file, const char *name);
void spool_save_at(const char *path, const void *bytes, size_t n);
char *spool_read_file(const char *path, size_t *n);

/*
 * The start of most spools: header; a clock that counts ns from `ticks`; process 1 (pid
 * 100, "prog"); thread 1 (tid 100, main); locations 1 "alpha" a.c:10, 2 "beta" b.c:20,
 * 3 "gamma" b.c:30, native. Strings 1 to 9 are taken.
 */
void put_prelude(struct bytes *file, uint64_t ticks);

/* FINISH in a block of its own. */
void put_finish(struct bytes *file, uint64_t ticks);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* See spool_builder.h. */
#include "spool_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <lz4.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define THREADS 65536u

/* What was taken stays reachable, so that a leak checker finds only other people's. */
static struct taken {
	struct taken *next;
	uint8_t bytes[];
} * all_taken;

static void *take(size_t n)
{
	struct taken *t = calloc(1, sizeof(*t) + n);

	cr_assert_not_null(t);
	t->next = all_taken;
	all_taken = t;
	return t->bytes;
}

void put_bytes(struct bytes *b, const void *bytes, size_t n)
{
	if (b->n + n > b->room) {
		uint8_t *old = b->at;

		b->room = (b->n + n) * 2 + 64;
		b->at = take(b->room);
		if (b->n)
			memcpy(b->at, old, b->n);
	}
	if (n)
		memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

void put_varint(struct bytes *b, uint64_t v)
{
	uint8_t group;

	do {
		group = v & 0x7f;
		v >>= 7;
		if (v)
			group |= 0x80;
		put_bytes(b, &group, 1);
	} while (v);
}

void put_text(struct bytes *b, const char *text)
{
	put_varint(b, strlen(text));
	put_bytes(b, text, strlen(text));
}

void put_meta(struct payload *p, uint64_t tag, const struct bytes *body)
{
	put_varint(&p->bytes, tag);
	put_varint(&p->bytes, body->n);
	put_bytes(&p->bytes, body->at, body->n);
	p->n_records++;
}

void put_numbers(struct payload *p, uint64_t tag, unsigned n, const uint64_t *numbers)
{
	struct bytes body = {0};

	for (unsigned i = 0; i < n; i++)
		put_varint(&body, numbers[i]);
	put_meta(p, tag, &body);
}

void put_string_bytes(struct payload *p, uint64_t id, const char *text, size_t n)
{
	struct bytes body = {0};

	put_varint(&body, id);
	put_varint(&body, n);
	put_bytes(&body, text, n);
	put_meta(p, TW_META_STRING, &body);
}

void put_string(struct payload *p, uint64_t id, const char *text)
{
	put_string_bytes(p, id, text, strlen(text));
}

void put_process(struct payload *p, uint64_t number, uint64_t pid, uint64_t ppid,
		 uint64_t start, uint64_t parent, const char *program,
		 const char *command, size_t n_command)
{
	struct bytes body = {0};

	put_varint(&body, number);
	put_varint(&body, pid);
	put_varint(&body, ppid);
	put_varint(&body, start);
	put_varint(&body, parent);
	put_text(&body, program);
	put_varint(&body, n_command);
	put_bytes(&body, command, n_command);
	put_meta(p, TW_META_PROCESS, &body);
}

/* A record of one number and one text. */
static void put_number_text(struct payload *p, uint64_t tag, uint64_t number,
			    const char *text)
{
	struct bytes body = {0};

	put_varint(&body, number);
	put_text(&body, text);
	put_meta(p, tag, &body);
}

void put_thread_name(struct payload *p, uint64_t number, const char *name)
{
	put_number_text(p, TW_META_THREAD_NAME, number, name);
}

void put_mark(struct payload *p, uint64_t ticks, const char *text)
{
	put_number_text(p, TW_META_MARK, ticks, text);
}

void put_note(struct payload *p, const char *text)
{
	struct bytes body = {0};

	put_text(&body, text);
	put_meta(p, TW_META_NOTE, &body);
}

void put_session(struct payload *p, const char *key, const char *value)
{
	struct bytes body = {0};

	put_text(&body, key);
	put_text(&body, value);
	put_meta(p, TW_META_SESSION, &body);
}

void put_start(struct payload *p, uint64_t ticks, uint64_t depth)
{
	uint8_t base[8];

	for (unsigned i = 0; i < 8; i++)
		base[i] = (uint8_t)(ticks >> (8 * i));
	put_bytes(&p->bytes, base, sizeof(base));
	put_varint(&p->bytes, depth);
}

void put_begin(struct payload *p, uint64_t delta, uint64_t location)
{
	put_varint(&p->bytes, delta << 1 | 1);
	put_varint(&p->bytes, location);
	p->n_records++;
}

void put_end(struct payload *p, uint64_t delta)
{
	put_varint(&p->bytes, delta << 1);
	p->n_records++;
}

void put_event(struct payload *p, uint64_t delta, uint8_t kind, uint64_t id,
	       const void *payload, size_t n)
{
	put_varint(&p->bytes, delta << 1 | 1);
	put_bytes(&p->bytes, "", 1);
	put_bytes(&p->bytes, &kind, 1);
	put_varint(&p->bytes, id);
	put_varint(&p->bytes, n);
	put_bytes(&p->bytes, payload, n);
	p->n_records++;
}

void put_zone_text(struct payload *p, const char *text)
{
	put_event(p, 0, TW_EVENT_ZONE_TEXT, 0, text, strlen(text));
}

void put_message(struct payload *p, uint64_t delta, uint64_t colour, const char *text)
{
	put_event(p, delta, TW_EVENT_MESSAGE, colour, text, strlen(text));
}

void put_plot(struct payload *p, uint64_t delta, uint64_t name, double value)
{
	put_event(p, delta, TW_EVENT_PLOT, name, &value, sizeof(value));
}

void put_file_header(struct bytes *file, uint16_t major, uint16_t minor)
{
	struct tw_file_header h;

	memset(&h, 0, sizeof(h));
	memcpy(h.magic, "\x89TW\r\n\x1a\n\0", 8);
	h.major = major;
	h.minor = minor;
	h.header_bytes = 64;
	h.session = 0x1122334455667788;
	h.created_wall_ns = 1700000000000000000;
	h.checksum = XXH3_64bits(&h, 56);
	put_bytes(file, &h, sizeof(h));
}

void put_block_as(struct bytes *file, const struct tw_block_header *header,
		  const void *stored, size_t n)
{
	struct tw_block_header h = *header;

	memcpy(&h.magic, "TWB1", 4);
	h.checksum = XXH3_64bits_withSeed(stored, n, XXH3_64bits(&h, 24));
	put_bytes(file, &h, sizeof(h));
	put_bytes(file, stored, n);
}

void put_block(struct bytes *file, struct payload *p, uint8_t kind, uint8_t codec,
	       uint32_t thread)
{
	struct tw_block_header h = {.kind = kind, .codec = codec, .thread = thread};
	char *packed = NULL;
	const void *stored = p->bytes.at;

	if (!file->n_blocks)
		file->n_blocks = take(THREADS * sizeof(*file->n_blocks));
	if (kind == TW_BLOCK_EVENTS)
		h.sequence = file->n_blocks[thread % THREADS]++;
	h.n_records = p->n_records;
	h.raw_bytes = h.stored_bytes = (uint32_t)p->bytes.n;
	if (codec == TW_CODEC_LZ4) {
		int room = LZ4_compressBound((int)p->bytes.n);
		int n;

		packed = take((size_t)room);
		n = LZ4_compress_default((char *)p->bytes.at, packed, (int)p->bytes.n,
					 room);
		cr_assert_gt(n, 0);
		h.stored_bytes = (uint32_t)n;
		stored = packed;
	}
	put_block_as(file, &h, stored, h.stored_bytes);
	p->bytes.n = 0;
	p->n_records = 0;
}

void put_meta_block(struct bytes *file, struct payload *p)
{
	put_block(file, p, TW_BLOCK_META, TW_CODEC_LZ4, 0);
}

void put_events_block(struct bytes *file, struct payload *p, uint32_t thread)
{
	put_block(file, p, TW_BLOCK_EVENTS, TW_CODEC_LZ4, thread);
}

static char folder[64];

void spool_folder_make(void)
{
	strcpy(folder, "/tmp/tw-spool-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

void spool_folder_remove(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_assert_eq(system(command), 0);
}

char *spool_path(const char *name)
{
	size_t n = strlen(folder) + strlen(name) + 2;
	char *path = take(n);

	snprintf(path, n, "%s/%s", folder, name);
	return path;
}

char *spool_read_file(const char *path, size_t *n)
{
	struct bytes content = {0};
	FILE *f = fopen(path, "rb");
	char buffer[4096];
	size_t got;

	cr_assert_not_null(f, "%s", path);
	while ((got = fread(buffer, 1, sizeof(buffer), f)) > 0)
		put_bytes(&content, buffer, got);
	fclose(f);
	put_bytes(&content, "", 1);
	*n = content.n - 1;
	return (char *)content.at;
}

void spool_save_at(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(bytes, 1, n, f), n);
	cr_assert_eq(fclose(f), 0);
}

char *spool_save(const struct bytes *file, const char *name)
{
	char *path = spool_path(name);

	spool_save_at(path, file->at, file->n);
	return path;
}

void put_prelude(struct bytes *file, uint64_t ticks)
{
	struct payload p = {0};

	put_file_header(file, 1, 0);
	PUT_NUMBERS(&p, TW_META_CLOCK, ticks, 5000, 1700000000000000000, 1);
	put_session(&p, "version", "1.2.3");
	put_process(&p, 1, 100, 99, ticks, 0, "prog", "prog\0-x\0", 8);
	PUT_NUMBERS(&p, TW_META_THREAD, 1, 1, 100, ticks, 1);
	put_string(&p, 1, "alpha");
	put_string(&p, 2, "beta");
	put_string(&p, 3, "gamma");
	put_string(&p, 4, "a.c");
	put_string(&p, 5, "b.c");
	PUT_NUMBERS(&p, TW_META_LOCATION, 1, 1, 0, 4, 10, 0, TW_LAYER_USER);
	PUT_NUMBERS(&p, TW_META_LOCATION, 2, 2, 0, 5, 20, 0x00ff00, TW_LAYER_USER);
	PUT_NUMBERS(&p, TW_META_LOCATION, 3, 0, 3, 5, 30, 0, TW_LAYER_NATIVE);
	put_meta_block(file, &p);
}

void put_finish(struct bytes *file, uint64_t ticks)
{
	struct payload p = {0};

	PUT_NUMBERS(&p, TW_META_FINISH, ticks);
	put_meta_block(file, &p);
}

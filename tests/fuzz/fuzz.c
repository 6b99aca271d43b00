/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeds damaged input to what reads files and sockets; built with sanitizers, which say
 * when something goes wrong (run.sh). Each round depends only on the seed and its
 * number, so the line that a finding leaves on stderr is enough to repeat it:
 *	fuzz queries|spool|tracy FILE SECONDS [SEED [FIRST_ROUND]]
 * queries: a viewer's bytes against the live client, which shows FILE, a spool;
 * spool:   FILE damaged, for the timeline, the exporters and the live client;
 * tracy:   FILE damaged, for the reader of `.tracy` files and for the import.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "body.h"
#include "core/intern.h"
#include "core/options.h"
#include "export/export.h"
#include "trace/format.h"
#include "tracy/file_import.h"
#include "tracy/file_read.h"
#include "tracy/live_private.h"

struct bytes {
	uint8_t *at;
	size_t n, room;
};

static uint64_t state;
static struct bytes original;
static struct tw_view view;
static struct tw_config config;
static char damaged_path[] = "fuzz-input.XXXXXX";

static uint64_t roll(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static size_t below(size_t n)
{
	return n ? roll() % n : 0;
}

static void die(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void add(struct bytes *b, const void *from, size_t n)
{
	if (b->n + n > b->room) {
		b->room = (b->n + n) * 2;
		b->at = realloc(b->at, b->room);
		if (!b->at)
			die("memory");
	}
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
}

/* A few changes of the kinds that break parsers. */
static void damage(struct bytes *b)
{
	static const uint64_t edges[] = {0,	     1,		0x7f,	    0x80,
					 0xff,	     0xffff,	0x7fffffff, 0x80000000,
					 0xffffffff, INT64_MAX, UINT64_MAX};

	for (size_t n = 1 + below(6); n && b->n; n--) {
		size_t at = below(b->n), bytes = (size_t)1 << below(4);
		uint64_t edge = edges[below(sizeof(edges) / sizeof(*edges))];

		switch (below(5)) {
		case 0:
			b->at[at] ^= (uint8_t)(1u << below(8));
			break;
		case 1:
			b->at[at] = (uint8_t)roll();
			break;
		case 2: /* a number at the edge of its type */
			if (at + bytes <= b->n)
				memcpy(b->at + at, &edge, bytes);
			break;
		case 3: /* a piece of it twice */
			bytes = below(b->n - at < 64 ? b->n - at : 64);
			memmove(b->at + below(b->n - bytes), b->at + at, bytes);
			break;
		case 4:
			if (below(4) == 0)
				b->n = at;
			break;
		}
	}
}

/* ---- a viewer ---- */

struct viewer {
	pthread_t thread;
	int fd;
	struct bytes bytes;
};

static void *view_run(void *argument)
{
	struct viewer *v = argument;
	static char sink[1 << 16];
	size_t sent = 0;

	while (sent < v->bytes.n) {
		ssize_t n = send(v->fd, v->bytes.at + sent, v->bytes.n - sent,
				 MSG_NOSIGNAL);

		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	shutdown(v->fd, SHUT_WR);
	while (recv(v->fd, sink, sizeof(sink), 0) > 0)
		;
	close(v->fd);
	return NULL;
}

static void ask(struct bytes *b)
{
	uint8_t kind = (uint8_t)(1 + below(15));
	uint64_t keys[] = {below(8),	       below(40000), roll(),
			   (uint64_t)getpid(), roll() >> 32, UINT64_C(1) << below(64)};
	uint64_t key = htole64(keys[below(6)]);
	uint32_t extra = (uint32_t)roll();

	add(b, &kind, 1);
	add(b, &key, sizeof(key));
	add(b, &extra, sizeof(extra));
}

/* Serves one viewer who says these bytes; the run that it sees is over. */
static void serve(const char *spool, struct bytes *said)
{
	static struct viewer v;
	static struct tw_live_status status;
	struct tw_live_doors doors = {0};
	struct tw_live_job job = {
		.arena = view.arena,
		.path = spool,
		.name = "fuzz",
		.is_fork = below(2),
		.wake = -1,
		.status = &status,
	};
	bool is_over = true;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		die("socketpair");
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	v.fd = pair[1];
	v.bytes = *said;
	if (pthread_create(&v.thread, NULL, view_run, &v))
		die("pthread_create");
	tw_live_serve(&job, pair[0], &doors, -1, &is_over);
	pthread_join(v.thread, NULL);
}

static void say_hello(struct bytes *said)
{
	uint32_t number;

	number = htole32(tw_tracy_protocols[below(tw_tracy_n_protocols)]->number);
	said->n = 0;
	add(said, "TracyPrf", 8);
	add(said, &number, sizeof(number));
}

static void fuzz_queries(void)
{
	static struct bytes said;
	static const uint8_t terminate[13];
	size_t n = below(below(8) ? 40 : 600);

	say_hello(&said);
	while (n--)
		ask(&said);
	if (below(3) == 0)
		damage(&said);
	if (below(2))
		add(&said, terminate, sizeof(terminate));
	serve(damaged_path, &said);
}

/* ---- spools ---- */

static void sign(struct tw_block_header *h, const void *stored)
{
	size_t head = offsetof(struct tw_block_header, checksum);

	h->checksum = htole64(XXH3_64bits_withSeed(stored, le32toh(h->stored_bytes),
						   XXH3_64bits(h, head)));
}

/* One block, maybe with other contents under a right checksum. */
static size_t copy_block(struct bytes *to, const uint8_t *from, size_t left)
{
	static uint8_t raw[TW_BLOCK_RAW_MAX];
	struct tw_block_header h;
	struct bytes body = {.at = raw};
	size_t stored;
	int n;

	if (left < sizeof(h))
		return left;
	memcpy(&h, from, sizeof(h));
	stored = le32toh(h.stored_bytes);
	if (stored > left - sizeof(h))
		return left;
	if (below(3)) {
		add(to, from, sizeof(h) + stored);
		return sizeof(h) + stored;
	}
	n = h.codec == TW_CODEC_LZ4
		    ? LZ4_decompress_safe((const char *)from + sizeof(h), (char *)raw,
					  (int)stored, sizeof(raw))
		    : 0;
	if (n > 0) {
		body.n = (size_t)n;
	} else {
		memcpy(raw, from + sizeof(h), stored);
		body.n = stored;
	}
	if (below(8) == 0) {
		struct bytes header = {.at = (uint8_t *)&h, .n = sizeof(h)};

		damage(&header);
		h.magic = htole32(TW_BLOCK_MAGIC);
	} else {
		h.codec = TW_CODEC_RAW;
		h.raw_bytes = htole32((uint32_t)body.n);
	}
	damage(&body);
	if (h.codec == TW_CODEC_RAW && below(8))
		h.raw_bytes = htole32((uint32_t)body.n);
	h.stored_bytes = htole32((uint32_t)body.n);
	sign(&h, raw);
	add(to, &h, sizeof(h));
	add(to, raw, body.n);
	return sizeof(h) + stored;
}

static void save(const struct bytes *b)
{
	int fd = open(damaged_path, O_WRONLY | O_TRUNC);

	if (fd < 0 || write(fd, b->at, b->n) != (ssize_t)b->n)
		die(damaged_path);
	close(fd);
}

static void fuzz_spool(void)
{
	static struct bytes file, said;
	size_t at = sizeof(struct tw_file_header);
	struct tw_fault fault;
	const char *outputs[] = {"fuzz-out.csv", "fuzz-out.json", "fuzz-out.tracy",
				 "fuzz-out.tw"};

	file.n = 0;
	if (below(4) == 0) {
		add(&file, original.at, original.n);
		damage(&file);
	} else {
		add(&file, original.at, at);
		while (at < original.n)
			at += copy_block(&file, original.at + at, original.n - at);
	}
	save(&file);
	if (below(2)) {
		say_hello(&said);
		for (size_t n = below(20); n; n--)
			ask(&said);
		serve(damaged_path, &said);
		return;
	}
	at = below(4);
	if (tw_export_file(damaged_path, outputs[at], &config, NULL, &fault))
		return;
	if (at == 2) {
		/* What we made of a damaged spool is a file that reads. */
		static const struct tw_tracy_ops nothing;

		if (tw_tracy_read(outputs[at], &nothing, &fault)) {
			fprintf(stderr, "fuzz: our own file does not read\n");
			abort();
		}
	}
}

static int look_zone(void *context, const struct tw_tracy_zone *zone)
{
	uint64_t *sum = context;

	for (uint32_t i = 0; i < zone->name.n_bytes; i++)
		*sum += (uint8_t)zone->name.text[i];
	for (uint32_t i = 0; i < zone->text.n_bytes; i++)
		*sum += (uint8_t)zone->text.text[i];
	return 0;
}

static void look_text(uint64_t *sum, struct tw_slice text)
{
	for (uint32_t i = 0; i < text.n_bytes; i++)
		*sum += (uint8_t)text.text[i];
}

static int look_lock(void *context, const struct tw_tracy_lock_info *lock)
{
	look_text(context, lock->name);
	look_text(context, lock->function);
	look_text(context, lock->file);
	return 0;
}

static int look_lock_event(void *context, const struct tw_tracy_lock_event *event)
{
	*(uint64_t *)context += event->tid + event->what;
	return 0;
}

static int look_context(void *context, const struct tw_tracy_gpu_context *gpu)
{
	look_text(context, gpu->name);
	return 0;
}

static int look_gpu_zone(void *context, const struct tw_tracy_gpu_zone *zone)
{
	look_text(context, zone->name);
	return 0;
}

static int look_block(void *context, const struct tw_tracy_block *block)
{
	look_text(context, block->pool);
	*(uint64_t *)context += block->tid + block->free_tid;
	return 0;
}

static int look_stack(void *context, uint32_t number, const uint64_t *frames,
		      unsigned n)
{
	*(uint64_t *)context += number;
	for (unsigned i = 0; i < n; i++)
		*(uint64_t *)context += frames[i];
	return 0;
}

static int look_stack_frame(void *context, const struct tw_tracy_stack_frame *frame)
{
	look_text(context, frame->function);
	look_text(context, frame->file);
	look_text(context, frame->image);
	return 0;
}

/* Most damage to a packed body ends in a block that does not unpack: this one is
 * damaged in between. */
static void damage_body(void)
{
	struct bytes body = {0};

	save(&original);
	body.at = body_unpack(damaged_path, &body.n);
	if (!body.at)
		die("the seed is no .tracy file");
	damage(&body);
	body_pack(damaged_path, body.at, body.n);
	free(body.at);
}

static void fuzz_tracy(void)
{
	static struct bytes file;
	uint64_t sum = 0;
	struct tw_tracy_ops ops = {.context = &sum,
				   .zone = look_zone,
				   .lock = look_lock,
				   .lock_event = look_lock_event,
				   .gpu_context = look_context,
				   .gpu_zone = look_gpu_zone,
				   .block = look_block,
				   .stack = look_stack,
				   .stack_frame = look_stack_frame};
	struct tw_timeline *timeline;
	struct tw_spool *spool;
	struct tw_fault fault;
	int fd;

	file.n = 0;
	if (below(2)) {
		damage_body();
	} else {
		add(&file, original.at, original.n);
		damage(&file);
		save(&file);
	}
	if (below(2) && tw_tracy_read(damaged_path, &ops, &fault))
		return; /* the import says the same */
	fd = tw_tracy_import(damaged_path, &fault);
	if (fd < 0)
		return;
	if (tw_spool_adopt(&spool, fd, "import", &fault) ||
	    tw_timeline_adopt(&timeline, spool, &fault)) {
		fprintf(stderr, "fuzz: our own import does not read\n");
		abort();
	}
	if (tw_export_timeline(timeline, "fuzz-out.csv", &config, NULL, &fault)) {
		fprintf(stderr, "fuzz: our own import does not export\n");
		abort();
	}
	tw_timeline_close(timeline);
}

static const struct {
	const char *name;
	void (*round)(void);
} rows[] = {{"queries", fuzz_queries}, {"spool", fuzz_spool}, {"tracy", fuzz_tracy}};

static void read_original(const char *path)
{
	char buffer[1 << 16];
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!file)
		die(path);
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		add(&original, buffer, n);
	fclose(file);
	if (original.n < sizeof(struct tw_file_header))
		die("the file is too short");
}

static void prepare(const char *path)
{
	int fd = mkstemp(damaged_path);

	if (fd < 0)
		die(damaged_path);
	close(fd);
	read_original(path);
	save(&original);
	tw_config_init(&config);
	config.is_forced = true;
	config.clock = TW_CLOCK_MONOTONIC;
	if (tw_arena_create_private(&view, &config))
		die("arena");
	for (char name[] = "name a"; name[5] <= 'z'; name[5]++)
		tw_intern_string(view.arena, name, strlen(name));
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : (uint64_t)time(NULL);
	uint64_t first = argc > 5 ? strtoull(argv[5], NULL, 0) : 0, n = first;
	time_t end;

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz queries|spool|tracy FILE SECONDS [SEED "
				"[FIRST_ROUND]]\n");
		return 2;
	}
	end = time(NULL) + atoi(argv[3]);
	prepare(argv[2]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].name, argv[1]) != 0)
			continue;
		do {
			/* Stays on the terminal when a sanitizer ends us. */
			fprintf(stderr, "\rfuzz %s: seed %llu round %llu ", argv[1],
				(unsigned long long)seed, (unsigned long long)n);
			state = seed ^ n * UINT64_C(0xd1342543de82ef95);
			rows[i].round();
			n++;
		} while (time(NULL) < end);
		unlink(damaged_path);
		printf("%s: %llu rounds\n", argv[1], (unsigned long long)(n - first));
		return 0;
	}
	fprintf(stderr, "fuzz: '%s' is none of queries, spool, tracy\n", argv[1]);
	return 2;
}

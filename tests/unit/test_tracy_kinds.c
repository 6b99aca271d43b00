/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks, memory, fibers, devices, call stacks and frames with an end in `.tracy` files:
 * written and read again in every version; made whole where events are missing; and the
 * reader survives any byte of them.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>

#include "export/export.h"
#include "tracy/file_format.h"
#include "tracy/file_read.h"
#include "walk_seen.h"

TestSuite(tracy_kinds, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);

enum { THREAD = 1, OTHER, FIBER, DEVICE, TRACK };

static struct tw_config config = {.is_forced = true, .tracy_version = TW_TRACY_0_10};
static struct tw_export_result result;
static FILE *lines;

static int on_lock(void *context, const struct tw_tracy_lock_info *l)
{
	(void)context;
	fprintf(lines, "lock %u %s %s:%u %d %" PRId64 " %" PRId64 " of %" PRIu64 "\n",
		l->id, l->name.text, l->file.text, l->line, l->is_shared,
		l->announced_ns, l->gone_ns, l->n_threads);
	return 0;
}

static int on_lock_event(void *context, const struct tw_tracy_lock_event *e)
{
	static const char *const words[] = {"wait",  "obtain",	"release",
					    "wait+", "obtain+", "release+"};

	(void)context;
	fprintf(lines, "%" PRIu64 " %s %u at %" PRId64 "\n", e->tid, words[e->what],
		e->lock, e->ns);
	return 0;
}

static int on_thread(void *context, uint64_t tid, bool is_fiber, int32_t group)
{
	(void)context;
	(void)group;
	fprintf(lines, "row %" PRIu64 "%s\n", tid, is_fiber ? " fiber" : "");
	return 0;
}

static int on_zone(void *context, const struct tw_tracy_zone *z)
{
	(void)context;
	fprintf(lines, "zone %" PRIu64 " %s %" PRId64 " %" PRId64 " stack %u\n", z->tid,
		z->name.text, z->begin_ns, z->end_ns, z->stack);
	return 0;
}

static int on_gpu_context(void *context, const struct tw_tracy_gpu_context *g)
{
	(void)context;
	fprintf(lines, "context %s type %u period %g calibrated %d zones %" PRIu64 "\n",
		g->name.text, g->type, (double)g->period, g->is_calibrated, g->n_zones);
	return 0;
}

static int on_gpu_zone(void *context, const struct tw_tracy_gpu_zone *z)
{
	(void)context;
	fprintf(lines,
		"gpu %" PRIu64 " %s %" PRIu64 " %" PRId64 " %" PRId64 " host %" PRId64
		" %" PRId64 "\n",
		z->tid, z->name.text, z->depth, z->gpu_begin_ns, z->gpu_end_ns,
		z->cpu_begin_ns, z->cpu_end_ns);
	return 0;
}

static int on_frame(void *context, struct tw_slice set, int64_t begin_ns,
		    int64_t end_ns)
{
	(void)context;
	fprintf(lines, "frame %s %" PRId64 " %" PRId64 "\n", set.text, begin_ns,
		end_ns);
	return 0;
}

static int on_block(void *context, const struct tw_tracy_block *b)
{
	(void)context;
	fprintf(lines,
		"block '%s' %" PRIx64 " %" PRIu64 " %" PRId64 " %" PRId64 " by %" PRIu64
		" %" PRIu64 "\n",
		b->pool.text, b->address, b->bytes, b->ns, b->free_ns, b->tid,
		b->free_tid);
	return 0;
}

static int on_stack(void *context, uint32_t number, const uint64_t *frames, unsigned n)
{
	(void)context;
	fprintf(lines, "stack %u:", number);
	for (unsigned i = 0; i < n; i++)
		fprintf(lines, " %" PRIu64, frames[i]);
	fprintf(lines, "\n");
	return 0;
}

static int on_stack_frame(void *context, const struct tw_tracy_stack_frame *f)
{
	(void)context;
	fprintf(lines, "frame of stacks %" PRIu64 " %s %s:%u in '%s'\n", f->id,
		f->function.text, f->file.text, f->line, f->image.text);
	return 0;
}

static int on_run(void *context, const struct tw_tracy_run *r)
{
	(void)context;
	fprintf(lines,
		"run %" PRIu64 " %" PRId64 " %" PRId64 " on %" PRIu64 " why %d\n",
		r->tid, r->begin_ns, r->end_ns, r->on, r->reason);
	return 0;
}

static int on_app_info(void *context, struct tw_slice text)
{
	(void)context;
	fprintf(lines, "info %s\n", text.text);
	return 0;
}

/* Everything in the file, one line a thing; the caller frees it. */
static int read_file_into(const char *path, char **text)
{
	const struct tw_tracy_ops ops = {
		.thread = on_thread,
		.lock = on_lock,
		.lock_event = on_lock_event,
		.zone = on_zone,
		.gpu_context = on_gpu_context,
		.gpu_zone = on_gpu_zone,
		.frame = on_frame,
		.block = on_block,
		.stack = on_stack,
		.stack_frame = on_stack_frame,
		.run = on_run,
		.app_info = on_app_info,
	};
	size_t n;
	int error;

	lines = open_memstream(text, &n);
	cr_assert_not_null(lines);
	error = tw_tracy_read(path, &ops, &fault);
	fclose(lines);
	return error;
}

/* Exports the spool and returns what the file holds. */
static char *held(const struct bytes *file)
{
	char *trace = spool_save(file, "trace.tw"), *output = spool_path("out.tracy");
	char *text;

	cr_assert_eq(tw_export_file(trace, output, &config, &result, &fault), 0, "%s",
		     fault.text);
	cr_assert_eq(read_file_into(output, &text), 0, "%s", fault.text);
	return text;
}

static void expect_text(const char *text, const char *wanted)
{
	cr_expect_not_null(strstr(text, wanted), "no '%s' in:\n%.6000s", wanted, text);
}

static void put_lock(struct payload *p, uint64_t delta, enum tw_event_kind kind,
		     uint32_t lock)
{
	put_event(p, delta, kind, lock, NULL, 0);
}

static void put_alloc(struct payload *p, uint64_t delta, uint32_t pool,
		      uint64_t address, uint64_t bytes)
{
	struct tw_memory_block block = {address, bytes};

	put_event(p, delta, TW_EVENT_MEMORY_ALLOC, pool, &block, sizeof(block));
}

static void put_free(struct payload *p, uint64_t delta, uint32_t pool, uint64_t address)
{
	put_event(p, delta, TW_EVENT_MEMORY_FREE, pool, &address, sizeof(address));
}

static void put_span(struct payload *p, uint32_t location, int64_t begin, int64_t end)
{
	struct tw_device_zone zone = {.location = location, .begin = begin, .end = end};

	put_event(p, 0, TW_EVENT_DEVICE_ZONE, TRACK, &zone, sizeof(zone));
}

static void put_clock(struct payload *p, int64_t device, uint64_t ticks)
{
	struct tw_device_clock clock = {device, ticks, 0.5};

	put_event(p, 0, TW_EVENT_DEVICE_CLOCK, DEVICE, &clock, sizeof(clock));
}

/* Two threads, a fiber, a device with one track, a code address. */
static struct bytes new_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};

	put_prelude(&file, 1000);
	PUT_NUMBERS(&p, TW_META_THREAD, OTHER, 1, 101, 1000, TW_THREAD_PLAIN, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, FIBER, 1, 4194304, 1000, TW_THREAD_FIBER, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, DEVICE, 1, 4194305, 1000, TW_THREAD_DEVICE, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, TRACK, 1, 4194306, 1000, TW_THREAD_DEVICE_TRACK,
		    DEVICE);
	put_thread_name(&p, DEVICE, "the device");
	put_string(&p, 6, "/lib/libfoo.so");
	PUT_NUMBERS(&p, TW_META_LOCATION, 4, 0, 0, 6, 0x1234, 0, TW_LAYER_NATIVE, 1);
	put_meta_block(&file, &p);
	return file;
}

static void put_birth(struct payload *p, uint32_t lock, uint32_t type)
{
	struct tw_lock_birth birth = {1, type};

	put_event(p, 10, TW_EVENT_LOCK_NEW, lock, &birth, sizeof(birth));
}

static struct bytes rich_file(void)
{
	struct bytes file = new_file();
	struct payload p = {0};
	uint32_t frames[] = {2, 4, 99};

	put_start(&p, 1000, 0);
	put_birth(&p, 7, TW_LOCK_EXCLUSIVE);			      /* 10 */
	put_birth(&p, 8, TW_LOCK_SHARED);			      /* 20 */
	put_lock(&p, 80, TW_EVENT_LOCK_WAIT, 7);		      /* 100 */
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN, 7);		      /* 110 */
	put_event(&p, 40, TW_EVENT_STACK, 0, frames, sizeof(frames)); /* 150 */
	put_begin(&p, 0, 1);
	put_end(&p, 50);				     /* 200 */
	put_lock(&p, 10, TW_EVENT_LOCK_RELEASE, 7);	     /* 210 */
	put_alloc(&p, 90, 0, 0x1000, 64);		     /* 300 */
	put_alloc(&p, 10, 2, 0x2000, 32);		     /* 310 */
	put_event(&p, 90, TW_EVENT_FRAME_BEGIN, 3, NULL, 0); /* 400 */
	put_event(&p, 50, TW_EVENT_FRAME_END, 3, NULL, 0);   /* 450 */
	put_clock(&p, 20000, 1500);			     /* at 500 */
	put_clock(&p, 22000, 2500);			     /* at 1500 */
	put_span(&p, 2, 20200, 20600);
	put_span(&p, 3, 20300, 20500);
	put_span(&p, 3, 21000, 21100);
	put_lock(&p, 450, TW_EVENT_LOCK_GONE, 7); /* 900 */
	put_events_block(&file, &p, THREAD);
	put_start(&p, 1000, 0);
	put_lock(&p, 105, TW_EVENT_LOCK_WAIT, 7);	   /* 105 */
	put_lock(&p, 110, TW_EVENT_LOCK_OBTAIN, 7);	   /* 215 */
	put_lock(&p, 5, TW_EVENT_LOCK_RELEASE, 7);	   /* 220 */
	put_lock(&p, 10, TW_EVENT_LOCK_WAIT_SHARED, 8);	   /* 230 */
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN_SHARED, 8);  /* 240 */
	put_lock(&p, 10, TW_EVENT_LOCK_RELEASE_SHARED, 8); /* 250 */
	put_free(&p, 100, 0, 0x1000);			   /* 350 */
	put_events_block(&file, &p, OTHER);
	put_start(&p, 1000, 0);
	put_event(&p, 500, TW_EVENT_FIBER_ENTER, OTHER, NULL, 0); /* 500 */
	put_begin(&p, 10, 3);					  /* 510 */
	put_event(&p, 10, TW_EVENT_FIBER_LEAVE, 0, NULL, 0);	  /* 520 */
	put_event(&p, 80, TW_EVENT_FIBER_ENTER, THREAD, NULL, 0); /* 600 */
	put_end(&p, 10);					  /* 610 */
	put_event(&p, 10, TW_EVENT_FIBER_LEAVE, 0, NULL, 0);	  /* 620 */
	put_events_block(&file, &p, FIBER);
	put_finish(&file, 9000);
	return file;
}

static void expect_rich(const char *text, unsigned gpu_type)
{
	char context[256];

	expect_text(text, "lock 7 alpha a.c:10 0 10 900 of 2\n"
			  "100 wait 7 at 100\n101 wait 7 at 105\n100 obtain 7 at 110\n"
			  "100 release 7 at 210\n101 obtain 7 at 215\n"
			  "101 release 7 at 220\n"
			  "lock 8 alpha a.c:10 1 20 0 of 1\n101 wait+ 8 at 230\n"
			  "101 obtain+ 8 at 240\n101 release+ 8 at 250\n");
	expect_text(text,
		    "row 4294967299 fiber\nzone 4294967299 gamma 510 610 stack 0\n");
	expect_text(text, "row 100\nzone 100 alpha 150 200 stack 1\n");
	expect_text(text, "block '' 1000 64 300 350 by 100 101\n"
			  "block 'beta' 2000 32 310 -1 by 100 0\n");
	expect_text(text, "stack 1: 3 5 1\n");
	expect_text(text, "frame of stacks 3 beta b.c:20 in ''\n");
	expect_text(text, "frame of stacks 5 libfoo.so+0x1234 /lib/libfoo.so:0 in "
			  "'libfoo.so'\n");
	expect_text(text, "run 4294967299 500 520 on 101 why 99\n"
			  "run 4294967299 600 620 on 100 why 99\n");
	expect_text(text, "frame gamma 400 450\n");
	snprintf(context, sizeof(context),
		 "context the device type %u period 0.5 calibrated 1 zones 3\n"
		 "gpu 4194309 gamma 1 650 750 host 650 750\n"
		 "gpu 4194309 beta 0 600 800 host 600 800\n"
		 "gpu 4194309 gamma 0 1000 1050 host 1000 1050\n",
		 gpu_type);
	expect_text(text, context);
	cr_expect_null(strstr(text, "info lost"), "%s", text);
	cr_expect_null(strstr(text, "info added"), "%s", text);
	cr_expect_eq(result.n_left_out, 0);
	cr_expect_eq(result.counts.n_device_zones, 3);
}

Test(tracy_kinds, are_held_by_every_version_and_packing)
{
	struct bytes file = rich_file();

	for (unsigned version = 0; version < TW_TRACY_VERSION_COUNT; version++)
		for (unsigned zstd = 0; zstd < 2; zstd++) {
			char *text;

			config.tracy_version = (enum tw_tracy_version)version;
			config.tracy_compression = zstd ? TW_TRACY_ZSTD : TW_TRACY_LZ4;
			text = held(&file);
			expect_rich(text, version == TW_TRACY_NEWEST ? 7 : 3);
			free(text);
		}
}

Test(tracy_kinds, locks_are_made_whole_where_events_are_missing)
{
	struct bytes file = new_file();
	struct payload p = {0};
	char *text;

	put_start(&p, 1000, 0);
	put_lock(&p, 10, TW_EVENT_LOCK_RELEASE, 7); /* not held */
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN, 7);  /* without a wait */
	put_lock(&p, 80, TW_EVENT_LOCK_RELEASE, 7); /* late: another has it */
	put_events_block(&file, &p, THREAD);
	put_start(&p, 1000, 0);
	put_lock(&p, 30, TW_EVENT_LOCK_WAIT, 7);
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN, 7);
	put_lock(&p, 10, TW_EVENT_LOCK_OBTAIN_SHARED, 7);
	put_events_block(&file, &p, OTHER);
	put_finish(&file, 9000);
	text = held(&file);
	expect_text(text, "lock 7 lock 7 :0 1 10 0 of 2\n"
			  "100 wait 7 at 20\n100 obtain 7 at 20\n101 wait 7 at 30\n"
			  "100 release 7 at 40\n101 obtain 7 at 40\n");
	expect_text(text, "101 release 7 at 50\n");
	expect_text(text, "101 obtain+ 7 at 50\n");
	expect_text(text, "info added: 4 begins and ends");
	cr_expect_eq(result.n_left_out, 2, "two releases");
	free(text);
}

Test(tracy_kinds, the_65th_thread_of_a_lock_is_left_out)
{
	struct bytes file = new_file();
	struct payload p = {0};
	char *text;

	for (unsigned i = 0; i < 70; i++)
		PUT_NUMBERS(&p, TW_META_THREAD, 10 + i, 1, 200 + i, 1000, 0, 0);
	put_meta_block(&file, &p);
	for (unsigned i = 0; i < 70; i++) {
		put_start(&p, 1000 + i, 0);
		put_lock(&p, 0, TW_EVENT_LOCK_WAIT, 7);
		put_events_block(&file, &p, 10 + i);
	}
	put_finish(&file, 9000);
	text = held(&file);
	expect_text(text, " of 64\n");
	expect_text(text, "263 wait 7 at 63\n");
	cr_expect_null(strstr(text, "264 wait"));
	cr_expect_eq(result.n_left_out, 6);
	free(text);
}

Test(tracy_kinds, memory_and_frames_whose_other_half_is_missing)
{
	struct bytes file = new_file();
	struct payload p = {0};
	char *text;

	put_start(&p, 1000, 0);
	put_free(&p, 10, 0, 0x5000);	 /* never allocated */
	put_alloc(&p, 10, 0, 0x1000, 8); /* its free is lost */
	put_alloc(&p, 10, 0, 0x1000, 16);
	put_free(&p, 0, 0, 0x1000); /* in the same nanosecond */
	put_event(&p, 10, TW_EVENT_FRAME_END, 3, NULL, 0);
	put_event(&p, 10, TW_EVENT_FRAME_BEGIN, 3, NULL, 0); /* 50 */
	put_event(&p, 10, TW_EVENT_FRAME_BEGIN, 3, NULL, 0); /* 60 */
	put_event(&p, 10, TW_EVENT_FRAME_END, 3, NULL, 0);   /* 70 */
	put_events_block(&file, &p, THREAD);
	put_finish(&file, 9000);
	text = held(&file);
	expect_text(text, "block '' 1000 8 20 30 by 100 100\n"
			  "block '' 1000 16 30 31 by 100 100\n");
	expect_text(text, "frame gamma 50 60\nframe gamma 60 70\n");
	cr_expect_null(strstr(text, "5000"));
	expect_text(text, "info added: 2 begins and ends");
	cr_expect_eq(result.n_left_out, 2, "a free and an end");
	free(text);
}

/* Every byte of the body, one after the other, turned into something else. */
Test(tracy_kinds, reader_survives_any_byte)
{
	struct bytes file = rich_file();
	char body[65536], packed[70000], *whole, *path = spool_path("bad.tracy"), *text;
	unsigned n_bad = 0;
	uint32_t n_packed;
	size_t n;
	int n_body;

	free(held(&file));
	whole = spool_read_file(spool_path("out.tracy"), &n);
	memcpy(&n_packed, whole + 4, 4);
	n_body = LZ4_decompress_safe(whole + 8, body, (int)n_packed, sizeof(body));
	cr_assert_gt(n_body, 1000);
	memcpy(packed, whole, 4);
	for (int i = 8; i < n_body; i++) {
		char before = body[i];
		FILE *bad = fopen(path, "wb");

		cr_assert_not_null(bad);
		body[i] = (char)(i % 3 ? ~before : before ^ 1);
		n_packed = (uint32_t)LZ4_compress_default(body, packed + 8, n_body,
							  sizeof(packed) - 8);
		memcpy(packed + 4, &n_packed, 4);
		cr_assert_eq(fwrite(packed, 1, n_packed + 8, bad), n_packed + 8);
		fclose(bad);
		n_bad += read_file_into(path, &text) != 0;
		free(text);
		body[i] = before;
	}
	cr_expect_gt(n_bad, 100, "counts and indexes are checked");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `.tracy` files: what the writer writes is what the reader reads; some bytes are
 * compared with the specification by hand; and the reader survives anything.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lz4.h>

#include "export/export.h"
#include "export/sort.h"
#include "tracy/file_out.h"
#include "tracy/file_read.h"
#include "tracy/file_strings.h"
#include "walk_seen.h"

TestSuite(tracy_file, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);

static struct tw_config config = {.is_forced = true, .tracy_version = TW_TRACY_0_10};
static struct tw_export_result result;

/* What a file holds, one line a thing, and how many zones. */
struct contents {
	FILE *lines;
	char *text;
	size_t n;
	uint64_t n_zones;
	bool is_counted_only;
};

static int on_info(void *context, const struct tw_tracy_info *info)
{
	struct contents *c = context;

	fprintf(c->lines,
		"file %x %d %d pid %" PRIu64 " last %" PRId64 " at %" PRIu64
		" %s|%s|%s\n",
		info->version, info->is_new_container, info->is_zstd, info->pid,
		info->last_ns, info->capture_s, info->program.text, info->capture.text,
		info->host.text);
	return 0;
}

static int on_thread_name(void *context, uint64_t tid, struct tw_slice name)
{
	fprintf(((struct contents *)context)->lines, "thread %" PRIu64 " %s\n", tid,
		name.text);
	return 0;
}

static int on_crash(void *context, uint64_t tid, int64_t ns, struct tw_slice text)
{
	fprintf(((struct contents *)context)->lines,
		"crash %" PRIu64 " %" PRId64 " %s\n", tid, ns, text.text);
	return 0;
}

static int on_frame(void *context, struct tw_slice set, int64_t begin_ns,
		    int64_t end_ns)
{
	fprintf(((struct contents *)context)->lines,
		"frame %s %" PRId64 " %" PRId64 "\n", set.text, begin_ns, end_ns);
	return 0;
}

static int on_zone(void *context, const struct tw_tracy_zone *z)
{
	struct contents *c = context;

	c->n_zones++;
	if (!c->is_counted_only)
		fprintf(c->lines,
			"zone %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64
			" %s|%s|%s:%u #%06x %s\n",
			z->tid, z->depth, z->begin_ns, z->end_ns, z->name.text,
			z->function.text, z->file.text, z->line, z->colour,
			z->text.text);
	return 0;
}

static int on_message(void *context, const struct tw_tracy_message *m)
{
	fprintf(((struct contents *)context)->lines,
		"message %" PRIu64 " %" PRId64 " #%06x %s\n", m->tid, m->ns, m->colour,
		m->text.text);
	return 0;
}

static int on_plot(void *context, struct tw_slice name, int64_t ns, double value)
{
	fprintf(((struct contents *)context)->lines, "plot %s %" PRId64 " %g\n",
		name.text, ns, value);
	return 0;
}

static int on_app_info(void *context, struct tw_slice text)
{
	fprintf(((struct contents *)context)->lines, "info %s\n", text.text);
	return 0;
}

static int read_into(struct contents *c, const char *path)
{
	const struct tw_tracy_ops ops = {
		.context = c,
		.info = on_info,
		.thread_name = on_thread_name,
		.crash = on_crash,
		.frame = on_frame,
		.zone = on_zone,
		.message = on_message,
		.plot = on_plot,
		.app_info = on_app_info,
	};
	int error;

	c->lines = open_memstream(&c->text, &c->n);
	cr_assert_not_null(c->lines);
	error = tw_tracy_read(path, &ops, &fault);
	fclose(c->lines);
	return error;
}

/* For a file that is no good: the error; what was read before it is forgotten. */
static int error_of(const char *path)
{
	struct contents c = {0};
	int error = read_into(&c, path);

	cr_expect_eq(c.n_zones, 0);
	free(c.text);
	return error;
}

/* Exports the spool and returns where the `.tracy` file is. */
static char *export_file(const struct bytes *file)
{
	char *trace = spool_save(file, "trace.tw"), *output = spool_path("out.tracy");

	cr_assert_eq(tw_export_file(trace, output, &config, &result, &fault), 0, "%s",
		     fault.text);
	return output;
}

static struct contents contents_of(const struct bytes *file)
{
	struct contents c = {0};

	cr_assert_eq(read_into(&c, export_file(file)), 0, "%s", fault.text);
	return c;
}

static void expect_line(const struct contents *c, const char *line)
{
	char *whole = NULL;

	cr_assert_gt(asprintf(&whole, "%s\n", line), 0);
	cr_expect_not_null(strstr(c->text, whole), "no line '%s' in:\n%.4000s", line,
			   c->text);
	free(whole);
}

/* One thread with a tree and everything else that can happen. */
static struct bytes rich_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};
	uint64_t value = 42;

	put_prelude(&file, 1000);
	put_thread_name(&p, 1, "worker");
	put_mark(&p, 1500, "mark");
	PUT_NUMBERS(&p, TW_META_GATE, 1600, 0);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 1, 9000, TW_END_SIGNALLED, 11);
	put_session(&p, "host", "OS: none\n");
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_tree(&p);
	put_begin(&p, 500, 2);
	put_zone_text(&p, "line one");
	put_zone_text(&p, "line two");
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, &value, 8);
	put_event(&p, 0, TW_EVENT_ZONE_NAME, 0, "run-time name", 13);
	put_event(&p, 0, TW_EVENT_ZONE_COLOUR, 0x123456, NULL, 0);
	put_end(&p, 250);
	put_message(&p, 1, 0x0000ff, "a message");
	put_plot(&p, 1, 1, 1.5);
	put_plot(&p, 1, 1, NAN);
	put_event(&p, 1, TW_EVENT_FRAME, 0, NULL, 0);
	put_event(&p, 1, TW_EVENT_FRAME, 2, NULL, 0);
	put_begin(&p, 1, 1);
	put_events_block(&file, &p, 1);
	put_finish(&file, 9000);
	return file;
}

static void expect_rich(const struct contents *c)
{
	expect_line(c, "thread 100 worker");
	expect_line(c, "thread 4194304 tracewrap");
	expect_line(c, "zone 100 0 100 1000 alpha|alpha|a.c:10 #000000 ");
	expect_line(c, "zone 100 1 200 300 beta|beta|b.c:20 #00fe00 ");
	expect_line(c, "zone 100 1 400 900 gamma|gamma|b.c:30 #6a8f6a ");
	expect_line(c, "zone 100 2 500 600 beta|beta|b.c:20 #00fe00 ");
	expect_line(c,
		    "zone 100 0 1500 1750 run-time name|beta|b.c:20 #123456 line one\n"
		    "line two\n42");
	expect_line(c, "zone 100 0 1756 8000 alpha|alpha|a.c:10 #000000 ");
	expect_line(c, "message 4194304 500 #ffffff mark");
	expect_line(c, "message 4194304 600 #ffffff recording stopped");
	expect_line(c, "message 100 1751 #0000ff a message");
	expect_line(c, "plot alpha 1752 1.5");
	expect_line(c, "frame Frame 0 -1\nframe Frame 1754 -1");
	expect_line(c, "frame beta 1755 -1");
	expect_line(c, "crash 100 8000 process 100 was killed by signal 11 "
		       "(Segmentation fault)");
	expect_line(c, "info version: 1.2.3");
	expect_line(c, "info process 100 (parent 99, signal 11): prog -x ");
	cr_expect_eq(c->n_zones, 6);
	cr_expect_eq(result.counts.n_zones, 6);
	cr_expect_eq(result.counts.n_open, 1);
	cr_expect_eq(result.n_left_out, 1, "the point that is no number");
}

static const struct {
	enum tw_tracy_version version;
	const char *number;
} versions[] = {
	{TW_TRACY_0_9, "file 900 0"},
	{TW_TRACY_0_10, "file a00 0"},
	{TW_TRACY_0_11, "file b00 1"},
	{TW_TRACY_NEWEST, "file e00 1"},
};

Test(tracy_file, holds_everything_in_every_version_and_packing)
{
	struct bytes file = rich_file();

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		for (unsigned zstd = 0; zstd < 2; zstd++) {
			struct contents c;
			char line[256];

			config.tracy_version = versions[i].version;
			config.tracy_compression = zstd ? TW_TRACY_ZSTD : TW_TRACY_LZ4;
			c = contents_of(&file);
			snprintf(line, sizeof(line),
				 "%s %u pid 100 last 8000 at 1700000000 prog|prog @ ",
				 versions[i].number, zstd);
			cr_expect_eq(strncmp(c.text, line, strlen(line)), 0, "%.200s",
				     c.text);
			expect_line(&c, "|Recorded by: tracewrap 1.2.3\nOS: none\n");
			expect_rich(&c);
			free(c.text);
		}
}

/* The first bytes, as facts and not as our reader have them. */
Test(tracy_file, begins_as_the_format_says)
{
	static const uint8_t old[] = {'t', 'l', 'Z', 4};
	struct bytes file = rich_file();
	char body[65536], *packed;
	uint32_t n_packed;
	uint64_t number;
	size_t n;
	int n_body;

	packed = spool_read_file(export_file(&file), &n);
	cr_assert_eq(memcmp(packed, old, 4), 0);
	memcpy(&n_packed, packed + 4, 4);
	cr_assert_eq(n, 8 + n_packed, "one block");
	n_body = LZ4_decompress_safe(packed + 8, body, (int)n_packed, sizeof(body));
	cr_assert_gt(n_body, 3000);
	cr_expect_eq(memcmp(body, "tracy\0\x0a\0", 8), 0);
	memcpy(&number, body + 32, 8);
	cr_expect_eq(number, 8000, "last time");
	memcpy(&number, body + 48, 8);
	cr_expect_eq(number, 100, "pid");
	memcpy(&number, body + 82, 8);
	cr_expect_eq(memcmp(body + 90, "prog @ ", 7), 0, "capture name");
	cr_expect_eq(number, strlen("prog @ 2023-11-14 22:13:20"));
	/* The last four lists, the symbols and 256 processors are all empty. */
	for (int i = n_body - 8 * (4 + 3 + 2 + 256 + 2); i < n_body; i++)
		cr_assert_eq(body[i], 0, "byte %d", i);
}

Test(tracy_file, folds_locations_past_the_limit_by_file_and_keeps_their_names)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct contents c = {0};
	const unsigned n = 100000;
	uint64_t n_folded = 0;

	put_prelude(&file, 1000);
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function_%u", i);
		put_string(&p, 10 + i, name);
		PUT_NUMBERS(&p, TW_META_LOCATION, 10 + i, 10 + i, 10 + i, 4 + i % 2, i,
			    0, TW_LAYER_PYTHON);
		if (i % 5000 == 4999)
			put_meta_block(&file, &p);
	}
	put_start(&p, 1000, 0);
	for (unsigned i = 0; i < n; i++) {
		put_begin(&p, 1, 10 + i);
		put_end(&p, 1);
		if (i % 50000 == 49999) {
			put_events_block(&file, &p, 1);
			put_start(&p, 1000 + 2 * (i + 1), 0);
		}
	}
	put_finish(&file, 1000000);
	c = contents_of(&file);
	cr_assert_eq(c.n_zones, n);
	for (unsigned i = 0; i < n; i++) {
		char line[256], *at;

		if (i == 0)
			at = c.text;
		snprintf(line, sizeof(line),
			 "zone 100 0 %u %u function_%u|%s|%s:%u #4b7aa6 \n", 2 * i + 1,
			 2 * i + 2, i,
			 i < 32767 ? "function_"
			 : i % 2   ? "b.c"
				   : "a.c",
			 i % 2 ? "b.c" : "a.c", i < 32767 ? i : 0);
		if (i < 32767)
			snprintf(line, sizeof(line),
				 "zone 100 0 %u %u function_%u|function_%u|%s:%u "
				 "#4b7aa6 \n",
				 2 * i + 1, 2 * i + 2, i, i, i % 2 ? "b.c" : "a.c", i);
		else
			n_folded++;
		at = strstr(at, line);
		cr_assert_not_null(at, "no line %s", line);
	}
	cr_expect_eq(n_folded, n - 32767);
	free(c.text);
}

Test(tracy_file, gives_each_thread_its_own_id_and_names_the_process)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct contents c;

	put_prelude(&file, 1000);
	put_process(&p, 2, 200, 100, 1100, 1, "/usr/bin/server", "server", 6);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 2, 200, 1100, 1);
	PUT_NUMBERS(&p, TW_META_THREAD, 3, 2, 100, 1200, 0); /* the tid again */
	PUT_NUMBERS(&p, TW_META_THREAD, 4, 2, 201, 1200, 0); /* does nothing */
	put_thread_name(&p, 3, "worker");
	put_meta_block(&file, &p);
	for (unsigned thread = 3; thread >= 1; thread--) {
		put_start(&p, 2000 - 100 * thread, 0);
		put_begin(&p, 0, 1);
		put_message(&p, 5, 0, thread == 3 ? "three" : "other");
		put_plot(&p, 1, 1, thread);
		put_event(&p, 1, TW_EVENT_FRAME, 0, NULL, 0);
		put_end(&p, 1);
		put_events_block(&file, &p, thread);
	}
	put_finish(&file, 9000);
	c = contents_of(&file);
	expect_line(&c, "thread 100 main [prog 100]");
	expect_line(&c, "thread 200 main [server 200]");
	expect_line(&c, "thread 4194307 worker [server 200]");
	cr_expect_null(strstr(c.text, "thread 201"));
	expect_line(&c, "zone 4194307 0 700 708 alpha|alpha|a.c:10 #000000 ");
	expect_line(&c, "message 4194307 705 #ffffff three\n"
			"message 200 805 #ffffff other\n"
			"message 100 905 #ffffff other");
	expect_line(&c, "plot alpha 906 1");
	expect_line(&c, "plot alpha [server 200] 706 3\n"
			"plot alpha [server 200] 806 2");
	expect_line(&c, "frame Frame 0 -1\nframe Frame 907 -1");
	expect_line(&c, "frame Frame [server 200] 707 -1\n"
			"frame Frame [server 200] 807 -1");
	free(c.text);
}

Test(tracy_file, reads_each_block_of_a_thread_once_whatever_is_between)
{
	struct bytes file = busy_file();
	struct tw_timeline *t = open_file(&file);
	struct tw_walk_counts counts = {0};
	const struct tw_walk_ops none = {0};
	uint64_t n_zones;

	walk(t);
	n_zones = seen.counts.n_zones;
	cr_assert_gt(n_zones, 0);
	for (int pass = 0; pass < 2; pass++) {
		memset(&counts, 0, sizeof(counts));
		for (uint32_t i = 0; i < t->threads.n; i++)
			if (t->threads.items[i])
				cr_assert_eq(tw_walk_thread(t, t->threads.items[i],
							    &none, &counts, &fault),
					     0);
		cr_expect_eq(memcmp(&counts, &seen.counts, sizeof(counts)), 0);
		cr_expect_eq(counts.n_zones, n_zones);
	}
	tw_timeline_close(t);
}

Test(tracy_file, says_when_a_block_of_the_trace_is_damaged)
{
	struct bytes file = busy_file();
	struct contents c = {0};
	size_t middle = file.n / 2;

	file.at[middle] ^= 0xff;
	c = contents_of(&file);
	cr_expect_gt(c.n_zones, 0);
	cr_expect_eq(result.counts.n_zones, c.n_zones);
	cr_expect_eq(result.damage.n_places, 1);
	free(c.text);
}

Test(tracy_file, exports_a_trace_without_any_event)
{
	struct bytes file = {0};
	struct contents c;

	put_prelude(&file, 1000);
	c = contents_of(&file);
	cr_expect_eq(c.n_zones, 0);
	expect_line(&c, "frame Frame 0 -1");
	free(c.text);
}

Test(tracy_file, keeps_times_within_48_bits)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct contents c;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 10, 1);
	put_end(&p, UINT64_C(1) << 60);
	put_events_block(&file, &p, 1);
	c = contents_of(&file);
	expect_line(&c, "zone 100 0 10 140737488355327 alpha|alpha|a.c:10 #000000 ");
	free(c.text);
}

static uint64_t state = 88172645463325252ull;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

Test(tracy_file, sorts_more_than_fits_and_keeps_the_order_of_equals)
{
	const uint32_t n = 600000;
	struct tw_sorter sorter;
	struct tw_sort_item item, before = {0};
	uint32_t n_seen = 0;
	uint64_t sum = 0;

	tw_sorter_init(&sorter);
	for (uint32_t i = 0; i < n; i++) {
		item = (struct tw_sort_item){
			.ns = draw() % 1000, .id = i, .key = draw() % 3};
		sum += item.ns;
		cr_assert_eq(tw_sorter_add(&sorter, item), 0);
	}
	cr_assert_eq(tw_sorter_sort(&sorter), 0);
	while (tw_sorter_next(&sorter, &item) == 1) {
		bool is_after = item.key > before.key ||
				(item.key == before.key &&
				 (item.ns > before.ns ||
				  (item.ns == before.ns && item.id > before.id)));

		cr_assert(is_after || n_seen == 0, "item %u", n_seen);
		before = item;
		sum -= item.ns;
		n_seen++;
	}
	cr_expect_eq(n_seen, n);
	cr_expect_eq(sum, 0);
	tw_sorter_free(&sorter);
}

Test(tracy_file, keeps_equal_strings_once_and_makes_nuls_blanks)
{
	struct tw_tracy_strings strings;
	uint32_t first, n_before;
	char *bytes;

	tw_tracy_strings_init(&strings);
	first = tw_tracy_strings_add(&strings, (struct tw_slice){"a\0b", 3}, true);
	cr_expect_eq(first, 1);
	for (unsigned i = 0; i < 300000; i++)
		cr_assert_neq(tw_tracy_strings_format(&strings, "text %u", i), 0);
	n_before = strings.n;
	cr_expect_eq(n_before, 300001);
	for (unsigned i = 0; i < 300000; i += 7)
		cr_assert_eq(tw_tracy_strings_format(&strings, "text %u", i), i + 2);
	cr_expect_eq(tw_tracy_strings_add(&strings, (struct tw_slice){"a\0b", 3}, true),
		     first);
	cr_expect_eq(strings.n, n_before);
	bytes = malloc(strings.table.n_bytes);
	cr_assert_eq(tw_scratch_get(&strings.table, 0, bytes, strings.table.n_bytes),
		     0);
	cr_expect_eq(memcmp(bytes, "\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0a b\2\0", 21), 0);
	free(bytes);
	tw_tracy_strings_free(&strings);
}

/* The body of the rich file in the newest version, unpacked. */
static uint8_t *rich_body(size_t *n)
{
	struct bytes file = rich_file();
	char *packed;
	static uint8_t body[65536];
	uint32_t n_packed;

	config.tracy_version = TW_TRACY_NEWEST;
	packed = spool_read_file(export_file(&file), n);
	memcpy(&n_packed, packed + 6, 4);
	*n = (size_t)LZ4_decompress_safe(packed + 10, (char *)body, (int)n_packed,
					 65536);
	cr_assert_gt(*n, 3000);
	return body;
}

/* Packs a body and reads it; whatever comes out, it comes out. */
static int read_body(const uint8_t *body, size_t n, enum tw_tracy_compression packing)
{
	static struct tw_writer w;
	char *path = spool_path("hostile.tracy");
	struct tw_tracy_out out;
	struct contents c = {0};
	int fd = creat(path, 0600), error;

	tw_writer_init(&w, fd);
	cr_assert_eq(tw_tracy_out_open(&out, &w, TW_TRACY_LATEST, packing), 0);
	tw_tracy_put(&out, body, n);
	tw_tracy_out_close(&out, true);
	cr_assert_eq(tw_writer_flush(&w), 0);
	close(fd);
	fault.text[0] = '\0';
	error = read_into(&c, path);
	cr_assert(error == 0 || fault.text[0], "an error without words");
	free(c.text);
	return error;
}

Test(tracy_file, refuses_a_body_that_is_cut_anywhere)
{
	size_t n;
	uint8_t *body = rich_body(&n);

	cr_assert_eq(read_body(body, n, TW_TRACY_LZ4), 0, "%s", fault.text);
	for (size_t at = 0; at < n; at += at < 1500 || at > n - 50 ? 1 : 37)
		cr_assert_lt(read_body(body, at, TW_TRACY_LZ4), 0, "cut at %zu", at);
	body[n] = 0;
	cr_expect_eq(read_body(body, n + 1, TW_TRACY_LZ4), -EBADMSG);
	cr_expect_not_null(strstr(fault.text, "goes on after its end"), "%s",
			   fault.text);
}

Test(tracy_file, survives_any_change_of_the_body)
{
	size_t n;
	uint8_t *body = rich_body(&n), *changed = malloc(n);
	unsigned n_refused = 0;

	for (unsigned round = 0; round < 3000; round++) {
		memcpy(changed, body, n);
		for (unsigned k = draw() % 4 + 1; k > 0; k--) {
			/* Most of the body is empty lists at its end. */
			size_t at = draw() % (draw() % 2 ? 1200 : n);

			changed[at] = draw() % 3 ? (uint8_t)draw() : 0xff;
		}
		n_refused += read_body(changed, n, TW_TRACY_LZ4) != 0;
	}
	cr_expect_gt(n_refused, 500);
	free(changed);
}

Test(tracy_file, survives_any_change_of_the_container)
{
	struct bytes file = busy_file();

	for (unsigned kind = 0; kind < 4; kind++) {
		char *path;
		size_t n;
		char *whole;

		config.tracy_version = kind & 1 ? TW_TRACY_NEWEST : TW_TRACY_0_9;
		config.tracy_compression = kind & 2 ? TW_TRACY_ZSTD : TW_TRACY_LZ4;
		path = export_file(&file);
		whole = spool_read_file(path, &n);
		for (unsigned round = 0; round < 1000; round++) {
			struct contents c = {0};
			char *changed = malloc(n);
			size_t n_kept = round % 4 ? n : draw() % n;

			memcpy(changed, whole, n);
			for (unsigned k = round % 3; k > 0; k--)
				changed[draw() % (draw() % 2 ? 12 : n)] = (char)draw();
			spool_save_at(path, changed, n_kept);
			fault.text[0] = '\0';
			if (read_into(&c, path) != 0)
				cr_assert(fault.text[0]);
			free(c.text);
			free(changed);
		}
	}
	cr_expect(true);
}

Test(tracy_file, claims_of_a_file_cost_no_memory)
{
	size_t n;
	uint8_t *body = rich_body(&n);

	/* The capture's name claims 2^40 bytes, then the first list of strings. */
	body[74 + 5] = 1;
	cr_expect_eq(read_body(body, n, TW_TRACY_ZSTD), -EFBIG, "%s", fault.text);
}

Test(tracy_file, says_what_is_wrong_with_a_file)
{
	char *path = spool_path("x.tracy");
	size_t n;
	uint8_t *body = rich_body(&n);

	cr_expect_eq(error_of(path), -ENOENT);
	spool_save_at(path, "hello, world", 12);
	cr_expect_eq(error_of(path), -EBADMSG);
	cr_expect_not_null(strstr(fault.text, "not a .tracy file"));
	cr_expect_eq(error_of(spool_path("")), -EINVAL);
	body[6] = 15;
	cr_expect_eq(read_body(body, n, TW_TRACY_LZ4), -ENOTSUP);
	cr_expect_not_null(strstr(fault.text, "Tracy 0.15.0"), "%s", fault.text);
}

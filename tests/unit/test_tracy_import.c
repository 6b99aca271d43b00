/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `.tracy` files that become spools again: what a report says of the file is what it
 * says of the trace; layers and values survive; files without a ledger, and hostile
 * ones, too.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export.h"
#include "report/report.h"
#include "tracy/file_import.h"
#include "tracy/file_in.h"
#include "tracy/file_ledger.h"
#include "tracy/file_out.h"
#include "tracy/file_value.h"
#include "tracy/layer_colour.h"
#include "walk_seen.h"

TestSuite(tracy_import, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);

static struct tw_config config = {.is_forced = true, .tracy_version = TW_TRACY_0_10};

static struct tw_timeline *import(const char *path)
{
	struct tw_timeline *t;
	struct tw_spool *spool;
	int fd = tw_tracy_import(path, &fault);

	cr_assert_geq(fd, 0, "%s", fault.text);
	cr_assert_eq(tw_spool_adopt(&spool, fd, path, &fault), 0, "%s", fault.text);
	cr_assert_eq(tw_timeline_adopt(&t, spool, &fault), 0, "%s", fault.text);
	return t;
}

static char *export_as(const struct bytes *file, const char *name)
{
	char *trace = spool_save(file, "trace.tw"), *output = spool_path(name);

	cr_assert_eq(tw_export_file(trace, output, &config, NULL, &fault), 0, "%s",
		     fault.text);
	return output;
}

/* The report by thread as JSON; closes the timeline. */
static char *report_of(struct tw_timeline *t)
{
	const struct tw_report_options options = {.form = TW_REPORT_JSON,
						  .by = TW_BY_THREAD};
	char *out = spool_path("report");
	int fd = creat(out, 0600);
	size_t n;

	cr_assert_eq(tw_report_write(t, &options, fd, &fault), 0, "%s", fault.text);
	close(fd);
	tw_timeline_close(t);
	return spool_read_file(out, &n);
}

/* A process with a child, threads that do nothing, losses, all layers. */
static struct bytes rich_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};
	uint64_t value = 42;

	put_prelude(&file, 1000);
	put_thread_name(&p, 1, "worker");
	put_process(&p, 2, 200, 100, 1100, 1, "/usr/bin/server", "server\0-x", 9);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 2, 200, 1100, 1);
	PUT_NUMBERS(&p, TW_META_THREAD, 3, 2, 100, 1200, 0); /* the tid again */
	PUT_NUMBERS(&p, TW_META_THREAD, 4, 2, 201, 1200, 0); /* does nothing */
	PUT_NUMBERS(&p, TW_META_THREAD_END, 3, 5000);
	PUT_NUMBERS(&p, TW_META_LOST, 3, TW_LOSS_RING_FULL, 7);
	PUT_NUMBERS(&p, TW_META_LOST, 0, TW_LOSS_TEXT_CUT, 2);
	PUT_NUMBERS(&p, TW_META_STALL, 1, 300, 4);
	put_note(&p, "a child was not followed");
	put_mark(&p, 1500, "mark");
	PUT_NUMBERS(&p, TW_META_GATE, 1600, 0);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 1, 9000, TW_END_SIGNALLED, 11);
	for (unsigned layer = 0; layer <= TW_LAYER_COUNT; layer++)
		PUT_NUMBERS(&p, TW_META_LOCATION, 10 + layer, 1, 1, 4, 100 + layer,
			    layer % 2 ? 0x336699 : 0, layer);
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_tree(&p);
	put_begin(&p, 500, 2);
	put_zone_text(&p, "line one");
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, &value, 8);
	put_event(&p, 0, TW_EVENT_ZONE_NAME, 0, "run-time name", 13);
	put_event(&p, 0, TW_EVENT_ZONE_COLOUR, 0x123456, NULL, 0);
	put_end(&p, 250);
	for (unsigned layer = 0; layer <= TW_LAYER_COUNT; layer++) {
		put_begin(&p, 1, 10 + layer);
		put_end(&p, 1);
	}
	put_message(&p, 1, 0x0000ff, "a message");
	put_plot(&p, 1, 1, 1.5);
	put_event(&p, 1, TW_EVENT_FRAME, 0, NULL, 0);
	put_begin(&p, 1, 1);
	put_events_block(&file, &p, 1);
	put_start(&p, 1300, 0);
	put_begin(&p, 0, 3);
	put_plot(&p, 1, 1, 2.5);
	put_end(&p, 1);
	put_events_block(&file, &p, 3);
	put_finish(&file, 9000);
	return file;
}

Test(tracy_import, a_report_equals_that_of_the_trace_in_every_version_and_packing)
{
	struct bytes file = rich_file();
	char *expected = report_of(open_file(&file));

	cr_assert_not_null(strstr(expected, "\"layer\":\"wait\""));
	for (unsigned i = 0; i < 2 * TW_TRACY_VERSION_COUNT; i++) {
		char *actual;

		config.tracy_version = i / 2;
		config.tracy_compression = i % 2;
		actual = report_of(import(export_as(&file, "out.tracy")));
		cr_expect_str_eq(actual, expected, "version %u, packing %u", i / 2,
				 i % 2);
	}
}

Test(tracy_import, texts_values_names_and_points_come_back)
{
	struct bytes file = rich_file();
	struct tw_timeline *t = import(export_as(&file, "out.tracy"));
	char *path = spool_path("again.csv"), *first, *second;
	size_t n;

	first = spool_read_file(export_as(&file, "first.csv"), &n);
	cr_assert_eq(tw_export_timeline(t, path, &config, NULL, &fault), 0);
	tw_timeline_close(t);
	second = spool_read_file(path, &n);
	cr_assert_not_null(strstr(first, "run-time name"));
	/* Threads come one after the other in an import. */
	cr_expect_eq(strlen(first), strlen(second));
	for (char *line = strtok(first, "\n"); line; line = strtok(NULL, "\n"))
		cr_expect_not_null(strstr(second, line), "no line %s", line);
}

Test(tracy_import, a_layer_hides_in_the_colour)
{
	cr_expect_eq(tw_layer_colour(0, TW_LAYER_USER), 0, "the viewer's choice");
	for (uint32_t layer = 0; layer < TW_LAYER_COUNT; layer++) {
		uint32_t own = tw_layer_colour(0xff8040, layer);
		uint32_t given = tw_layer_colour(0, layer);

		cr_expect_eq(tw_layer_of_colour(own), layer);
		cr_expect_eq(tw_layer_of_colour(given), layer);
		cr_expect(tw_layer_is_default(given));
		cr_expect_not(tw_layer_is_default(own));
		for (unsigned shift = 0; shift < 24; shift += 8)
			cr_expect_leq(abs((int)(own >> shift & 0xff) -
					  (int)(0xff8040 >> shift & 0xff)),
				      1);
		for (uint32_t other = 0; other < layer; other++)
			cr_expect_neq(given, tw_layer_colour(0, other));
		/* Nearly black is not "none". */
		cr_expect_neq(tw_layer_colour(0x010101, layer), 0);
	}
	cr_expect_geq(tw_layer_of_colour(tw_layer_colour(0, 77)), TW_LAYER_COUNT);
}

Test(tracy_import, a_value_is_told_from_a_text_that_looks_like_one)
{
	static const char *const texts[] = {"",
					    "5",
					    "text",
					    "text\n5",
					    "\n",
					    "5\n",
					    "05",
					    "\n5",
					    "5\n\n",
					    "0",
					    "a\n0",
					    "-5",
					    "99999999999999999999",
					    "12x",
					    "x\n\n7"};
	static const uint64_t values[] = {0, 7, UINT64_MAX};
	char buffer[TW_TRACY_JOINED_MAX];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (unsigned k = 0; k <= 3; k++) {
			struct tw_slice text = tw_slice_of(texts[i]), joined = {buffer};
			uint64_t value = 0;

			joined.n_bytes = tw_tracy_value_join(buffer, text, k < 3,
							     k < 3 ? values[k] : 0);
			cr_expect_eq(tw_tracy_value_split(&joined, &value), k < 3,
				     "'%s' %u", texts[i], k);
			cr_expect_eq(joined.n_bytes, text.n_bytes, "'%s' %u", texts[i],
				     k);
			cr_expect_eq(memcmp(buffer, texts[i], text.n_bytes), 0);
			cr_expect(k == 3 || value == values[k]);
		}
}

/* The body of a file of ours, unpacked; *n bytes. */
static uint8_t *body_of(const char *path, size_t *n)
{
	struct tw_tracy_in in;
	uint8_t *body = NULL;

	cr_assert_eq(tw_tracy_in_open(&in, path, &fault), 0, "%s", fault.text);
	for (*n = 0; !tw_tracy_in_is_done(&in); (*n)++) {
		body = realloc(body, *n + 1);
		body[*n] = tw_tracy_get_u8(&in);
	}
	tw_tracy_in_close(&in);
	return body;
}

static char *pack(const uint8_t *body, size_t n)
{
	static struct tw_writer w;
	char *path = spool_path("packed.tracy");
	struct tw_tracy_out out;
	int fd = creat(path, 0600);

	tw_writer_init(&w, fd);
	cr_assert_eq(
		tw_tracy_out_open(&out, &w, TW_TRACY_NUMBER(0u, 10u, 0u), TW_TRACY_LZ4),
		0);
	tw_tracy_put(&out, body, n);
	tw_tracy_out_close(&out, true);
	cr_assert_eq(tw_writer_flush(&w), 0);
	close(fd);
	return path;
}

static uint8_t *find(uint8_t *body, size_t n, const char *text)
{
	uint8_t *at = memmem(body, n, text, strlen(text));

	cr_assert_not_null(at, "no '%s'", text);
	return at;
}

/* As a viewer that saw the run live would have saved it. */
Test(tracy_import, without_a_ledger_names_tell_the_processes)
{
	struct bytes file = rich_file();
	size_t n;
	uint8_t *body = body_of(export_as(&file, "out.tracy"), &n);
	char *report;

	memcpy(find(body, n, TW_LEDGER_START), "tracewrap nothing", 17);
	report = report_of(import(pack(body, n)));
	cr_expect_not_null(strstr(report, "\"pid\":200,\"ppid\":100,\"program\":"
					  "\"server\""),
			   "%s", report);
	cr_expect_not_null(
		strstr(report, "{\"tid\":100,\"pid\":100,\"name\":\"worker\""));
	cr_expect_not_null(strstr(report, "\"layer\":\"python\""));
	cr_expect_not_null(strstr(report, "\"signal\":11"));
	cr_expect_not_null(strstr(report, "\"text\":\"crash: process 100 was killed"));
	cr_expect_not_null(strstr(report, "\"complete\": true"));
	/* Not by tracewrap: a colour is a colour, a name a name. */
	memcpy(find(body, n, "Recorded by: tracewrap"), "Recorded by: somebody!", 22);
	report = report_of(import(pack(body, n)));
	cr_expect_null(strstr(report, "\"layer\":\"python\""));
	cr_expect_not_null(strstr(report, "\"layer\":\"user\""));
	cr_expect_not_null(strstr(report, "\"name\":\"worker [prog 100]\""), "%s",
			   report);
	free(body);
}

static uint64_t state = 88172645463325252ull;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* Reads it as far as it goes; an error has words. */
static bool survives(const char *path)
{
	const struct tw_report_options options = {.form = TW_REPORT_CSV};
	struct tw_timeline *t;
	struct tw_spool *spool;
	int fd, null = open("/dev/null", O_WRONLY);

	fd = tw_tracy_import(path, &fault);
	cr_assert(fd >= 0 || fault.text[0], "an error without words");
	if (fd >= 0) {
		cr_assert_eq(tw_spool_adopt(&spool, fd, path, &fault), 0, "%s",
			     fault.text);
		cr_assert_eq(tw_timeline_adopt(&t, spool, &fault), 0, "%s", fault.text);
		cr_assert_eq(tw_report_write(t, &options, null, &fault), 0, "%s",
			     fault.text);
		cr_expect_eq(t->n_bad_blocks, 0, "what we wrote reads");
		tw_timeline_close(t);
	}
	close(null);
	return fd >= 0;
}

Test(tracy_import, survives_any_change_of_the_body)
{
	struct bytes file = rich_file();
	size_t n;
	uint8_t *body = body_of(export_as(&file, "out.tracy"), &n);
	uint8_t *changed = malloc(n), *ledger = find(body, n, TW_LEDGER_START);
	unsigned n_read = 0, n_rounds = 1500;

	for (unsigned round = 0; round < n_rounds; round++) {
		memcpy(changed, body, n);
		for (unsigned k = draw() % 4 + 1; k > 0; k--) {
			/* Most of the body is empty lists at its end. */
			size_t at = draw() % (draw() % 2 ? 4000 : n);

			if (draw() % 4 == 0) /* another letter, so that it decodes */
				changed[(size_t)(ledger - body) + 19 + draw() % 600] =
					(uint8_t)('A' + draw() % 26);
			else
				changed[at % n] = draw() % 3 ? (uint8_t)draw() : 0xff;
		}
		n_read += survives(pack(changed, n));
	}
	cr_expect_gt(n_read, 50, "only %u of %u read", n_read, n_rounds);
	cr_expect_lt(n_read, n_rounds - 50);
	for (size_t at = 0; at < n; at += 1 + n / 200)
		cr_expect_not(survives(pack(body, at)), "cut at %zu", at);
	free(changed);
	free(body);
}

Test(tracy_import, leaves_no_file_behind)
{
	struct bytes file = rich_file();
	char *path = export_as(&file, "out.tracy"), *folder = spool_path("tmp"), *left;

	setenv("TMPDIR", folder, 1);
	tw_timeline_close(import(path)); /* it is not there: beside the file */
	cr_assert_eq(mkdir(folder, 0700), 0);
	tw_timeline_close(import(path));
	cr_assert_gt(asprintf(&left,
			      "rmdir '%s' && test -z \"$(ls -A '%s' | grep '^[.]t')\"",
			      folder, spool_path("")),
		     0);
	cr_expect_eq(system(left), 0);
	free(left);
}

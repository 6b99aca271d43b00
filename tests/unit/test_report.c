/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report: statistics to the nanosecond, and its three forms for any bytes in names.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_check.h"
#include "report/histogram.h"
#include "report/report.h"
#include "report/statistics.h"
#include "report/units.h"
#include "walk_seen.h"

TestSuite(report, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);
TestSuite(histogram, .timeout = 60);
TestSuite(units, .timeout = 60);

static int report_path(const char *trace, const struct tw_report_options *options,
		       int fd)
{
	struct tw_timeline *t;
	int error = tw_timeline_open(&t, trace, &fault);

	if (!error)
		error = tw_report_write(t, options, fd, &fault);
	tw_timeline_close(t);
	return error;
}

/* The report on a file, as text. */
static char *report_on(const struct bytes *file, struct tw_report_options options)
{
	char *trace = spool_save(file, "trace.tw"), *out = spool_path("report");
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t n, at;
	char *text;
	const char *wrong;

	cr_assert_geq(fd, 0);
	cr_assert_eq(report_path(trace, &options, fd), 0, "%s", fault.text);
	close(fd);
	text = spool_read_file(out, &n);
	if (options.form == TW_REPORT_JSON) {
		wrong = json_check(text, n, &at);
		cr_assert_null(wrong, "%s at byte %zu: %.60s", wrong, at, text + at);
	}
	return text;
}

static void expect_in(const char *text, const char *part)
{
	cr_expect_not_null(strstr(text, part), "no '%s' in:\n%s", part, text);
}

static void expect_not_in(const char *text, const char *part)
{
	cr_expect_null(strstr(text, part), "there is '%s' in:\n%s", part, text);
}

/* Two processes, three threads; alpha and beta in known amounts. */
static struct bytes known_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};

	put_prelude(&file, 1000);
	put_process(&p, 2, 200, 100, 2000, 1, "child", "child\0a b\0", 10);
	PUT_NUMBERS(&p, TW_META_THREAD, 2, 1, 101, 1500, 0);
	PUT_NUMBERS(&p, TW_META_THREAD, 3, 2, 200, 2000, 1);
	put_thread_name(&p, 2, "worker");
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_tree(&p); /* alpha 900/300, gamma 500/400, beta 100, 100 */
	put_message(&p, 50, 0xff8000, "done \"quoted\"");
	put_events_block(&file, &p, 1);
	put_start(&p, 2000, 0);
	put_begin(&p, 0, 2);
	put_end(&p, 40);
	put_events_block(&file, &p, 2);
	put_start(&p, 3000, 0);
	put_begin(&p, 0, 2);
	put_begin(&p, 100, 1);
	put_end(&p, 500);
	put_end(&p, 400);
	put_events_block(&file, &p, 3);
	PUT_NUMBERS(&p, TW_META_THREAD_END, 2, 2500);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 2, 5000, TW_END_SIGNALLED, 11);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 1, 6000, TW_END_EXITED, 3);
	PUT_NUMBERS(&p, TW_META_LOST, 2, TW_LOSS_RING_FULL, 12);
	put_meta_block(&file, &p);
	put_finish(&file, 7000);
	return file;
}

Test(report, has_exact_numbers_for_every_name)
{
	struct bytes file = known_file();
	char *json =
		report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});

	/* alpha: 900/300 and 500/500; beta: 100, 100, 40 and 1000/500; gamma: 500/400
	 */
	expect_in(json,
		  "{\"name\":\"alpha\",\"file\":\"a.c\",\"line\":10,\"layer\":\"user\","
		  "\"count\":2,\"total_ns\":1400,\"self_ns\":800,\"min_ns\":500,"
		  "\"mean_ns\":700,\"max_ns\":900,\"p99_ns\":900}");
	expect_in(json,
		  "{\"name\":\"beta\",\"file\":\"b.c\",\"line\":20,\"layer\":\"user\","
		  "\"count\":4,\"total_ns\":1240,\"self_ns\":740,\"min_ns\":40,"
		  "\"mean_ns\":310,\"max_ns\":1000,\"p99_ns\":1000}");
	expect_in(json,
		  "{\"name\":\"gamma\",\"file\":\"b.c\",\"line\":30,"
		  "\"layer\":\"native\",\"count\":1,\"total_ns\":500,\"self_ns\":400,"
		  "\"min_ns\":500,\"mean_ns\":500,\"max_ns\":500,\"p99_ns\":500}");
	cr_expect_lt(strstr(json, "alpha"), strstr(json, "beta"),
		     "highest total first");
	cr_expect_lt(strstr(json, "beta"), strstr(json, "gamma"));
}

Test(report, keeps_p99_between_the_least_and_the_most)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *csv;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	for (int i = 0; i < 200; i++) {
		put_begin(&p, 1, 1);
		put_end(&p, 993); /* the step is 992 to 1007 */
		put_begin(&p, 1, 2);
		put_end(&p, 1007);
	}
	put_events_block(&file, &p, 1);
	csv = report_on(&file, (struct tw_report_options){.form = TW_REPORT_CSV});
	expect_in(csv, "alpha,a.c,10,user,200,198600,198600,993,993,993,993\r\n");
	expect_in(csv, "beta,b.c,20,user,200,201400,201400,1007,1007,1007,1007\r\n");
}

Test(report, tells_of_processes_threads_messages_and_losses)
{
	struct bytes file = known_file();
	char *json =
		report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});

	expect_in(json, "{\"time_ns\":1050,\"pid\":100,\"tid\":100,\"text\":\"done "
			"\\\"quoted\\\"\",\"colour\":\"#ff8000\"}");
	expect_in(json,
		  "{\"pid\":100,\"ppid\":99,\"program\":\"prog\",\"command\":\"prog "
		  "-x\",\"start_ns\":0,\"end_ns\":5000,\"exit_code\":3,"
		  "\"signal\":null,\"ended\":\"exited\",\"threads\":2}");
	expect_in(json,
		  "{\"pid\":200,\"ppid\":100,\"program\":\"child\",\"command\":\"child "
		  "a b\",\"start_ns\":1000,\"end_ns\":4000,\"exit_code\":null,"
		  "\"signal\":11,\"ended\":\"signalled\",\"threads\":1}");
	expect_in(json, "{\"tid\":101,\"pid\":100,\"name\":\"worker\",\"start_ns\":500,"
			"\"end_ns\":1500,\"zones\":1,\"dropped\":12,\"stalls\":0,"
			"\"stall_ns\":0,\"main\":false,\"kind\":\"thread\"}");
	expect_in(json, "{\"tid\":200,\"pid\":200,\"name\":\"\",\"start_ns\":1000,"
			"\"end_ns\":4000,\"zones\":2,\"dropped\":0,");
	expect_in(json, "\"dropped\": 12,");
	expect_in(json, "{\"reason\":\"ring full (--drop)\",\"count\":12}");
	expect_in(json, "\"duration_ns\": 6000");
	expect_in(json, "\"start_wall_ns\": 1700000000000000000");
	expect_in(json, "\"complete\": true");
	expect_in(json, "\"zone_count\": 7");
	expect_in(json, "\"version\": \"1.2.3\"");
}

Test(report, groups_by_process_and_by_thread)
{
	struct bytes file = known_file();
	char *json = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON,
								 .by = TW_BY_PROCESS});

	expect_in(json,
		  "\"count\":3,\"total_ns\":240,\"self_ns\":240,\"min_ns\":40,"
		  "\"mean_ns\":80,\"max_ns\":100,\"p99_ns\":100,\"process\":100}");
	expect_in(json,
		  "\"count\":1,\"total_ns\":1000,\"self_ns\":500,\"min_ns\":1000,"
		  "\"mean_ns\":1000,\"max_ns\":1000,\"p99_ns\":1000,\"process\":200}");
	json = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON,
							   .by = TW_BY_THREAD});
	expect_in(json, "\"p99_ns\":40,\"process\":100,\"thread\":101,\"thread_name\":"
			"\"worker\"}");
	expect_in(
		json,
		"\"p99_ns\":100,\"process\":100,\"thread\":100,\"thread_name\":\"\"}");
}

Test(report, sorts_by_each_column)
{
	static const struct {
		enum tw_sort sort;
		const char *first, *second, *third;
	} rows[] = {
		{TW_SORT_TOTAL, "alpha", "beta", "gamma"}, /* 1400 1240 500 */
		{TW_SORT_SELF, "alpha", "beta", "gamma"},  /* 800 740 400 */
		{TW_SORT_COUNT, "beta", "alpha", "gamma"}, /* 4 2 1 */
		{TW_SORT_MEAN, "alpha", "gamma", "beta"},  /* 700 500 310 */
		{TW_SORT_MAX, "beta", "alpha", "gamma"},   /* 1000 900 500 */
	};
	struct bytes file = known_file();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *csv = report_on(&file,
				      (struct tw_report_options){.form = TW_REPORT_CSV,
								 .sort = rows[i].sort});
		const char *first = strstr(csv, rows[i].first);
		const char *second = strstr(csv, rows[i].second);
		const char *third = strstr(csv, rows[i].third);

		cr_assert(first && second && third);
		cr_assert(first < second && second < third, "row %zu: %s", i, csv);
	}
}

Test(report, limits_rows_only_when_told_to)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_report_options options = {.form = TW_REPORT_JSON};
	char *text;

	put_prelude(&file, 1000);
	for (unsigned i = 0; i < 50; i++) {
		char name[16];

		snprintf(name, sizeof(name), "name%02u", i);
		put_string(&p, 100 + i, name);
		PUT_NUMBERS(&p, TW_META_LOCATION, 100 + i, 100 + i, 0, 0, 0, 0, 0);
	}
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	for (unsigned i = 0; i < 50; i++) {
		put_begin(&p, 1, 100 + i);
		put_end(&p, 1000 - i);
	}
	put_events_block(&file, &p, 1);
	text = report_on(&file, options);
	expect_in(text, "name00");
	expect_in(text, "name49");
	options.limit = 3;
	text = report_on(&file, options);
	expect_in(text, "name02");
	expect_not_in(text, "name03");
	options.form = TW_REPORT_CSV;
	text = report_on(&file, options);
	expect_in(text, "name02");
	expect_not_in(text, "name03");
	options = (struct tw_report_options){.form = TW_REPORT_TEXT};
	text = report_on(&file, options);
	expect_in(text, "name19");
	expect_not_in(text, "name20");
	expect_in(text, "... and 30 more names (--limit 50 shows all)");
	options.limit = 50;
	text = report_on(&file, options);
	expect_in(text, "name49");
	expect_not_in(text, "more names");
}

Test(report, merges_places_that_look_the_same)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *csv;

	put_prelude(&file, 1000);
	put_string(&p, 50, "alpha");
	put_string(&p, 51, "a.c");
	PUT_NUMBERS(&p, TW_META_LOCATION, 50, 50, 0, 51, 10, 0, 0); /* as 1 */
	PUT_NUMBERS(&p, TW_META_LOCATION, 51, 50, 0, 51, 11, 0, 0); /* another line */
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	for (unsigned i = 0; i < 3; i++) {
		put_begin(&p, 0, i == 0 ? 1 : 49 + i);
		put_end(&p, 10);
	}
	put_begin(&p, 0, 4000); /* unknown ones are one, too */
	put_end(&p, 7);
	put_begin(&p, 0, 5000);
	put_end(&p, 8);
	put_events_block(&file, &p, 1);
	csv = report_on(&file, (struct tw_report_options){.form = TW_REPORT_CSV});
	cr_assert_str_eq(
		csv,
		"name,file,line,layer,count,total_ns,self_ns,min_ns,mean_ns,max_ns,"
		"p99_ns\r\n"
		"alpha,a.c,10,user,2,20,20,10,10,10,10\r\n"
		"(unknown location),,0,unknown,2,15,15,7,7,8,8\r\n"
		"alpha,a.c,11,user,1,10,10,10,10,10,10\r\n");
}

Test(report, quotes_csv_as_rfc_4180_wants)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *csv;

	put_prelude(&file, 1000);
	put_string(&p, 50, "a,b \"c\"\nd");
	put_string_bytes(&p, 51, "x\0y\xff", 4);
	PUT_NUMBERS(&p, TW_META_LOCATION, 50, 50, 0, 51, 1, 0, 0);
	put_thread_name(&p, 1, "t,1");
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 50);
	put_end(&p, 10);
	put_events_block(&file, &p, 1);
	csv = report_on(&file, (struct tw_report_options){.form = TW_REPORT_CSV,
							  .by = TW_BY_THREAD});
	expect_in(csv, "p99_ns,process,thread,thread_name\r\n");
	expect_in(
		csv,
		"\r\n\"a,b \"\"c\"\"\nd\",x\xef\xbf\xbdy\xef\xbf\xbd,1,user,1,10,10,10,"
		"10,10,10,100,100,\"t,1\"\r\n");
}

Test(report, is_valid_json_for_any_bytes_in_names)
{
	struct tw_report_options options = {.form = TW_REPORT_JSON, .by = TW_BY_THREAD};

	srand(3);
	for (int round = 0; round < 200; round++) {
		struct bytes file = {0};
		struct payload p = {0};
		char name[40];

		for (size_t i = 0; i < sizeof(name); i++)
			name[i] = (char)(round == 0   ? (int)i
					 : rand() % 3 ? 0x80 + rand() % 0x80
						      : rand());
		put_prelude(&file, 1000);
		put_string_bytes(&p, 50, name, sizeof(name));
		PUT_NUMBERS(&p, TW_META_LOCATION, 50, 50, 0, 50, 1, 0, 0);
		put_process(&p, 1, 1, 1, 1000, 0, "\xff\"", name, sizeof(name));
		put_thread_name(&p, 1, "\xed\xa0\x80\\\x7f");
		put_note(&p, "\x80");
		put_session(&p, "\"key\xc0\x80", "\xf4\x90\x80\x80");
		put_mark(&p, 1000, "\xe2\x82");
		put_meta_block(&file, &p);
		put_start(&p, 1000, 0);
		put_begin(&p, 0, 50);
		put_event(&p, 0, TW_EVENT_MESSAGE, 0, name, sizeof(name));
		put_end(&p, 10);
		put_events_block(&file, &p, 1);
		cr_assert_not_null(report_on(&file, options)); /* checks it */
	}
}

Test(report, keeps_characters_that_are_valid)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *json;

	put_prelude(&file, 1000);
	put_note(&p, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xff|\xe2\x82|");
	put_meta_block(&file, &p);
	json = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});
	expect_in(json, "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd|"
			"\xef\xbf\xbd\xef\xbf\xbd|\"");
}

Test(report, is_a_table_for_people)
{
	struct bytes file = known_file();
	char *text =
		report_on(&file, (struct tw_report_options){.form = TW_REPORT_TEXT});

	expect_in(text, ": 6.00 us, 2 processes, 3 threads, 7 zones, 15 events\n");
	expect_in(text,
		  "  1.40 us   800 ns          2   500 ns   700 ns   900 ns   900 ns  "
		  "user     alpha  a.c:10\n");
	expect_in(text, "signal 11 ");
	expect_in(text, "exit 3 ");
	expect_in(text, "prog -x\n");
	expect_in(text, "  worker\n");
	expect_in(text, "done \"quoted\"\n");
	expect_in(text, "lost: 12 events: ring full (--drop)\n");
	expect_not_in(text, "damaged");
	expect_not_in(text, "unfinished");
	expect_not_in(text, "truncated");
	text = report_on(&file, (struct tw_report_options){.by = TW_BY_THREAD});
	expect_in(text, "\nthread 101 'worker' of process 100 prog\n");
	text = report_on(&file, (struct tw_report_options){.by = TW_BY_PROCESS});
	expect_in(text, "\nprocess 200 child\n");
}

Test(report, says_what_is_missing_and_why)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *text;

	put_file_header(&file, 1, 0);
	PUT_NUMBERS(&p, TW_META_ROTATED, 7, 700, 70000);
	PUT_NUMBERS(&p, TW_META_LOST, 0, TW_LOSS_TEXT_CUT, 1);
	PUT_NUMBERS(&p, TW_META_STALL, 1, 2500000, 4);
	put_note(&p, "child 77 is static");
	PUT_NUMBERS(&p, TW_META_STRING, 0); /* nonsense */
	put_meta_block(&file, &p);
	put_start(&p, 1000, 2);
	put_end(&p, 1);
	put_end(&p, 1);
	put_end(&p, 1);
	put_begin(&p, 1, 1);
	put_events_block(&file, &p, 1);
	put_bytes(&file, "garbage", 7);
	put_start(&p, 2000, 0);
	put_begin(&p, 1, 1);
	put_events_block(&file, &p, 1);
	put_bytes(&file, "TWB1 and no more", 16);
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_TEXT});
	expect_in(text,
		  "rotated: --max-size took away the oldest 700 events (7 blocks, 70.0 "
		  "kB)\n");
	expect_in(text, "lost: 1 text: text longer than 4096 bytes was cut\n");
	expect_in(text, "stalled: threads waited 4 times, 2.50 ms in all");
	expect_in(text, "note: child 77 is static\n");
	expect_in(text, "truncated: 2 zones without a begin in the file\n");
	expect_in(text, "open: 2 zones without an end in the file");
	expect_in(text, "unmatched: 1 end without a zone\n");
	expect_in(text, "damaged: 1 place of the file (7 bytes)");
	expect_in(text, "gaps: the order of zones was lost and found 1 time\n");
	expect_in(text, "unknown: 1 record ");
	expect_in(text, "cut: the last 16 bytes are not a whole block");
	expect_in(text, "unfinished: ");
	expect_in(text, "clock: fewer than two anchors");
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});
	expect_in(text, "\"truncated\": 2,");
	expect_in(text, "\"open\": 2,");
	expect_in(text, "\"damaged_places\": 1,");
	expect_in(text, "\"damaged_bytes\": 7,");
	expect_in(text, "\"cut_bytes\": 16,");
	expect_in(text, "\"rotated_events\": 700,");
	expect_in(text, "\"complete\": false");
	expect_in(text, "\"clock_assumed\": true");
}

Test(report, shows_the_earliest_messages_and_counts_the_others)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *text;

	put_prelude(&file, 1000);
	for (unsigned thread = 3; thread > 0; thread--) {
		put_start(&p, 1000 * thread, 0);
		for (unsigned i = 0; i < 8; i++) {
			char message[32];

			snprintf(message, sizeof(message), "m-%u-%u;", thread, i);
			put_message(&p, 1, 0, message);
		}
		put_events_block(&file, &p, thread);
	}
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_TEXT});
	expect_in(text, "m-1-0;");
	expect_in(text, "m-1-7;");
	expect_in(text, "m-2-1;");
	expect_not_in(text, "m-2-2;");
	expect_not_in(text, "m-3-");
	expect_in(text, "... and 14 more messages (--json shows all)");
	cr_assert_lt(strstr(text, "m-1-7;"), strstr(text, "m-2-0;"));
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});
	expect_in(text, "m-3-7;");
}

Test(report, sends_nothing_to_a_terminal_that_could_steer_it)
{
	struct bytes file = {0};
	struct payload p = {0};
	char *text;

	put_prelude(&file, 1000);
	put_string(&p, 50,
		   "\x1b]0;owned\x07 \xc2\x9b"
		   "31m \x80\x9b");
	PUT_NUMBERS(&p, TW_META_LOCATION, 50, 50, 0, 50, 1, 0, 0);
	put_thread_name(&p, 1, "\x1b[2J");
	put_note(&p, "a\x1b[0m\nlost: 1 of mine");
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 50);
	put_message(&p, 0, 0, "\x1b[31mred");
	put_end(&p, 10);
	put_events_block(&file, &p, 1);
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_TEXT});
	expect_not_in(text, "\x1b");
	expect_not_in(text, "\xc2\x9b");
	expect_not_in(text, "\nlost: 1 of mine");
	expect_in(text, "?[31mred");
}

Test(report, of_an_empty_trace_says_so)
{
	struct bytes file = {0};
	char *text;

	put_file_header(&file, 1, 0);
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_TEXT});
	expect_in(text, "no zones were recorded");
	text = report_on(&file, (struct tw_report_options){.form = TW_REPORT_JSON});
	expect_in(text, "\"zones\": [\n  ]");
}

Test(report, fails_when_it_cannot_be_written)
{
	struct bytes file = known_file();
	char *trace = spool_save(&file, "trace.tw");
	struct tw_report_options options = {.form = TW_REPORT_JSON};
	int fd = open("/dev/full", O_WRONLY);

	cr_assert_eq(report_path(trace, &options, fd), -ENOSPC);
	cr_assert_str_eq(fault.text,
			 "cannot write the report: No space left on device");
	close(fd);
	cr_assert_eq(report_path(trace, &options, fd), -EBADF);
	cr_assert_eq(report_path(spool_path("none.tw"), &options, 1), -ENOENT);
}

Test(histogram, is_exact_below_64_and_within_two_percent_above)
{
	for (uint64_t v = 0; v < UINT64_MAX / 3; v = v < 200 ? v + 1 : v + v / 7 + 3) {
		struct tw_histogram h = {0};
		uint64_t q;

		for (unsigned i = 0; i < TW_HISTOGRAM_VALUES + 1; i++)
			cr_assert_eq(tw_histogram_add(&h, v), 0);
		q = tw_histogram_quantile(&h, 990);
		if (v < 64)
			cr_assert_eq(q, v);
		else
			cr_assert_leq(q > v ? q - v : v - q, v / 63, "%lu gives %lu", v,
				      q);
		tw_histogram_free(&h);
	}
}

Test(histogram, is_exact_for_few_values)
{
	struct tw_histogram h = {0};

	cr_assert_eq(tw_histogram_quantile(&h, 990), 0, "of nothing");
	for (uint64_t i = 0; i < TW_HISTOGRAM_VALUES; i++)
		cr_assert_eq(tw_histogram_add(&h, 1000003 * (i * 7 % 32)), 0);
	cr_assert_eq(tw_histogram_quantile(&h, 500), 1000003 * 15);
	cr_assert_eq(tw_histogram_quantile(&h, 990), 1000003 * 31);
	cr_assert_eq(tw_histogram_quantile(&h, 0), 0);
	tw_histogram_free(&h);
}

Test(histogram, takes_the_nearest_rank)
{
	struct tw_histogram h = {0};

	for (uint64_t v = 0; v < 50; v++)
		cr_assert_eq(tw_histogram_add(&h, v), 0);
	cr_assert_eq(tw_histogram_quantile(&h, 500), 24);
	cr_assert_eq(tw_histogram_quantile(&h, 980), 48);
	cr_assert_eq(tw_histogram_quantile(&h, 990), 49);
	cr_assert_eq(tw_histogram_quantile(&h, 0), 0);
	for (int i = 0; i < 9950; i++)
		cr_assert_eq(tw_histogram_add(&h, 7), 0);
	cr_assert_eq(tw_histogram_quantile(&h, 990), 7);
	tw_histogram_free(&h);
}

Test(units, have_three_digits)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},	       {999, "999 ns"},
		{1000, "1.00 us"},     {9994, "9.99 us"},
		{9999, "10.0 us"},     {99949, "99.9 us"},
		{99990, "100 us"},     {999499, "999 us"},
		{999500, "1.00 ms"},   {1234567890, "1.23 s"},
		{999999999, "1.00 s"}, {12345678901234, "12346 s"},
	};
	char text[TW_UNITS_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_str_eq(tw_units_time(text, rows[i].ns), rows[i].text);
	cr_expect_str_eq(tw_units_size(text, 1234567), "1.23 MB");
	cr_expect_str_eq(tw_units_size(text, UINT64_MAX), "18446744 TB");
}

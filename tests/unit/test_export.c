/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exports: what each form holds, and that a file appears whole or not at all.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export.h"
#include "export/output.h"
#include "json_check.h"
#include "walk_seen.h"

TestSuite(export, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);
TestSuite(writer, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 60);

static struct tw_export_result result;
static const struct tw_config forced = {.is_forced = true}, careful;

static void expect_in(const char *text, const char *part)
{
	cr_expect_not_null(strstr(text, part), "no '%s' in:\n%.3000s", part, text);
}

/* Exports the file and returns the output's content. */
static char *export_to(const struct bytes *file, const char *name, size_t *n)
{
	char *trace = spool_save(file, "trace.tw"), *output = spool_path(name);

	cr_assert_eq(tw_export_file(trace, output, &forced, &result, &fault), 0, "%s",
		     fault.text);
	return spool_read_file(output, n);
}

static char *export_json(const struct bytes *file)
{
	size_t n, at;
	char *text = export_to(file, "out.json", &n);
	const char *wrong = json_check(text, n, &at);

	cr_assert_null(wrong, "%s at byte %zu: %.60s", wrong, at, text + at);
	cr_assert_eq(result.n_bytes, n);
	return text;
}

static int count_files(void)
{
	DIR *folder = opendir(spool_path(""));
	int n = 0;

	cr_assert_not_null(folder);
	for (struct dirent *e; (e = readdir(folder));)
		n += e->d_name[0] != '.';
	closedir(folder);
	return n;
}

/* One thread with a tree and everything else that can happen. */
static struct bytes rich_file(void)
{
	struct bytes file = {0};
	struct payload p = {0};
	uint64_t value = 42;

	put_prelude(&file, 1000);
	put_thread_name(&p, 1, "main, \"1\"");
	put_mark(&p, 1500, "mark");
	PUT_NUMBERS(&p, TW_META_GATE, 1600, 0);
	PUT_NUMBERS(&p, TW_META_PROCESS_END, 1, 9000, TW_END_EXITED, 3);
	put_meta_block(&file, &p);
	put_start(&p, 1000, 0);
	put_tree(&p);
	put_begin(&p, 500, 2);
	put_zone_text(&p, "line one\nline \"two\"");
	put_event(&p, 0, TW_EVENT_ZONE_VALUE, 0, &value, 8);
	put_event(&p, 0, TW_EVENT_ZONE_NAME, 0, "run-time name", 13);
	put_end(&p, 250);
	put_message(&p, 1, 0x0000ff, "a message");
	put_plot(&p, 1, 1, 1.5);
	put_plot(&p, 1, 1, NAN);
	put_event(&p, 1, TW_EVENT_FRAME, 0, NULL, 0);
	put_begin(&p, 1, 1);
	put_events_block(&file, &p, 1);
	put_finish(&file, 9000);
	return file;
}

Test(export, json_holds_zones_names_messages_plots_frames_and_marks)
{
	struct bytes file = rich_file();
	char *json = export_json(&file);

	expect_in(json,
		  "{\"ph\":\"X\",\"name\":\"gamma\",\"cat\":\"native\",\"ts\":0.400,"
		  "\"dur\":0.500,\"pid\":100,\"tid\":100,\"args\":{\"file\":\"b.c\","
		  "\"line\":30}}");
	expect_in(json, "{\"ph\":\"X\",\"name\":\"run-time name\",\"cat\":\"user\","
			"\"ts\":1.500,\"dur\":0.250,\"pid\":100,\"tid\":100,\"args\":{"
			"\"file\":\"b.c\",\"line\":20,\"text\":\"line one\\nline "
			"\\\"two\\\"\",\"value\":42,\"colour\":\"#00ff00\"}}");
	expect_in(json, "\"ts\":1.755,\"dur\":6.245,\"pid\":100,\"tid\":100,\"args\":{"
			"\"file\":\"a.c\",\"line\":10,\"open\":true}}");
	expect_in(json, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":100,\"args\":{"
			"\"name\":\"prog\"}}");
	expect_in(json,
		  "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":100,\"args\":{"
		  "\"labels\":\"exit 3\"}}");
	expect_in(json,
		  "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":100,"
		  "\"args\":{\"name\":\"main, \\\"1\\\"\"}}");
	expect_in(json, "{\"ph\":\"i\",\"name\":\"a message\",\"cat\":\"message\","
			"\"s\":\"t\",\"ts\":1.751,\"pid\":100,\"tid\":100,\"args\":{"
			"\"colour\":\"#0000ff\"}}");
	expect_in(json,
		  "{\"ph\":\"C\",\"name\":\"alpha\",\"cat\":\"plot\",\"ts\":1.752,"
		  "\"pid\":100,\"tid\":100,\"args\":{\"value\":1.5}}");
	expect_in(json,
		  "{\"ph\":\"i\",\"name\":\"frame\",\"cat\":\"frame\",\"s\":\"p\","
		  "\"ts\":1.754,\"pid\":100,\"tid\":100}");
	expect_in(json, "{\"ph\":\"i\",\"name\":\"mark\",\"cat\":\"mark\",\"s\":\"g\","
			"\"ts\":0.500,\"pid\":100,\"tid\":100}");
	expect_in(json, "\"name\":\"recording stopped\"");
	expect_in(json, "\"start_wall_ns\":\"1700000000000000000\"");
	expect_in(json, "\"version\":\"1.2.3\"");
	expect_in(json, "\"plot_points_not_finite\":\"1\"");
	expect_in(json, "\"complete\":\"true\"");
	cr_assert_eq(result.counts.n_zones, 6);
	cr_assert_eq(result.counts.n_open, 1);
}

/* Where the zone of that name stands in the text. */
static const char *place_of(const char *json, const char *name)
{
	char pattern[64];
	const char *found;

	snprintf(pattern, sizeof(pattern), "\"ph\":\"X\",\"name\":\"%s\"", name);
	found = strstr(json, pattern);
	cr_assert_not_null(found, "no zone %s", name);
	return found;
}

Test(export, json_puts_the_outer_of_two_zones_with_one_begin_first)
{
	struct bytes file = {0};
	struct payload p = {0};
	const char *json;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 5, 1); /* alpha, beta, gamma in one nanosecond */
	put_begin(&p, 0, 2);
	put_begin(&p, 0, 3);
	put_end(&p, 10);
	put_begin(&p, 10, 99); /* later, inside beta: not held back */
	put_end(&p, 10);
	put_end(&p, 10);
	put_end(&p, 10);
	put_events_block(&file, &p, 1);
	json = export_json(&file);
	cr_assert_lt(place_of(json, "alpha"), place_of(json, "beta"));
	cr_assert_lt(place_of(json, "beta"), place_of(json, "gamma"));
	cr_assert_lt(place_of(json, "(unknown location)"), place_of(json, "alpha"));
	expect_in(place_of(json, "beta"), "\"ts\":0.005,\"dur\":0.040");
}

Test(export, json_keeps_that_order_for_any_number_of_zones)
{
	struct bytes file = {0};
	struct payload p = {0};
	const char *at;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	for (int i = 0; i < 20000; i++) {
		put_begin(&p, 1, 1);
		put_begin(&p, 0, 2);
		put_end(&p, 1);
		put_end(&p, 1);
	}
	put_events_block(&file, &p, 1);
	at = export_json(&file);
	for (int i = 0; i < 40000; i++) {
		at = strstr(at, "\"ph\":\"X\",\"name\":\"");
		cr_assert_not_null(at);
		at += strlen("\"ph\":\"X\",\"name\":\"");
		cr_assert_eq(*at, i % 2 ? 'b' : 'a', "zone %d", i);
	}
}

Test(export, json_stays_whole_when_the_clock_stands_still)
{
	struct bytes file = {0};
	struct payload p = {0};
	const char *json;
	int n = 0;

	put_prelude(&file, 1000);
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	for (int i = 0; i < 30000; i++) {
		put_begin(&p, 0, 2);
		put_end(&p, 0);
	}
	put_end(&p, 0);
	put_events_block(&file, &p, 1);
	json = export_json(&file);
	for (const char *at = json; (at = strstr(at, "\"ph\":\"X\"")); at++)
		n++;
	cr_assert_eq(n, 30001, "every zone is written once: %d", n);
}

Test(export, json_gives_everybody_a_pid_and_a_tid)
{
	struct bytes file = {0};
	struct payload p = {0};
	const char *json;

	put_file_header(&file, 1, 0);
	put_mark(&p, 5, "nobody's");
	put_meta_block(&file, &p);
	json = export_json(&file);
	expect_in(json, "\"s\":\"g\",\"ts\":0.005,\"pid\":4194304,\"tid\":4194304}");
	put_start(&p, 1000, 0);
	put_begin(&p, 0, 1);
	put_end(&p, 1);
	put_events_block(&file, &p, 7);
	json = export_json(&file);
	expect_in(json, "\"pid\":4194304,\"tid\":1073741831}");
	expect_in(json, "(unknown process)");
}

Test(export, csv_has_one_row_a_zone)
{
	struct bytes file = rich_file();
	size_t n;
	char *csv = export_to(&file, "out.csv", &n);

	cr_assert_str_eq(
		csv,
		"name,file,line,layer,pid,process,tid,thread,begin_ns,duration_ns,"
		"self_ns,depth,text,value\r\n"
		"beta,b.c,20,user,100,prog,100,\"main, \"\"1\"\"\",200,100,100,1,,\r\n"
		"beta,b.c,20,user,100,prog,100,\"main, \"\"1\"\"\",500,100,100,2,,\r\n"
		"gamma,b.c,30,native,100,prog,100,\"main, \"\"1\"\"\",400,500,400,1,,"
		"\r\n"
		"alpha,a.c,10,user,100,prog,100,\"main, \"\"1\"\"\",100,900,300,0,,\r\n"
		"run-time name,b.c,20,user,100,prog,100,\"main, \"\"1\"\"\",1500,250,"
		"250,0,\"line one\nline \"\"two\"\"\",42\r\n"
		"alpha,a.c,10,user,100,prog,100,\"main, \"\"1\"\"\",1755,6245,6245,0,,"
		"\r\n");
}

Test(export, tw_is_a_copy_with_all_its_damage)
{
	struct bytes file = rich_file();
	size_t n;
	char *copy;

	put_bytes(&file, "trailing garbage", 16);
	copy = export_to(&file, "copy.tw", &n);
	cr_assert_eq(n, file.n);
	cr_assert_arr_eq(copy, file.at, n);
	cr_assert_eq(result.damage.tail_bytes, 16);
}

Test(export, survives_a_damaged_trace_and_says_so)
{
	struct bytes file = rich_file();

	file.at[80] ^= 0xff; /* the first META block: names, thread, process */
	cr_assert_not_null(export_json(&file));
	cr_assert_eq(result.damage.n_places, 1);
	cr_assert_eq(result.counts.n_zones, 6);
}

Test(export, is_valid_json_for_any_bytes)
{
	srand(5);
	for (int round = 0; round < 200; round++) {
		struct bytes file = {0};
		struct payload p = {0};
		char noise[60];

		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (char)(rand() % 2 ? 0x80 + rand() % 0x80 : rand());
		put_prelude(&file, 1000);
		put_string_bytes(&p, 50, noise, sizeof(noise));
		PUT_NUMBERS(&p, TW_META_LOCATION, 50, 50, 0, 50, 1, 0, 77);
		put_meta_block(&file, &p);
		put_start(&p, 1000, 0);
		put_begin(&p, 0, 50);
		put_event(&p, 0, TW_EVENT_ZONE_TEXT, 0, noise, sizeof(noise));
		put_event(&p, 0, TW_EVENT_MESSAGE, 0, noise, sizeof(noise));
		put_event(&p, 0, TW_EVENT_PLOT, 50, noise, 8);
		put_event(&p, 0, TW_EVENT_FRAME, 50, noise, 0);
		put_end(&p, 1);
		put_events_block(&file, &p, 1);
		cr_assert_not_null(export_json(&file)); /* checks it */
	}
}

static void expect_failure(const char *trace, const char *output, bool is_forced,
			   int error, const char *words)
{
	cr_expect_eq(tw_export_file(trace, output, is_forced ? &forced : &careful, NULL,
				    &fault),
		     error, "'%s' gave another error: %s", output, fault.text);
	cr_expect_not_null(strstr(fault.text, words), "said: %s", fault.text);
}

Test(export, keeps_an_existing_file_unless_forced)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw"), *output = spool_path("out.json");
	size_t n;

	spool_save_at(output, "precious", 8);
	expect_failure(trace, output, false, -EEXIST, "--force");
	cr_assert_str_eq(spool_read_file(output, &n), "precious");
	cr_assert_eq(tw_export_check(output, false, &fault), -EEXIST);
	cr_assert_eq(tw_export_check(output, true, &fault), 0);
	cr_assert_eq(tw_export_file(trace, output, &forced, NULL, &fault), 0);
	cr_assert_eq(spool_read_file(output, &n)[0], '{');
	cr_assert_eq(count_files(), 2, "nothing else is left behind");
}

Test(export, writes_through_a_link_to_where_it_leads)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw");
	char *target = spool_path("target.json"), *link = spool_path("link.json");
	struct stat st;
	size_t n;

	spool_save_at(target, "old", 3);
	cr_assert_eq(symlink(target, link), 0);
	cr_assert_eq(tw_export_file(trace, link, &forced, NULL, &fault), 0);
	cr_assert_eq(lstat(link, &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
	cr_assert_eq(spool_read_file(target, &n)[0], '{');
}

Test(export, never_writes_over_the_trace_itself)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw"), *other = spool_path("other.tw");
	size_t n;

	expect_failure(trace, trace, true, -EINVAL, "is the trace itself");
	cr_assert_eq(link(trace, other), 0);
	expect_failure(trace, other, true, -EINVAL, "is the trace itself");
	spool_read_file(trace, &n);
	cr_assert_eq(n, file.n);
}

Test(export, names_the_known_endings_for_an_unknown_one)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw");

	expect_failure(trace, spool_path("x.xyz"), false, -EINVAL,
		       ".json (Chrome trace events), .csv (one row a zone), .tw "
		       "(tracewrap's own)");
	expect_failure(trace, ".json", false, -EINVAL, "no ending");
	cr_assert_eq(tw_export_check(spool_path("x"), false, &fault), -EINVAL);
}

Test(export, refuses_places_where_nothing_can_be)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw"),
	     *folder = spool_path("folder.json");

	expect_failure(trace, spool_path("none/x.json"), false, -ENOENT,
		       "cannot write to the folder");
	cr_assert_eq(mkdir(folder, 0700), 0);
	expect_failure(trace, folder, true, -EISDIR, "is a folder");
	expect_failure(spool_path("none.tw"), spool_path("x.json"), false, -ENOENT,
		       "cannot open");
}

Test(export, leaves_nothing_behind_when_the_disk_is_full)
{
	struct bytes file = rich_file();
	char *trace = spool_save(&file, "trace.tw"), *output = spool_path("out.json");
	struct rlimit small = {1000, RLIM_INFINITY};
	char *device = spool_path("full.csv");
	size_t n;

	spool_save_at(output, "precious", 8);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	expect_failure(trace, output, true, -EFBIG, "nothing was kept");
	expect_failure(trace, spool_path("new.json"), false, -EFBIG, "cannot write");
	small.rlim_cur = RLIM_INFINITY;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	cr_assert_eq(count_files(), 2);
	cr_assert_str_eq(spool_read_file(output, &n), "precious");
	cr_assert_eq(symlink("/dev/full", device), 0);
	expect_failure(trace, device, false, -ENOSPC, "No space left on device");
	cr_assert_eq(access("/dev/full", W_OK), 0, "a device is not removed");
}

Test(writer, passes_on_large_pieces_and_remembers_the_first_error)
{
	static struct tw_writer w;
	static char large[TW_WRITER_BYTES * 2];
	char *path = spool_path("out");
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	size_t n;

	memset(large, 'x', sizeof(large));
	tw_writer_init(&w, fd);
	tw_writer_text(&w, "a");
	tw_writer_bytes(&w, large, sizeof(large));
	tw_writer_u64(&w, 0);
	tw_writer_u64(&w, UINT64_MAX);
	tw_writer_us(&w, 1234007);
	tw_writer_format(&w, "%d", -5);
	cr_assert_eq(tw_writer_flush(&w), 0);
	cr_assert_str_eq(spool_read_file(path, &n) + 1 + sizeof(large),
			 "0184467440737095516151234.007-5");
	cr_assert_eq(w.total_bytes, n);
	close(fd);
	tw_writer_text(&w, "lost");
	cr_assert_eq(tw_writer_flush(&w), -EBADF);
	w.fd = open("/dev/null", O_WRONLY);
	tw_writer_text(&w, "ignored");
	cr_assert_eq(tw_writer_flush(&w), -EBADF, "the first error stays");
	cr_assert_eq(w.total_bytes, n);
	close(w.fd);
}

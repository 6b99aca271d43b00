/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The option table, values, variables, and the command line made from it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "core/options.h"

static const struct tw_option *row_of(const char *name)
{
	for (size_t i = 0; i < tw_n_options; i++) {
		if (strcmp(tw_options[i].name, name) == 0)
			return &tw_options[i];
	}
	cr_assert_fail("no option %s", name);
	return NULL;
}

static struct tw_config fresh(void)
{
	struct tw_config config;

	tw_config_init(&config);
	return config;
}

Test(options, defaults_are_accepted_by_their_own_rows)
{
	for (size_t i = 0; i < tw_n_options; i++) {
		struct tw_config config = fresh();

		if (tw_options[i].initial)
			cr_assert_eq(tw_option_set(&tw_options[i], &config,
						   tw_options[i].initial),
				     0, "%s", tw_options[i].name);
	}
}

Test(options, defaults_are_what_help_promises)
{
	struct tw_config config = fresh();

	cr_assert_eq(config.buffer_bytes, UINT64_C(256) << 20);
	cr_assert_eq(config.max_bytes, UINT64_C(4) << 30);
	cr_assert_eq(config.follow, TW_FOLLOW_ALL);
	cr_assert_eq(config.clock, TW_CLOCK_AUTO);
	cr_assert_eq(config.by, TW_BY_NONE);
	cr_assert_eq(config.sort, TW_SORT_TOTAL);
	cr_assert_eq(config.limit, 0);
	cr_assert_eq(config.n_outputs, 0);
	cr_assert_eq(config.toggle_signal, 0);
	cr_assert_not(config.is_quiet);
	cr_assert_null(config.log);
}

Test(options, names_and_letters_mean_one_thing_to_one_command)
{
	for (size_t i = 0; i < tw_n_options; i++) {
		for (size_t k = i + 1; k < tw_n_options; k++) {
			const struct tw_option *a = &tw_options[i], *b = &tw_options[k];
			bool has_same_name = strcmp(a->name, b->name) == 0;

			if (has_same_name || (a->letter && a->letter == b->letter)) {
				cr_assert_eq(a->commands & b->commands, 0, "%s, %s",
					     a->name, b->name);
				/* main looks for the command before it knows whose
				 * options they are */
				cr_assert_eq(a->type, b->type, "%s, %s", a->name,
					     b->name);
			}
		}
	}
}

Test(options, rows_are_complete)
{
	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];
		char name[TW_VARIABLE_MAX];

		cr_assert(option->help && *option->help);
		cr_assert_neq(option->help[strlen(option->help) - 1], '.');
		cr_assert_neq(option->commands, 0);
		cr_assert_lt(tw_option_variable(option, name, sizeof(name)),
			     TW_VARIABLE_MAX - 1);
		cr_assert_eq(option->type == TW_OPTION_CHOICE, option->choices != NULL);
		cr_assert(option->type == TW_OPTION_FLAG || option->argument ||
			  option->choices);
	}
}

struct value {
	const char *option;
	const char *text;
	int status;
	uint64_t expected;
};

static const struct value values[] = {
	{"max-size", "1048576", 0, 1 << 20},
	{"max-size", "64K", 0, 64 << 10},
	{"max-size", "64k", 0, 64 << 10},
	{"max-size", "64KiB", 0, 64 << 10},
	{"max-size", "1.5G", 0, UINT64_C(3) << 29},
	{"max-size", "1.5MB", 0, 3 << 19},
	{"max-size", ".5G", 0, UINT64_C(1) << 29},
	{"max-size", "1.G", 0, UINT64_C(1) << 30},
	{"max-size", "0", 0, 0},
	{"max-size", "1", -ERANGE, 0},
	{"max-size", "63K", -ERANGE, 0},
	{"max-size", "", -EINVAL, 0},
	{"max-size", "K", -EINVAL, 0},
	{"max-size", ".", -EINVAL, 0},
	{"max-size", "-1", -EINVAL, 0},
	{"max-size", "+1G", -EINVAL, 0},
	{"max-size", " 1G", -EINVAL, 0},
	{"max-size", "1G ", -EINVAL, 0},
	{"max-size", "1 G", -EINVAL, 0},
	{"max-size", "0x10000000", -EINVAL, 0},
	{"max-size", "1e9", -EINVAL, 0},
	{"max-size", "1,5G", -EINVAL, 0},
	{"max-size", "1GBB", -EINVAL, 0},
	{"max-size", "18446744073709551615", 0, UINT64_MAX},
	{"max-size", "18446744073709551616", -ERANGE, 0},
	{"max-size", "99999999999999999999999", -ERANGE, 0},
	{"max-size", "18014398509481984K", -ERANGE, 0},
	{"max-size", "0.99999999999999999999999999G", 0, 1073741822},
	{"buffer-size", "1M", 0, 1 << 20},
	{"buffer-size", "512M", 0, 512 << 20},
	{"buffer-size", "513M", -ERANGE, 0},
	{"buffer-size", "0", -ERANGE, 0},
	{"delay", "2", 0, UINT64_C(2000000000)},
	{"delay", "0.5", 0, 500000000},
	{"delay", "1.5s", 0, 1500000000},
	{"delay", "200ms", 0, 200000000},
	{"delay", "7us", 0, 7000},
	{"delay", "9ns", 0, 9},
	{"delay", "5min", 0, UINT64_C(300000000000)},
	{"delay", "2h", 0, UINT64_C(7200000000000)},
	{"delay", "0.0000000019", 0, 1},
	{"delay", "inf", -EINVAL, 0},
	{"delay", "nan", -EINVAL, 0},
	{"delay", "-1", -EINVAL, 0},
	{"delay", "99999999999999", -ERANGE, 0},
	{"limit", "7", 0, 7},
	{"limit", "0", 0, 0},
	{"limit", "7.5", -EINVAL, 0},
	{"limit", "7K", -EINVAL, 0},
};

Test(options, numbers_are_read_exactly_or_refused)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct tw_option *option = row_of(values[i].option);
		struct tw_config config = fresh();
		uint64_t *field = (uint64_t *)((char *)&config + option->offset);
		uint64_t before = *field;
		int status = tw_option_set(option, &config, values[i].text);

		cr_assert_eq(status, values[i].status, "--%s '%s': %d", option->name,
			     values[i].text, status);
		cr_assert_eq(*field, status ? before : values[i].expected,
			     "--%s '%s': %lu", option->name, values[i].text, *field);
	}
}

struct signal_value {
	const char *text;
	int expected; /* < 0: the status */
};

Test(options, signals_are_read_by_name_and_number)
{
	const struct signal_value cases[] = {
		{"USR2", SIGUSR2},
		{"SIGUSR2", SIGUSR2},
		{"12", 12},
		{"SIGRTMIN", SIGRTMIN},
		{"RTMIN+3", SIGRTMIN + 3},
		{"SIGRTMAX-1", SIGRTMAX - 1},
		{"RTMIN-1", -EINVAL},
		{"RTMIN+99", -EINVAL},
		{"RTMIN+", -EINVAL},
		{"KILL", -ERANGE},
		{"9", -ERANGE},
		{"STOP", -ERANGE},
		{"SEGV", -ERANGE},
		{"33", -ERANGE}, /* the C library's own */
		{"0", -ERANGE},
		{"65", -ERANGE},
		{"usr2", -EINVAL},
		{"SIG", -EINVAL},
		{"", -EINVAL},
		{"12x", -EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_config config = fresh();
		int status = tw_option_set(row_of("signal"), &config, cases[i].text);
		bool is_good = cases[i].expected > 0;

		cr_assert_eq(status, is_good ? 0 : cases[i].expected, "'%s'",
			     cases[i].text);
		cr_assert_eq(config.toggle_signal, is_good ? cases[i].expected : 0,
			     "'%s'", cases[i].text);
	}
}

Test(options, every_signal_of_the_c_library_is_known)
{
	for (int i = 1; i < 32; i++) {
		struct tw_config config = fresh();
		char name[16];
		int status;

		cr_assert_not_null(sigabbrev_np(i));
		snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(i));
		status = tw_option_set(row_of("signal"), &config, name);
		cr_assert(status == -ERANGE || config.toggle_signal == i, "%s: %d",
			  name, status);
	}
}

Test(options, choices_take_their_words_and_no_others)
{
	static const char *const wrong[] = {"", "al", "alll", "ALL", "all|fork", "|"};
	struct tw_config config = fresh();

	cr_assert_eq(tw_option_set(row_of("follow"), &config, "none"), 0);
	cr_assert_eq(config.follow, TW_FOLLOW_NONE);
	cr_assert_eq(tw_option_set(row_of("follow"), &config, "fork"), 0);
	cr_assert_eq(config.follow, TW_FOLLOW_FORK);
	cr_assert_eq(tw_option_set(row_of("sort"), &config, "max"), 0);
	cr_assert_eq(config.sort, TW_SORT_MAX);
	cr_assert_eq(tw_option_set(row_of("by"), &config, "thread"), 0);
	cr_assert_eq(config.by, TW_BY_THREAD);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_eq(tw_option_set(row_of("follow"), &config, wrong[i]),
			     -EINVAL);
	cr_assert_eq(config.follow, TW_FOLLOW_FORK);
}

Test(options, outputs_add_up_to_their_bound)
{
	struct tw_config config = fresh();

	for (unsigned i = 0; i < TW_OUTPUTS_MAX; i++)
		cr_assert_eq(tw_option_set(row_of("output"), &config, "x.tw"), 0);
	cr_assert_eq(tw_option_set(row_of("output"), &config, "x.tw"), -ENOSPC);
	cr_assert_eq(config.n_outputs, TW_OUTPUTS_MAX);
}

/* criterion's environment is not ours: variables are given as a list. */
static const struct tw_option *read_list(struct tw_config *config, bool is_secure,
					 const char *const *list)
{
	static char scratch[64];

	tw_config_init(config);
	return tw_config_read_environment(config, (char *const *)list, TW_CMD_RUN,
					  is_secure, scratch, sizeof(scratch));
}

Test(options, variables_mirror_options)
{
	const char *const list[] = {"PATH=/bin",
				    "TRACEWRAP_MAX_SIZE=1G",
				    "TRACEWRAP_QUIET=1",
				    "TRACEWRAP_DROP=off",
				    "TRACEWRAP_WAIT=",
				    "TRACEWRAP_FORCE=FALSE",
				    "TRACEWRAP_DISABLED=0",
				    "TRACEWRAP_FOLLOW=",
				    "TRACEWRAP_OUTPUT=a.tw::b.json:",
				    "TRACEWRAP_MAX_SIZE=2G",
				    "TRACEWRAP_LIMIT=9",
				    "TRACEWRAP_HELP=1",
				    NULL};
	struct tw_config config;

	cr_assert_null(read_list(&config, false, list));
	cr_assert_eq(config.max_bytes, UINT64_C(1) << 30, "the first one counts");
	cr_assert(config.is_quiet);
	cr_assert_not(config.is_dropping);
	cr_assert_not(config.is_waiting);
	cr_assert_not(config.is_forced);
	cr_assert_not(config.is_disabled);
	cr_assert_eq(config.follow, TW_FOLLOW_ALL);
	cr_assert_eq(config.n_outputs, 2);
	cr_assert_str_eq(config.outputs[0], "a.tw");
	cr_assert_str_eq(config.outputs[1], "b.json");
	cr_assert_eq(config.limit, 0, "another command's option");
	cr_assert_not(config.is_help);
}

Test(options, wrong_variable_is_named_and_the_rest_is_read)
{
	const char *const list[] = {"TRACEWRAP_BUFFER_SIZE=lots", "TRACEWRAP_CLOCK=tsc",
				    NULL};
	struct tw_config config;
	const struct tw_option *wrong = read_list(&config, false, list);

	cr_assert_not_null(wrong);
	cr_assert_str_eq(wrong->name, "buffer-size");
	cr_assert_eq(config.buffer_bytes, UINT64_C(256) << 20);
	cr_assert_eq(config.clock, TW_CLOCK_TSC);
}

Test(options, output_list_longer_than_the_scratch_is_refused)
{
	const char *const list[] = {
		"TRACEWRAP_OUTPUT=0123456789012345678901234567890123456789"
		"012345678901234567890123456789.tw",
		NULL};
	struct tw_config config;
	const struct tw_option *wrong = read_list(&config, false, list);

	cr_assert_not_null(wrong);
	cr_assert_str_eq(wrong->name, "output");
	cr_assert_eq(config.n_outputs, 0);
}

Test(options, secure_programs_obey_only_harmless_variables)
{
	const char *const list[] = {"TRACEWRAP_OUTPUT=/etc/passwd",
				    "TRACEWRAP_FORCE=1",
				    "TRACEWRAP_LOG=/etc/shadow",
				    "TRACEWRAP_SIGNAL=TERM",
				    "TRACEWRAP_DROP=1",
				    NULL};
	struct tw_config config;

	cr_assert_null(read_list(&config, true, list));
	cr_assert_eq(config.n_outputs, 0);
	cr_assert_not(config.is_forced);
	cr_assert_null(config.log);
	cr_assert_eq(config.toggle_signal, 0);
	cr_assert(config.is_dropping);
}

Test(options, variable_names_are_cut_to_the_buffer)
{
	char name[8];

	cr_assert_eq(tw_option_variable(row_of("max-size"), name, sizeof(name)), 7);
	cr_assert_str_eq(name, "TRACEWR");
}

/* Parses words as a command line, with stderr out of the way. */
static int parse(struct tw_arguments *out, char *const *environment, char **words)
{
	static char *line[16]; /* outlives the words: operands point into it */
	int argc = 0, status, saved = dup(STDERR_FILENO);
	int null = open("/dev/null", O_WRONLY);

	for (; words[argc]; argc++)
		line[argc] = words[argc];
	line[argc] = NULL;
	dup2(null, STDERR_FILENO);
	status = tw_arguments_parse(argc, line, environment, out);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return status;
}

#define WORDS(...) ((char *[]){(char *)"tracewrap", __VA_ARGS__, NULL})
#define W(text)	   ((char *)(text))

static char *no_environment[] = {NULL};

Test(options, program_keeps_its_own_options)
{
	struct tw_arguments a;

	cr_assert_eq(parse(&a, no_environment,
			   WORDS(W("-q"), W("ls"), W("-q"), W("--json"), W("--"))),
		     0);
	cr_assert_str_eq(a.command->name, "run");
	cr_assert(a.config.is_quiet);
	cr_assert_eq(a.n_operands, 4);
	cr_assert_str_eq(a.operands[0], "ls");
	cr_assert_str_eq(a.operands[1], "-q");
	cr_assert_str_eq(a.operands[3], "--");
	cr_assert_null(a.operands[4]);
}

Test(options, command_name_as_first_operand_wins)
{
	struct tw_arguments a;

	cr_assert_eq(parse(&a, no_environment,
			   WORDS(W("report"), W("x.tw"), W("--sort"), W("self"))),
		     0);
	cr_assert_str_eq(a.command->name, "report");
	cr_assert_eq(a.config.sort, TW_SORT_SELF);
	cr_assert_eq(a.n_operands, 1);
	cr_assert_str_eq(a.operands[0], "x.tw");
	/* options may come before it, and a value is no operand */
	cr_assert_eq(parse(&a, no_environment,
			   WORDS(W("--limit"), W("5"), W("report"), W("x.tw"))),
		     0);
	cr_assert_str_eq(a.command->name, "report");
	cr_assert_eq(a.config.limit, 5);
	cr_assert_eq(parse(&a, no_environment, WORDS(W("-o"), W("report"), W("ls"))),
		     0);
	cr_assert_str_eq(a.command->name, "run");
	cr_assert_str_eq(a.config.outputs[0], "report");
}

Test(options, two_dashes_make_a_command_name_a_program)
{
	struct tw_arguments a;

	cr_assert_eq(parse(&a, no_environment, WORDS(W("--"), W("report"), W("x"))), 0);
	cr_assert_str_eq(a.command->name, "run");
	cr_assert_eq(a.n_operands, 2);
	cr_assert_str_eq(a.operands[0], "report");
	/* ... but not when they are the value of an option */
	cr_assert_eq(parse(&a, no_environment, WORDS(W("-o"), W("--"), W("export"))),
		     0);
	cr_assert_str_eq(a.command->name, "export");
}

Test(options, doctor_leaves_the_program_its_options)
{
	struct tw_arguments a;

	cr_assert_eq(parse(&a, no_environment,
			   WORDS(W("doctor"), W("--json"), W("--"), W("ls"), W("-j"))),
		     0);
	cr_assert_str_eq(a.command->name, "doctor");
	cr_assert(a.config.is_json);
	cr_assert_eq(a.n_operands, 2);
	cr_assert_str_eq(a.operands[1], "-j");
}

Test(options, command_line_wins_over_variables)
{
	char *environment[] = {W("TRACEWRAP_OUTPUT=a.tw:b.tw"),
			       W("TRACEWRAP_MAX_SIZE=1G"), W("TRACEWRAP_FOLLOW=none"),
			       NULL};
	struct tw_arguments a;

	cr_assert_eq(
		parse(&a, environment, WORDS(W("-oc.tw"), W("--max-size=2G"), W("ls"))),
		0);
	cr_assert_eq(a.config.n_outputs, 1);
	cr_assert_str_eq(a.config.outputs[0], "c.tw");
	cr_assert_eq(a.config.max_bytes, UINT64_C(2) << 30);
	cr_assert_eq(a.config.follow, TW_FOLLOW_NONE);
	cr_assert_eq(parse(&a, environment, WORDS(W("ls"))), 0);
	cr_assert_eq(a.config.n_outputs, 2);
	/* export's outputs are never taken from a variable meant for recording */
	cr_assert_eq(parse(&a, environment, WORDS(W("export"), W("a.tw"))), 0);
	cr_assert_eq(a.config.n_outputs, 0);
}

Test(options, wrong_usage_exits_125)
{
	char *wrong_environment[] = {W("TRACEWRAP_DELAY=soon"), NULL};
	char **lines[] = {
		WORDS(W("--bogus"), W("ls")),
		WORDS(W("-Z"), W("ls")),
		WORDS(W("--max-size")),
		WORDS(W("--max-size"), W("x"), W("ls")),
		WORDS(W("-b")),
		WORDS(W("--quiet=1"), W("ls")),
		WORDS(W("--d"), W("1"), W("ls")), /* delay, drop, ... */
		WORDS(W("--sort"), W("self"), W("ls")),
		WORDS(W("report"), W("--drop"), W("x.tw")),
		WORDS(W("--drop"), W("report"), W("x.tw")),
		WORDS(W("-o"), W(""), W("ls")),
	};
	struct tw_arguments a;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		cr_assert_eq(parse(&a, no_environment, lines[i]), TW_EXIT_FAULT,
			     "line %zu", i);
	cr_assert_eq(parse(&a, wrong_environment, WORDS(W("ls"))), TW_EXIT_FAULT);
	cr_assert_eq(parse(&a, wrong_environment, WORDS(W("--help"))), 0);
	cr_assert(a.config.is_help);
}

Test(options, names_of_later_releases_are_known_and_do_nothing)
{
	static const char *const names[] = {"capture", "csvexport", "diff", "merge"};
	struct tw_arguments a;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert_eq(parse(&a, no_environment,
				   WORDS(W(names[i]), W("--whatever"), W("x"))),
			     0);
		cr_assert_str_eq(a.command->name, names[i]);
		cr_assert_null(a.command->run);
	}
}

Test(options, accepted_values_are_described)
{
	char text[256];

	tw_option_accepts(row_of("buffer-size"), text, sizeof(text));
	cr_assert_not_null(strstr(text, "at least 1M"));
	cr_assert_not_null(strstr(text, "at most 512M"));
	tw_option_accepts(row_of("max-size"), text, sizeof(text));
	cr_assert_not_null(strstr(text, "0 = no cap"));
	tw_option_accepts(row_of("follow"), text, sizeof(text));
	cr_assert_not_null(strstr(text, "all|fork|none"));
	tw_option_bounds(row_of("max-size"), text, sizeof(text));
	cr_assert_str_eq(text, "default 4G, at least 64K, 0 = no cap");
	tw_option_bounds(row_of("quiet"), text, sizeof(text));
	cr_assert_str_eq(text, "");
}

static const struct tw_option *row(const char *name)
{
	for (size_t i = 0; i < tw_n_options; i++)
		if (strcmp(tw_options[i].name, name) == 0)
			return &tw_options[i];
	return NULL;
}

Test(options, a_port_is_a_number_or_auto)
{
	struct tw_config config = fresh();

	cr_assert_eq(config.port, TW_PORT_ANY);
	cr_assert_eq(tw_option_set(row("port"), &config, "65535"), 0);
	cr_assert_eq(config.port, 65535);
	cr_assert_eq(tw_option_set(row("port"), &config, "65536"), -ERANGE);
	cr_assert_eq(tw_option_set(row("port"), &config, "http"), -EINVAL);
	cr_assert_eq(config.port, 65535);
	cr_assert_eq(tw_option_set(row("port"), &config, "0"), 0);
	cr_assert_eq(config.port, 0);
	cr_assert_eq(tw_option_set(row("port"), &config, "auto"), 0);
	cr_assert_eq(config.port, TW_PORT_ANY);
}

Test(options, lists_of_numbers_are_read_whole_or_refused)
{
	const struct tw_option *option = row("tracy-announce");
	struct tw_config config = fresh();

	cr_assert_eq(config.announced.n, 0);
	cr_assert_eq(tw_option_set(option, &config, "66,72"), 0);
	cr_assert_eq(config.announced.n, 2);
	cr_assert(config.announced.at[0] == 66 && config.announced.at[1] == 72);
	cr_assert_eq(tw_option_set(option, &config, ""), -EINVAL);
	cr_assert_eq(tw_option_set(option, &config, "66,"), -EINVAL);
	cr_assert_eq(tw_option_set(option, &config, "66x"), -EINVAL);
	cr_assert_eq(tw_option_set(option, &config, "1234567890"), -EINVAL);
	cr_assert_eq(tw_option_set(option, &config, "1,2,3,4,5,6,7,8,9"), -ENOSPC);
	cr_assert_eq(config.announced.n, 2);
	cr_assert_eq(tw_option_set(option, &config, "63"), 0);
	cr_assert(config.announced.n == 1 && config.announced.at[0] == 63);
}

Test(options, tracy_variables_serve_where_ours_are_not_set)
{
	char *theirs[] = {(char *)"TRACY_PORT=9000", (char *)"TRACY_NO_EXIT=1", NULL};
	char *both[] = {(char *)"TRACY_PORT=9000", (char *)"TRACEWRAP_PORT=9001",
			(char *)"TRACY_NO_EXIT=0", NULL};
	struct tw_config config = fresh();
	char scratch[64];

	cr_assert_null(tw_config_read_environment(&config, theirs, TW_CMD_RUN, false,
						  scratch, sizeof(scratch)));
	cr_assert_eq(config.port, 9000);
	cr_assert(config.is_staying);
	config = fresh();
	cr_assert_null(tw_config_read_environment(&config, both, TW_CMD_RUN, false,
						  scratch, sizeof(scratch)));
	cr_assert_eq(config.port, 9001);
	cr_assert_not(config.is_staying);
}

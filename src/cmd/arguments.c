/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command-line reading: getopt_long with rows made from the option table. Main thread.
 */
#include "cmd/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 64
#define ROW_BASE    256 /* getopt values of long options: above every letter */

/* What getopt_long wants to be given for a set of commands. */
struct getopt_tables {
	struct option longs[OPTIONS_MAX + 1];
	char letters[3 * OPTIONS_MAX];
};

/* TRACEWRAP_OUTPUT is cut into names here; the config points into it until the end. */
static char output_names[16384];

/* Appends at the end of a text that is already in buffer. */
static void append(char *buffer, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *buffer, size_t bytes, const char *format, ...)
{
	size_t n = strlen(buffer);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer + n, bytes - n, format, arguments);
	va_end(arguments);
}

static void append_number(const struct tw_option *option, uint64_t v, char *buffer,
			  size_t bytes)
{
	static const char units[] = "KMGT";
	int unit = -1;

	while (option->type == TW_OPTION_BYTES && v && v % 1024 == 0 && unit < 3) {
		v /= 1024;
		unit++;
	}
	append(buffer, bytes, "%" PRIu64, v);
	if (unit >= 0)
		append(buffer, bytes, "%c", units[unit]);
}

static void append_limits(const struct tw_option *option, char *buffer, size_t bytes)
{
	if (option->at_least) {
		append(buffer, bytes, "%sat least ", *buffer ? ", " : "");
		append_number(option, option->at_least, buffer, bytes);
	}
	if (option->at_most) {
		append(buffer, bytes, "%sat most ", *buffer ? ", " : "");
		append_number(option, option->at_most, buffer, bytes);
	}
	if (option->zero)
		append(buffer, bytes, "%s0 = %s", *buffer ? ", " : "", option->zero);
}

void tw_option_bounds(const struct tw_option *option, char *buffer, size_t bytes)
{
	buffer[0] = '\0';
	if (option->initial)
		append(buffer, bytes, "default %s", option->initial);
	append_limits(option, buffer, bytes);
}

void tw_option_accepts(const struct tw_option *option, char *buffer, size_t bytes)
{
	static const char *const kinds[] = {
		[TW_OPTION_FLAG] = "no value",
		[TW_OPTION_TEXT] = "a text that is not empty",
		[TW_OPTION_OUTPUT] = "a file name that is not empty",
		[TW_OPTION_PATTERN] =
			"LIB:GLOB such as 'libssl*:SSL_*', several with commas",
		[TW_OPTION_BYTES] = "a size such as 64K, 16M or 4G",
		[TW_OPTION_SECONDS] = "seconds such as 2, 0.5, 200ms or 5min",
		[TW_OPTION_COUNT_OF] = "a whole number",
		[TW_OPTION_PORT] = "auto or a port from 1 to 65535",
		[TW_OPTION_NUMBERS] = "at most 8 numbers, such as 66,72",
		[TW_OPTION_CHOICE] = "one of ",
		[TW_OPTION_SIGNAL] =
			"a signal such as USR2, SIGRTMIN+3 or 12, and not one "
			"that stops, kills or reports a fault",
	};

	buffer[0] = '\0';
	append(buffer, bytes, "%s", kinds[option->type]);
	if (option->type == TW_OPTION_CHOICE)
		append(buffer, bytes, "%s", option->choices);
	append_limits(option, buffer, bytes);
}

/* `name` is how the user wrote the option: "--max-size" or "TRACEWRAP_MAX_SIZE". */
static int complain_value(const struct tw_option *option, const char *name,
			  const char *value, int error)
{
	char accepted[256];

	if (error == -ENOSPC && option->type == TW_OPTION_PATTERN) {
		tw_complain("%s '%.40s': too many patterns; at most %d, and %u bytes, "
			    "in one run; --hooks-from takes longer lists",
			    name, value, TW_PATTERNS_MAX, TW_PATTERNS_BYTES);
		return TW_EXIT_FAULT;
	}
	if (error == -ENOSPC) {
		tw_complain("%s '%s': too many outputs; at most %d in one run", name,
			    value, TW_OUTPUTS_MAX);
		return TW_EXIT_FAULT;
	}
	tw_option_accepts(option, accepted, sizeof(accepted));
	tw_complain("%s '%s' is not accepted; give %s", name, value, accepted);
	return TW_EXIT_FAULT;
}

static bool has_name(const struct getopt_tables *tables, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(tables->longs[i].name, name) == 0)
			return true;
	}
	return false;
}

static void fill_tables(struct getopt_tables *tables, unsigned commands,
			bool ends_at_operand)
{
	char *letter = tables->letters;
	size_t n = 0;

	if (ends_at_operand)
		*letter++ = '+';
	*letter++ = ':'; /* a missing value is ':', and nothing is printed */
	for (size_t i = 0; i < tw_n_options && n < OPTIONS_MAX; i++) {
		const struct tw_option *option = &tw_options[i];
		bool has_value = option->type != TW_OPTION_FLAG;

		/* A name that means different things to two commands has two rows. */
		if (!(option->commands & commands) || has_name(tables, n, option->name))
			continue;
		tables->longs[n++] = (struct option){
			.name = option->name,
			.has_arg = has_value ? required_argument : no_argument,
			.val = ROW_BASE + (int)i,
		};
		if (option->letter) {
			*letter++ = option->letter;
			if (has_value)
				*letter++ = ':';
		}
	}
	tables->longs[n] = (struct option){0};
	*letter = '\0';
}

static const struct tw_option *find_row(int value, unsigned commands)
{
	if (value >= ROW_BASE)
		return &tw_options[value - ROW_BASE];
	for (size_t i = 0; i < tw_n_options; i++) {
		if (tw_options[i].letter == value &&
		    (tw_options[i].commands & commands))
			return &tw_options[i];
	}
	return NULL;
}

/*
 * Index of the first operand when every option of every command is known, so that
 * `tracewrap -o a.tw report` finds "report". Sets *is_explicit when `--` stands before
 * it.
 */
static int find_operand(int argc, char **argv, bool *is_explicit)
{
	struct getopt_tables tables;
	int last, value;

	fill_tables(&tables, TW_CMD_ALL, true);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	do {
		last = optind ? optind : 1;
		value = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
	} while (value != -1 && value != '?' && value != ':');
	/* `--` is skipped without being returned. */
	*is_explicit = value == -1 && optind > last;
	return optind;
}

/* Takes argv[at] out, so that options before and after a command's name are one list.
 */
static void remove_word(char **argv, int at)
{
	for (int i = at; argv[i]; i++)
		argv[i] = argv[i + 1];
}

static int complain_option(const struct tw_command *command, int value, char **argv)
{
	const struct tw_option *row = optopt ? find_row(optopt, command->bit) : NULL;
	const char *text = argv[optind - 1];
	const char letter[3] = {'-', (char)optopt, '\0'};
	char name[32];

	tw_command_title(command, name, sizeof(name));
	if (optopt && optopt < ROW_BASE)
		text = letter;
	if (value == ':')
		tw_complain("option '%s' needs a value: %s; see %s --help", text,
			    row && row->argument ? row->argument : row->choices, name);
	else if (optopt >= ROW_BASE)
		tw_complain("option '%s' takes no value; see %s --help", text, name);
	else
		tw_complain("'%s' is no option of %s; see %s --help", text, name, name);
	return TW_EXIT_FAULT;
}

/* Lists of the environment are a default, not a beginning. */
static void forget_list(const struct tw_option *row, struct tw_config *config)
{
	if (row->type == TW_OPTION_OUTPUT)
		config->n_outputs = 0;
	if (row->type == TW_OPTION_PATTERN)
		((struct tw_patterns *)((char *)config + row->offset))->n = 0;
}

static int read_options(int argc, char **argv, struct tw_arguments *out)
{
	const struct tw_command *command = out->command;
	struct getopt_tables tables;
	bool is_given[OPTIONS_MAX] = {false};
	int value;

	fill_tables(&tables, command->bit, command->ends_at_operand);
	opterr = 0;
	optind = 0;
	while ((value = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) !=
	       -1) {
		const struct tw_option *row;
		char name[TW_VARIABLE_MAX];
		int error;

		if (value == '?' || value == ':')
			return complain_option(command, value, argv);
		row = find_row(value, command->bit);
		if (!is_given[row - tw_options])
			forget_list(row, &out->config);
		is_given[row - tw_options] = true;
		error = tw_option_set(row, &out->config, optarg);
		if (error) {
			snprintf(name, sizeof(name), "--%s", row->name);
			return complain_value(row, name, optarg, error);
		}
	}
	out->operands = argv + optind;
	out->n_operands = argc - optind;
	return 0;
}

static int complain_variable(const struct tw_option *wrong, char *const environment[])
{
	char name[TW_VARIABLE_MAX];
	const char *value;

	tw_option_variable(wrong, name, sizeof(name));
	value = tw_environment_find(environment, name);
	if (!value && wrong->alias) {
		value = tw_environment_find(environment, wrong->alias);
		return complain_value(wrong, wrong->alias, value ? value : "", -EINVAL);
	}
	return complain_value(wrong, name, value ? value : "",
			      wrong->type == TW_OPTION_OUTPUT ? -ENOSPC : -EINVAL);
}

/* Takes a command's name out of argv; without one the command is run. */
static const struct tw_command *take_command(int *argc, char **argv)
{
	const struct tw_command *command = NULL;
	bool is_explicit;
	int at = find_operand(*argc, argv, &is_explicit);

	if (at < *argc && !is_explicit)
		command = tw_command_find(argv[at]);
	if (!command)
		return tw_command_find("run");
	remove_word(argv, at);
	--*argc;
	return command;
}

int tw_arguments_parse(int argc, char **argv, char *const environment[],
		       struct tw_arguments *out)
{
	const struct tw_option *wrong;
	int status;

	memset(out, 0, sizeof(*out));
	out->command = take_command(&argc, argv);
	/* A name kept for later: whatever follows is not ours to judge. */
	if (!out->command->summary)
		return 0;
	tw_config_init(&out->config);
	wrong = tw_config_read_environment(&out->config, environment, out->command->bit,
					   false, output_names, sizeof(output_names));
	status = read_options(argc, argv, out);
	/* Somebody who asks for help is not told off about variables. */
	if (status || !wrong || out->config.is_help || out->config.is_version)
		return status;
	return complain_variable(wrong, environment);
}

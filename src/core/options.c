/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The option table and what turns text into settings. The command reads environment and
 * command line with it; the preload library reads the environment, in the constructor
 * of a stranger's process: so no malloc, no stdio, no locale, no state here.
 */
#include "core/options.h"

#include <errno.h>
#include <string.h>

#include "core/pattern.h"
#include "core/value.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

#define FIELD(name) .offset = offsetof(struct tw_config, name)

/* Rows stand in the order in which help prints them. */
/* clang-format off */
const struct tw_option tw_options[] = {
	{ "output", 'o', TW_CMD_RUN, TW_OPTION_OUTPUT, FIELD(outputs), .argument = "FILE",
	  .help = "write the trace to FILE; may be repeated; the ending chooses the form: "
		  ".tracy, .tw, .json or .csv (default PROGRAM.PID.tracy in the current folder)" },
	{ "output", 'o', TW_CMD_EXPORT, TW_OPTION_OUTPUT, FIELD(outputs), .argument = "FILE",
	  .has_no_variable = true,
	  .help = "write to FILE; may be repeated; the ending chooses the form: .tracy, "
		  ".json, .csv or .tw" },
	{ "force", 'f', TW_CMD_RUN | TW_CMD_EXPORT, TW_OPTION_FLAG, FIELD(is_forced),
	  .help = "replace output files that exist (default: refuse)" },
	{ "tracy-version", 0, TW_CMD_RUN | TW_CMD_EXPORT, TW_OPTION_CHOICE,
	  FIELD(tracy_version), .choices = "0.9|0.10|0.11|newest", .initial = "0.10",
	  .help = "oldest Tracy that opens a .tracy output; 0.10 opens in all up to 0.14 and "
		  "in Tenstorrent's, 0.11 in all later ones" },
	{ "tracy-compression", 0, TW_CMD_RUN | TW_CMD_EXPORT, TW_OPTION_CHOICE,
	  FIELD(tracy_compression), .choices = "lz4|zstd", .initial = "lz4",
	  .help = "how a .tracy output is packed; zstd is smaller and takes longer" },
	{ "trace", 't', TW_CMD_RUN, TW_OPTION_PATTERN, FIELD(traced), .argument = "LIB:GLOB",
	  .help = "record calls from one library or program into another: functions whose name "
		  "matches GLOB of libraries whose file name matches LIB; may be repeated; libc "
		  "and the loader only when named, as in 'libc.so.6:*' (default: none)" },
	{ "no-trace", 'T', TW_CMD_RUN, TW_OPTION_PATTERN, FIELD(untraced), .argument = "LIB:GLOB",
	  .help = "leave these out of what --trace matches; may be repeated (default: none)" },
	{ "hooks-from", 0, TW_CMD_RUN, TW_OPTION_TEXT, FIELD(hooks_from), .argument = "FILE",
	  .help = "record the calls that FILE lists, one LIB:FUNCTION a line as --list-hooks "
		  "writes them, and no others (default: what --trace says)" },
	{ "list-hooks", 0, TW_CMD_RUN, TW_OPTION_TEXT, FIELD(list_hooks), .argument = "FILE",
	  .help = "append each function that was hooked to FILE, one LIB:FUNCTION a line, to "
		  "be shortened and given to --hooks-from (default: no list)" },
	{ "quiet", 'q', TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_quiet), .is_safe = true,
	  .help = "print no summary at the end (default: at most 12 lines on stderr)" },
	{ "quiet", 'q', TW_CMD_EXPORT, TW_OPTION_FLAG, FIELD(is_quiet),
	  .has_no_variable = true,
	  .help = "do not say what was written (default: one line for each file)" },
	{ "drop", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_dropping), .is_safe = true,
	  .help = "lose events, and count them, when a ring is full (default: the thread "
		  "waits for the writer, and the wait is counted)" },
	{ "buffer-size", 'b', TW_CMD_RUN, TW_OPTION_BYTES, FIELD(buffer_bytes),
	  .argument = "SIZE", .initial = "256M", .at_least = MIB, .at_most = 512 * MIB,
	  .is_safe = true,
	  .help = "ring memory of the whole run, all processes together, at most SIZE: "
		  "memory is bounded in every mode" },
	{ "max-size", 'm', TW_CMD_RUN, TW_OPTION_BYTES, FIELD(max_bytes),
	  .argument = "SIZE", .initial = "4G", .zero = "no cap", .at_least = 64 * KIB,
	  .is_safe = true,
	  .help = "let the trace file grow to SIZE at most: the oldest whole blocks go "
		  "first, and the summary says how much went" },
	{ "follow", 0, TW_CMD_RUN, TW_OPTION_CHOICE, FIELD(follow),
	  .choices = "all|fork|none", .initial = "all", .is_safe = true,
	  .help = "record child processes too: all of them, only forks that stay in the "
		  "same program, or none" },
	{ "delay", 0, TW_CMD_RUN, TW_OPTION_SECONDS, FIELD(delay_ns), .argument = "SECONDS",
	  .initial = "0", .is_safe = true,
	  .help = "start recording SECONDS after the program has started" },
	{ "duration", 0, TW_CMD_RUN, TW_OPTION_SECONDS, FIELD(duration_ns),
	  .argument = "SECONDS", .initial = "0", .zero = "to the end", .is_safe = true,
	  .help = "stop recording after SECONDS; the program goes on" },
	{ "disabled", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_disabled), .is_safe = true,
	  .help = "record nothing until `tracewrap ctl PID start` or the signal of --signal "
		  "(default: record from the start)" },
	{ "signal", 0, TW_CMD_RUN, TW_OPTION_SIGNAL, FIELD(toggle_signal), .argument = "SIG",
	  .help = "SIG sent to the program or to tracewrap starts and stops recording: USR2, "
		  "SIGRTMIN+3, 12 "
		  "(default: no signal is touched)" },
	{ "clock", 0, TW_CMD_RUN, TW_OPTION_CHOICE, FIELD(clock),
	  .choices = "auto|tsc|monotonic", .initial = "auto", .is_safe = true,
	  .help = "clock of the timestamps; auto takes the processor's counter (tsc) where "
		  "it is steady, else CLOCK_MONOTONIC_RAW" },
	{ "wait", 'w', TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_waiting), .is_safe = true,
	  .help = "stay until the last traced process has ended, daemons included (default: "
		  "end with the program that was started)" },
	{ "log", 0, TW_CMD_RUN, TW_OPTION_TEXT, FIELD(log), .argument = "1|2|FILE",
	  .help = "say what tracewrap does inside the program: 1 = what went wrong, 2 = every "
		  "step, to stderr or to FILE (default: silent)" },
	{ "port", 'p', TW_CMD_RUN, TW_OPTION_PORT, FIELD(port), .argument = "PORT",
	  .initial = "auto", .zero = "none", .is_safe = true, .alias = "TRACY_PORT",
	  .help = "wait for a Tracy viewer on PORT; auto takes the first free one of 8086 to "
		  "8105, or goes without" },
	{ "listen-all", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_listening_widely),
	  .help = "let viewers of other machines in, and tell them on the network that we are "
		  "here (default: only this machine)" },
	{ "tracy-announce", 0, TW_CMD_RUN, TW_OPTION_NUMBERS, FIELD(announced),
	  .argument = "PROTOCOLS",
	  .help = "be listed by viewers of these Tracy protocols too (66,72), on a port each; "
		  "a viewer that is told a port needs no list (default: by those of the newest)" },
	{ "tracy-fork", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_for_fork),
	  .help = "viewers are of Tenstorrent's fork of Tracy: send device zones in its form "
		  "(default: as upstream does; the two look the same until it is too late)" },
	{ "no-exit", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_staying),
	  .alias = "TRACY_NO_EXIT",
	  .help = "stay after the program's end until a viewer has come and seen the run "
		  "(default: wait only for one that is there)" },
	{ "no-python", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_python_off), .is_safe = true,
	  .help = "leave Python functions out (default: every call is a zone)" },
	{ "python-c", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(has_python_c), .is_safe = true,
	  .help = "record C functions that Python code calls too: builtins and those of extension "
		  "modules (default: only Python functions)" },
	{ "python-sub", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(has_python_sub), .is_safe = true,
	  .help = "record sub-interpreters of CPython 3.8 and later too; each audited operation "
		  "costs 20 ns more then (default: only the main interpreter)" },
	{ "python-include", 0, TW_CMD_RUN, TW_OPTION_TEXT, FIELD(python_include),
	  .argument = "GLOBS",
	  .help = "record only Python functions whose module, file or qualified name matches one "
		  "of the patterns, separated by commas: 'app.*,*/lib/*.py,Model.forward' "
		  "(default: all)" },
	{ "python-exclude", 0, TW_CMD_RUN, TW_OPTION_TEXT, FIELD(python_exclude),
	  .argument = "GLOBS",
	  .help = "leave out Python functions whose module, file or qualified name matches one "
		  "of the patterns; what they call stays (default: none)" },
	{ "mine", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_mine), .is_safe = true,
	  .help = "leave out Python functions of the standard library and of installed "
		  "packages; what they call stays (default: all are recorded)" },
	{ "override-tracy", 0, TW_CMD_RUN, TW_OPTION_FLAG, FIELD(is_overriding), .is_safe = true,
	  .help = "`import tracy` and `import tracy_client` mean ours even where real ones are "
		  "installed (default: ours only where there are none)" },
	{ "python-hook", 0, TW_CMD_RUN, TW_OPTION_CHOICE, FIELD(python_hook),
	  .choices = "auto|eval|monitor|profile", .initial = "auto", .is_safe = true,
	  .help = "how Python calls are caught: frame evaluation (CPython 3.6 to 3.11), "
		  "sys.monitoring (3.12 and later) or the profile function (all, slower, sees "
		  "less); auto takes the first that works" },
	{ "python-fast", 0, TW_CMD_RUN, TW_OPTION_CHOICE, FIELD(python_fast),
	  .choices = "auto|on|off", .initial = "auto", .is_safe = true,
	  .help = "take the short way inside CPython 3.12 and later, on x86-64, once every check of "
		  "it has passed: always, never, or for versions that tracewrap's own tests have "
		  "run on" },
	{ "json", 'j', TW_CMD_REPORT | TW_CMD_DOCTOR, TW_OPTION_FLAG, FIELD(is_json), .has_no_variable = true,
	  .help = "print JSON (default: a table for people)" },
	{ "csv", 'c', TW_CMD_REPORT, TW_OPTION_FLAG, FIELD(is_csv), .has_no_variable = true,
	  .help = "print comma-separated values (default: a table for people)" },
	{ "by", 0, TW_CMD_REPORT, TW_OPTION_CHOICE, FIELD(by),
	  .choices = "none|process|thread", .initial = "none", .has_no_variable = true,
	  .help = "one table for each process or each thread" },
	{ "sort", 's', TW_CMD_REPORT, TW_OPTION_CHOICE, FIELD(sort),
	  .choices = "total|self|count|mean|max", .initial = "total", .has_no_variable = true,
	  .help = "column that orders the rows, highest first" },
	{ "limit", 'n', TW_CMD_REPORT, TW_OPTION_COUNT_OF, FIELD(limit), .argument = "N",
	  .has_no_variable = true,
	  .help = "print at most N rows of each table (default: 20 in a table for people, "
		  "all in JSON and CSV)" },
	{ "help", 'h', TW_CMD_ALL, TW_OPTION_FLAG, FIELD(is_help), .has_no_variable = true,
	  .help = "print this help and exit" },
	{ "version", 'V', TW_CMD_ALL, TW_OPTION_FLAG, FIELD(is_version),
	  .has_no_variable = true,
	  .help = "print the version and exit" },
};

const size_t tw_n_options = sizeof(tw_options) / sizeof(tw_options[0]);

/* clang-format on */

static int set_number(const struct tw_option *option,
		      int (*read)(const char *, uint64_t *), const char *text,
		      uint64_t *field)
{
	uint64_t v;
	int error = read(text, &v);

	if (error)
		return error;
	if (!(v == 0 && option->zero) &&
	    (v < option->at_least || (option->at_most && v > option->at_most)))
		return -ERANGE;
	*field = v;
	return 0;
}

static int set_port(const char *text, int *field)
{
	uint64_t v;
	int error;

	if (strcmp(text, "auto") == 0) {
		*field = TW_PORT_ANY;
		return 0;
	}
	error = tw_value_count(text, &v);
	if (!error && v > 65535)
		error = -ERANGE;
	if (!error)
		*field = (int)v;
	return error;
}

/* "66,72": replaces what was there. */
static int set_numbers(const char *text, struct tw_numbers *field)
{
	struct tw_numbers numbers = {0};

	do {
		uint32_t v = 0;
		unsigned digits = 0;

		for (; *text >= '0' && *text <= '9' && digits < 9; text++, digits++)
			v = v * 10 + (uint32_t)(*text - '0');
		if (!digits || (*text && *text != ','))
			return -EINVAL;
		if (numbers.n == TW_NUMBERS_MAX)
			return -ENOSPC;
		numbers.at[numbers.n++] = v;
	} while (*text++);
	*field = numbers;
	return 0;
}

static int add_output(struct tw_config *config, const char *text)
{
	if (!*text)
		return -EINVAL;
	if (config->n_outputs >= TW_OUTPUTS_MAX)
		return -ENOSPC;
	config->outputs[config->n_outputs++] = text;
	return 0;
}

static int add_pattern(struct tw_patterns *patterns, const char *text)
{
	size_t bytes = strlen(text) + 1;

	if (!tw_pattern_is_valid(text))
		return -EINVAL;
	for (unsigned i = 0; i < patterns->n; i++)
		bytes += strlen(patterns->items[i]) + 1;
	if (patterns->n >= TW_PATTERNS_MAX || bytes > TW_PATTERNS_BYTES)
		return -ENOSPC;
	patterns->items[patterns->n++] = text;
	return 0;
}

int tw_option_set(const struct tw_option *option, struct tw_config *config,
		  const char *text)
{
	char *field = (char *)config + option->offset;
	int choice;

	if (option->type == TW_OPTION_FLAG) {
		*(bool *)field = true;
		return 0;
	}
	if (!text)
		return -EINVAL;
	switch (option->type) {
	case TW_OPTION_TEXT:
		if (!*text)
			return -EINVAL;
		*(const char **)field = text;
		return 0;
	case TW_OPTION_OUTPUT:
		return add_output(config, text);
	case TW_OPTION_PATTERN:
		return add_pattern((struct tw_patterns *)field, text);
	case TW_OPTION_BYTES:
		return set_number(option, tw_value_bytes, text, (uint64_t *)field);
	case TW_OPTION_SECONDS:
		return set_number(option, tw_value_seconds, text, (uint64_t *)field);
	case TW_OPTION_COUNT_OF:
		return set_number(option, tw_value_count, text, (uint64_t *)field);
	case TW_OPTION_SIGNAL:
		return tw_value_signal(text, (int *)field);
	case TW_OPTION_PORT:
		return set_port(text, (int *)field);
	case TW_OPTION_NUMBERS:
		return set_numbers(text, (struct tw_numbers *)field);
	case TW_OPTION_CHOICE:
		choice = tw_value_choice(option->choices, text);
		if (choice < 0)
			return choice;
		*(int *)field = choice;
		return 0;
	case TW_OPTION_FLAG:
		break;
	}
	return -EINVAL;
}

/* Choices are stored through an int; this holds where it is true. */
_Static_assert(sizeof(enum tw_follow) == sizeof(int) &&
		       sizeof(enum tw_by) == sizeof(int),
	       "enums are ints");

void tw_config_init(struct tw_config *config)
{
	memset(config, 0, sizeof(*config));
	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];

		/* A default that its own row refuses stays zero; a unit test looks. */
		if (option->initial && tw_option_set(option, config, option->initial))
			continue;
	}
}

size_t tw_option_variable(const struct tw_option *option, char *buffer, size_t bytes)
{
	static const char prefix[] = "TRACEWRAP_";
	size_t n = 0;

	if (!bytes)
		return 0;
	for (const char *p = prefix; *p && n + 1 < bytes; p++)
		buffer[n++] = *p;
	for (const char *p = option->name; *p && n + 1 < bytes; p++)
		buffer[n++] = *p == '-' ? '_' : tw_value_upper(*p);
	buffer[n] = '\0';
	return n;
}

const char *tw_environment_find(char *const environment[], const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; environment && environment[i]; i++) {
		if (strncmp(environment[i], name, length) == 0 &&
		    environment[i][length] == '=')
			return environment[i] + length + 1;
	}
	return NULL;
}

/* "a.tw:b.json": cuts a copy at the colons; empty names are skipped. */
static int read_outputs(struct tw_config *config, const char *text, char *scratch,
			size_t scratch_bytes)
{
	size_t length = strlen(text);

	if (length >= scratch_bytes)
		return -ENOSPC;
	memcpy(scratch, text, length + 1);
	for (char *p = scratch; *p;) {
		size_t word = strcspn(p, ":");
		bool is_last = !p[word];

		p[word] = '\0';
		if (word) {
			int error = add_output(config, p);

			if (error)
				return error;
		}
		p += word + !is_last;
	}
	return 0;
}

const struct tw_option *tw_config_read_environment(struct tw_config *config,
						   char *const environment[],
						   unsigned commands, bool is_secure,
						   char *scratch, size_t scratch_bytes)
{
	const struct tw_option *wrong = NULL;

	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];
		char name[TW_VARIABLE_MAX];
		const char *text;
		int error;

		if (!(option->commands & commands) || option->has_no_variable ||
		    (is_secure && !option->is_safe))
			continue;
		tw_option_variable(option, name, sizeof(name));
		text = tw_environment_find(environment, name);
		if (!text && option->alias)
			text = tw_environment_find(environment, option->alias);
		if (!text ||
		    (option->type == TW_OPTION_FLAG ? tw_value_is_off(text) : !*text))
			continue;
		if (option->type == TW_OPTION_OUTPUT)
			error = read_outputs(config, text, scratch, scratch_bytes);
		else
			error = tw_option_set(option, config, text);
		if (error && !wrong)
			wrong = option;
	}
	return wrong;
}

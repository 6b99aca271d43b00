/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One table of every option: it feeds getopt_long, TRACEWRAP_* variables, --help, the
 * man pages and the shell completion. Used by the command (all of it) and by the
 * preload library (environment only: no malloc, no stdio on that way).
 *
 * To add an option: a field in struct tw_config, a row in options.c.
 */
#ifndef TW_OPTIONS_H
#define TW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_OUTPUTS_MAX	  16
#define TW_PORT_ANY	  (-1)
#define TW_NUMBERS_MAX	  8
/* -t and -T: how many, and how much text of each kind */
#define TW_PATTERNS_MAX	  64
#define TW_PATTERNS_BYTES 4096u

enum tw_follow { TW_FOLLOW_ALL, TW_FOLLOW_FORK, TW_FOLLOW_NONE };
enum tw_clock_choice { TW_CLOCK_AUTO, TW_CLOCK_TSC, TW_CLOCK_MONOTONIC };
/* Tracy file versions in the order of --tracy-version's words. */
enum tw_tracy_version {
	TW_TRACY_0_9,
	TW_TRACY_0_10,
	TW_TRACY_0_11,
	TW_TRACY_NEWEST,
	TW_TRACY_VERSION_COUNT
};
enum tw_tracy_compression { TW_TRACY_LZ4, TW_TRACY_ZSTD };
enum tw_python_fast { TW_PYTHON_FAST_AUTO, TW_PYTHON_FAST_ON, TW_PYTHON_FAST_OFF };
/* How Python calls are caught; auto = what suits the version best. */
enum tw_python_hook {
	TW_PYTHON_HOOK_AUTO,
	TW_PYTHON_HOOK_EVAL,
	TW_PYTHON_HOOK_MONITOR,
	TW_PYTHON_HOOK_PROFILE,
	TW_PYTHON_HOOK_NONE, /* no choice: what --no-python comes to */
};
enum tw_by { TW_BY_NONE, TW_BY_PROCESS, TW_BY_THREAD };
enum tw_sort { TW_SORT_TOTAL, TW_SORT_SELF, TW_SORT_COUNT, TW_SORT_MEAN, TW_SORT_MAX };

struct tw_numbers {
	uint32_t n;
	uint32_t at[TW_NUMBERS_MAX];
};

/* A repeatable LIB:GLOB[,LIB:GLOB]... */
struct tw_patterns {
	const char *items[TW_PATTERNS_MAX];
	unsigned n;
};

/* Everything a user can choose. Strings point into argv or the environment. */
struct tw_config {
	/* recording */
	const char *outputs[TW_OUTPUTS_MAX];
	unsigned n_outputs;
	bool is_forced;	  /* --force: overwrite outputs */
	bool is_quiet;	  /* --quiet */
	bool is_dropping; /* --drop: lose events instead of waiting for the pump */
	bool is_disabled; /* --disabled: record nothing until told to start */
	bool is_waiting;  /* --wait: stay until the last traced process has ended */
	uint64_t buffer_bytes; /* --buffer-size: ring memory of a run, at most */
	uint64_t max_bytes;    /* --max-size: size of the spool, at most; 0 = no cap */
	uint64_t delay_ns;     /* --delay */
	uint64_t duration_ns;  /* --duration; 0 = to the end */
	int toggle_signal;     /* --signal: starts and stops recording; 0 = none */
	enum tw_follow follow;
	enum tw_clock_choice clock;
	const char *log; /* --log: "1", "2" or a file; NULL = silent */
	int port; /* --port: of the live view; TW_PORT_ANY = the first free one */
	bool is_listening_widely; /* --listen-all: on all interfaces */
	bool is_for_fork;	  /* --tracy-fork */
	struct tw_numbers
		announced; /* --tracy-announce: protocols, beside the newest */
	bool is_staying;   /* --no-exit: stay until a viewer has seen the run */
	/* Python */
	bool is_python_off;  /* --no-python */
	bool has_python_c;   /* --python-c: C functions that Python calls too */
	bool has_python_sub; /* --python-sub: sub-interpreters too */
	bool is_overriding;  /* --override-tracy */
	bool is_mine;	     /* --mine: not the standard library, not packages */
	enum tw_python_hook python_hook;
	enum tw_python_fast python_fast; /* --python-fast: the accelerator */
	const char *python_include;	 /* patterns separated by commas; NULL = all */
	const char *python_exclude;
	struct tw_patterns traced;   /* --trace: native calls to record */
	struct tw_patterns untraced; /* --no-trace: those of them not to record */
	const char *hooks_from;	     /* --hooks-from; NULL = none */
	const char *list_hooks;	     /* --list-hooks; NULL = none */
	/* `.tracy` outputs, of a run or of an export */
	enum tw_tracy_version tracy_version;
	enum tw_tracy_compression tracy_compression;
	/* reading */
	bool is_json;
	bool is_csv;
	enum tw_by by;
	enum tw_sort sort;
	uint64_t limit; /* --limit: rows of a report; 0 = all */
	/* asked for instead of the command's work */
	bool is_help;
	bool is_version;
};

/* Commands an option belongs to: bits of tw_option.commands. */
enum tw_command_bit {
	TW_CMD_RUN = 1 << 0,
	TW_CMD_REPORT = 1 << 1,
	TW_CMD_EXPORT = 1 << 2,
	TW_CMD_DOCTOR = 1 << 3,
	TW_CMD_CTL = 1 << 4,
	TW_CMD_BENCH = 1 << 5,
	TW_CMD_HELP = 1 << 6,
	TW_CMD_ALL = (1 << 7) - 1,
};

enum tw_option_type {
	TW_OPTION_FLAG,	    /* bool */
	TW_OPTION_TEXT,	    /* const char * */
	TW_OPTION_OUTPUT,   /* appends to outputs */
	TW_OPTION_BYTES,    /* uint64_t; 64K, 16M, 4G */
	TW_OPTION_SECONDS,  /* uint64_t ns; 1.5, 200ms */
	TW_OPTION_COUNT_OF, /* uint64_t */
	TW_OPTION_CHOICE,   /* enum, by word of .choices ("all|fork|none") */
	TW_OPTION_SIGNAL,   /* int; USR2, SIGUSR2, 12 */
	TW_OPTION_PATTERN,  /* appends to a struct tw_patterns; LIB:GLOB[,...] */
	TW_OPTION_PORT,	    /* int; 0 to 65535, or "auto" for TW_PORT_ANY */
	TW_OPTION_NUMBERS,  /* struct tw_numbers; 66,72 */
};

struct tw_option {
	const char *name;  /* long name; TRACEWRAP_NAME mirrors it */
	char letter;	   /* short name or 0 */
	unsigned commands; /* enum tw_command_bit */
	enum tw_option_type type;
	size_t offset;	      /* of the field in struct tw_config */
	const char *argument; /* what help calls the value; NULL for flags */
	const char *choices;  /* TW_OPTION_CHOICE: words joined by '|' in enum order */
	const char *initial;  /* default, as a user would write it; NULL = zero */
	const char
		*zero; /* what 0 means ("no cap"), when 0 is allowed below at_least */
	uint64_t at_least; /* numbers: lowest value accepted */
	uint64_t at_most;  /* numbers: highest value accepted; 0 = what fits */
	const char *help; /* one sentence, no full stop; default and bounds are added */
	bool is_safe;	  /* obeyed under AT_SECURE too */
	bool has_no_variable; /* command line only */
	/* Another variable that is read where TRACEWRAP_NAME is not set; or NULL. */
	const char *alias;
};

/* "TRACEWRAP_" + the longest name + NUL fit. */
#define TW_VARIABLE_MAX 64

extern const struct tw_option tw_options[];
extern const size_t tw_n_options;

/* Fills in every default. */
void tw_config_init(struct tw_config *config);

/*
 * Sets one option from text ("" or NULL for a flag that is given). Returns 0, -EINVAL
 * for text that is not a value of this type, -ERANGE for a number outside the row's
 * bounds, -ENOSPC for too many outputs; the field then keeps its value. No malloc; the
 * config keeps pointing to `text`.
 */
int tw_option_set(const struct tw_option *option, struct tw_config *config,
		  const char *text) __attribute__((warn_unused_result));

/*
 * Reads all TRACEWRAP_* variables of `environment` that belong to `commands`. A flag is
 * on for anything but "", "0", "no", "off", "false"; for other options "" is as if
 * unset. TRACEWRAP_OUTPUT may hold several names separated by ':'; the separated copies
 * live in `scratch`. Returns NULL, or the first option whose value is wrong (it keeps
 * its default and reading goes on).
 */
const struct tw_option *tw_config_read_environment(struct tw_config *config,
						   char *const environment[],
						   unsigned commands, bool is_secure,
						   char *scratch, size_t scratch_bytes);

/* Writes the variable's name ("TRACEWRAP_MAX_SIZE") into buffer; returns its length. */
size_t tw_option_variable(const struct tw_option *option, char *buffer, size_t bytes);

/* The value of variable `name` in `environment`, or NULL. No lock, unlike getenv. */
const char *tw_environment_find(char *const environment[], const char *name);

#endif

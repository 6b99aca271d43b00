/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text to values; contract in value.h.
 */
#include "core/value.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define KIB	 (UINT64_C(1) << 10)
#define MIB	 (UINT64_C(1) << 20)
#define GIB	 (UINT64_C(1) << 30)
#define TIB	 (UINT64_C(1) << 40)
#define NS_PER_S UINT64_C(1000000000)

/* clang-format off */
struct unit {
	const char *word;
	uint64_t factor;
};

static const struct unit byte_units[] = {
	{ "", 1 },     { "B", 1 },
	{ "K", KIB },  { "KB", KIB },  { "KIB", KIB },
	{ "M", MIB },  { "MB", MIB },  { "MIB", MIB },
	{ "G", GIB },  { "GB", GIB },  { "GIB", GIB },
	{ "T", TIB },  { "TB", TIB },  { "TIB", TIB },
	{ NULL, 0 },
};

static const struct unit time_units[] = {
	{ "", NS_PER_S },  { "S", NS_PER_S },
	{ "MS", 1000000 }, { "US", 1000 },  { "NS", 1 },
	{ "M", 60 * NS_PER_S }, { "MIN", 60 * NS_PER_S }, { "H", 3600 * NS_PER_S },
	{ NULL, 0 },
};

static const struct unit no_units[] = { { "", 1 }, { NULL, 0 } };

/* Our own list: sigabbrev_np() is glibc's alone, and a musl program would not start. */
static const struct {
	int number;
	const char *name;
} signal_names[] = {
	{ SIGHUP, "HUP" },     { SIGINT, "INT" },       { SIGQUIT, "QUIT" },
	{ SIGILL, "ILL" },     { SIGTRAP, "TRAP" },     { SIGABRT, "ABRT" },
	{ SIGBUS, "BUS" },     { SIGFPE, "FPE" },       { SIGKILL, "KILL" },
	{ SIGUSR1, "USR1" },   { SIGSEGV, "SEGV" },     { SIGUSR2, "USR2" },
	{ SIGPIPE, "PIPE" },   { SIGALRM, "ALRM" },     { SIGTERM, "TERM" },
	{ SIGSTKFLT, "STKFLT" }, { SIGCHLD, "CHLD" },   { SIGCONT, "CONT" },
	{ SIGSTOP, "STOP" },   { SIGTSTP, "TSTP" },     { SIGTTIN, "TTIN" },
	{ SIGTTOU, "TTOU" },   { SIGURG, "URG" },       { SIGXCPU, "XCPU" },
	{ SIGXFSZ, "XFSZ" },   { SIGVTALRM, "VTALRM" }, { SIGPROF, "PROF" },
	{ SIGWINCH, "WINCH" }, { SIGIO, "IO" },         { SIGIO, "POLL" },
	{ SIGPWR, "PWR" },     { SIGSYS, "SYS" },
};

/* Toggling on these would loop on the fault, hang the C library, or never arrive. */
static const int refused_signals[] = {
	SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS,
};

static const char *const words_for_off[] = { "", "0", "no", "off", "false" };
/* clang-format on */

static bool is_same_word(const char *a, const char *b)
{
	while (*a && tw_value_upper(*a) == tw_value_upper(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Digits at *text; moves *text behind them. False for none or too large a number. */
static bool read_digits(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*out = v;
	return true;
}

/* "1.5G" with the units of a table. Digits past the ninth decimal are ignored. */
static int read_number(const char *text, const struct unit *unit, uint64_t *out)
{
	uint64_t whole = 0, tenths = 0, scale = 1;
	bool is_whole = read_digits(&text, &whole);

	if (*text == '.' && unit != no_units) {
		const char *first = ++text;

		for (; *text >= '0' && *text <= '9'; text++) {
			if (scale >= NS_PER_S)
				continue;
			tenths = tenths * 10 + (uint64_t)(*text - '0');
			scale *= 10;
		}
		if (text == first && !is_whole)
			return -EINVAL;
	} else if (!is_whole) {
		return *text >= '0' && *text <= '9' ? -ERANGE : -EINVAL;
	}
	while (unit->word && !is_same_word(unit->word, text))
		unit++;
	if (!unit->word)
		return -EINVAL;
	/* tenths < 1e9 and factor < 2^42: 128 bits never overflow. */
	tenths = (uint64_t)((unsigned __int128)tenths * unit->factor / scale);
	if (__builtin_mul_overflow(whole, unit->factor, &whole) ||
	    __builtin_add_overflow(whole, tenths, &whole))
		return -ERANGE;
	*out = whole;
	return 0;
}

int tw_value_choice(const char *choices, const char *text)
{
	size_t length = strlen(text);

	for (int i = 0; *choices; i++) {
		size_t word = strcspn(choices, "|");

		if (word == length && memcmp(choices, text, length) == 0)
			return i;
		choices += word + (choices[word] == '|');
	}
	return -EINVAL;
}

/* SIGRTMIN, RTMIN+3, RTMAX-2: the first one is decided at run time by the C library. */
static int read_realtime_signal(const char *text)
{
	bool is_min = strncmp(text, "RTMIN", 5) == 0;
	uint64_t distance = 0;

	if (!is_min && strncmp(text, "RTMAX", 5) != 0)
		return -EINVAL;
	text += 5;
	if (*text) {
		if (*text++ != (is_min ? '+' : '-') || !read_digits(&text, &distance) ||
		    *text || distance > (uint64_t)(SIGRTMAX - SIGRTMIN))
			return -EINVAL;
	}
	return is_min ? SIGRTMIN + (int)distance : SIGRTMAX - (int)distance;
}

static int read_signal(const char *text)
{
	uint64_t number = 0;
	const char *p = text;

	if (read_digits(&p, &number) && !*p)
		return number >= 1 && number <= (uint64_t)SIGRTMAX &&
				       (number < 32 || number >= (uint64_t)SIGRTMIN)
			       ? (int)number
			       : -ERANGE;
	if (strncmp(text, "SIG", 3) == 0)
		text += 3;
	for (size_t i = 0; i < sizeof(signal_names) / sizeof(signal_names[0]); i++) {
		if (strcmp(signal_names[i].name, text) == 0)
			return signal_names[i].number;
	}
	return read_realtime_signal(text);
}

int tw_value_bytes(const char *text, uint64_t *out)
{
	return read_number(text, byte_units, out);
}

int tw_value_seconds(const char *text, uint64_t *out)
{
	return read_number(text, time_units, out);
}

int tw_value_count(const char *text, uint64_t *out)
{
	return read_number(text, no_units, out);
}

int tw_value_signal(const char *text, int *out)
{
	int number = read_signal(text);

	if (number < 0)
		return number;
	for (size_t i = 0; i < sizeof(refused_signals) / sizeof(int); i++) {
		if (number == refused_signals[i])
			return -ERANGE;
	}
	*out = number;
	return 0;
}

bool tw_value_is_off(const char *text)
{
	for (size_t i = 0; i < sizeof(words_for_off) / sizeof(words_for_off[0]); i++) {
		if (is_same_word(words_for_off[i], text))
			return true;
	}
	return false;
}

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs with a sanitizer: the shared ASan runtime insists on being first in the list of
# libraries, TSan on the layout of memory. Outputs and ends must be as without us.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"

cat >"$TW_TMP/bug.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char *p = malloc(8);
	int big = 2147483647;
	fprintf(stderr, "start %d\n", argc);
	if (argc > 1 && strcmp(argv[1], "overflow") == 0)
		p[argc + 6] = 1;
	if (argc > 1 && strcmp(argv[1], "signed") == 0)
		printf("%d\n", big + argc);
	free(p);
	return 0;
}
C

# try NAME COMPILER FLAGS [BARE]: builds targets with the sanitizer and compares them.
try()
{
	local label=$1 compiler=$2 flags=$3 bare=${4:-yes} source
	if ! has "$compiler"; then
		skip "$label" "needs $compiler (apt-get install $compiler)"
		return
	fi
	for source in annotations forks threads_many execs; do
		# shellcheck disable=SC2086 # flags are words
		if ! EXTRA_CC=$compiler build_extra "$source" "$source.c" $flags ||
			! "$TW_TMP/$source" 3 >/dev/null 2>&1 && [ "$source" = annotations ]; then
			skip "$label" "$compiler cannot build or run it here"
			return
		fi
	done
	{
		printf '[%s annotations]\nrun %s\nexpect processes=1\nbare %s\n' "$label" "$TW_TMP/annotations" "$bare"
		printf '[%s forks]\nrun %s\nbare %s\n' "$label" "$TW_TMP/forks" "$bare"
		printf '[%s threads]\nrun %s 50\nbare %s\n' "$label" "$TW_TMP/threads_many" "$bare"
		printf '[%s execs]\nrun %s\nbare %s\n' "$label" "$TW_TMP/execs" "$bare"
		printf 'bare-filter s/preload [^ ]* variables [a-z]*//\n'
	} >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
}

# detects NAME FLAGS ARGUMENT: the sanitizer still finds the bug it is there for.
detects()
{
	local plain traced
	# shellcheck disable=SC2086
	if ! $CC -g $2 "$TW_TMP/bug.c" -o "$TW_TMP/bug" 2>/dev/null; then
		skip "$1" "$CC cannot build it here"
		return
	fi
	plain=$(code "$TW_TMP/bug" "$3")
	sed 's/==[0-9]*==//; s/0x[0-9a-f]*//g' "$TW_TMP/err" | head -n 3 >"$TW_TMP/err.plain"
	traced=$(code "$TRACEWRAP" --quiet -o "$TW_TMP/bug.tw" --force "$TW_TMP/bug" "$3")
	equal "$1: ends the same" "$plain" "$traced"
	sed 's/==[0-9]*==//; s/0x[0-9a-f]*//g' "$TW_TMP/err" | head -n 3 >"$TW_TMP/err.traced"
	check "$1: says the same" diff "$TW_TMP/err.plain" "$TW_TMP/err.traced"
}

try 'gcc ASan' gcc -fsanitize=address 'no its runtime refuses to come second in LD_PRELOAD'
try 'gcc ASan static runtime' gcc '-fsanitize=address -static-libasan'
try 'gcc UBSan' gcc -fsanitize=undefined
try 'gcc TSan' gcc -fsanitize=thread
try 'clang ASan' clang -fsanitize=address
detects 'ASan finds an overflow' -fsanitize=address overflow
detects 'UBSan finds an overflow' '-fsanitize=undefined -fno-sanitize-recover' signed
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Wrapped calls: arguments, results, exceptions, jumps, threads, signals, forks are as
# without us, and the trace holds exactly the calls that the library itself counted.
. "$TW_SRC/tests/e2e/native.sh"

build_wrapped || {
	not_ok 'the library builds' "$TW_TMP/.build"
	finish
}

# The counts of these are the library's own; signals come as they come.
cases='arguments vectors exceptions exceptions-in-threads jumps jumps-in-threads recursion
	backtraces thread-ends vforks'

# matrix LABEL PROGRAM PATTERNS
matrix()
{
	local case words
	for case in $cases; do
		words=$(counted "$2" "$case")
		# A trace of a run that says nothing would prove nothing.
		[ "$case" = vectors ] || [ -n "$words" ] || words='the-library-counted-nothing'
		stanza "$1, $case" "$3" "$2 $case" "$words balanced"
	done
	# Zones of a fiber that was interrupted are continued as another zone.
	stanza "$1, fibers" "$3" "$2 fibers" 'zone:w_leaf=3000 zone:w_call>=600 balanced'
	# A child returns through its parent's frames: their ends are not its zones.
	stanza "$1, forks" "$3" "$2 forks no-report" 'processes=11 zone:w_leaf=10000 zone:w_throw=100 zone:w_call=120 balanced'
	printf 'bare-expect zone:w_leaf=10000 zone:w_throw=100 balanced\n'
	stanza "$1, signals" "$3" "$2 signals no-report" 'zone:w_leaf>=20000 zone:w_throw>=2000 balanced'
}

# variant LABEL PATTERNS FLAG...
variant()
{
	local label=$1 patterns=$2
	shift 2
	if ! build_wraps wraps "$@"; then
		skip "$label" "the compiler cannot build it: $(tail -n 1 "$TW_TMP/.build")"
		return
	fi
	matrix "$label" "$TW_TMP/wraps" "$patterns" >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
}

one='libwrapped.so:*'
variant 'lazy binding' "$one" -Wl,-z,lazy
variant 'binding at start, read-only slots' "$one" -Wl,-z,now -Wl,-z,relro
variant 'no PLT' "$one" -fno-plt -Wl,-z,now
variant 'fixed address' "$one" -no-pie -fno-pic
variant 'every slot' '*:*,libc.so.6:*' -Wl,-z,lazy
if has clang++; then
	EXTRA_CC=clang++ variant clang "$one"
else
	skip clang 'needs clang++ (apt-get install clang)'
fi

# Seccomp's strict mode begins inside a wrapped call.
if build_wraps wraps; then
	printf '[caged]\nrun %s caged\nsetting -e TRACEWRAP_TRACE=%s\nexpect %s\nbare %s\n' "$TW_TMP/wraps" "'$one'" \
		'zone:w_leaf=1 zone:w_call=1 lost:thread' \
		'no exit of one thread does not end a process whose pump is a thread' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	not_ok 'the program builds' "$TW_TMP/.build"
fi

# More open calls than frames: the rest goes unrecorded, and is counted.
if has prlimit && build_wraps wraps; then
	printf '[too deep]\nrun prlimit --stack=268435456 %s abyss\nsetting -e TRACEWRAP_TRACE=%s\nexpect %s\n' \
		"$TW_TMP/wraps" "'$one'" 'zone:w_descend=65536 lost:deep balanced' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	skip 'too deep' 'needs prlimit (apt-get install util-linux)'
fi
finish

# SPDX-License-Identifier: BSD-3-Clause
# What every test script sources: TAP points and a few ways to run things.
# run-tests.sh sets TW_SRC, TW_BUILD, TW_TMP, TRACEWRAP, LIBTRACEWRAP, CC, CXX.
# shellcheck shell=bash
set -u

T=$TW_BUILD/tests/targets
OUTCOME=$TW_BUILD/tests/tools/outcome
n_points=0
n_failed=0

# The interpreter that reads reports: Debian's own, since a pyenv shim takes 100 ms.
if [ -x /usr/bin/python3 ]; then
	PYTHON=/usr/bin/python3
else
	PYTHON=$(command -v python3 || true)
fi

ok()
{
	n_points=$((n_points + 1))
	echo "ok $n_points - $*"
}

# not_ok NAME [FILE]...: the files, or else standard input, say why.
not_ok()
{
	n_points=$((n_points + 1))
	n_failed=$((n_failed + 1))
	echo "not ok $n_points - $1"
	shift
	local file
	for file; do
		[ -f "$file" ] && head -n 40 "$file" | sed "s|^|# ${file##*/}: |"
	done
	return 0
}

skip()
{
	n_points=$((n_points + 1))
	echo "ok $n_points - $1 # SKIP $2"
}

# skip_all REASON: for a script none of whose tests can run here.
skip_all()
{
	skip "$(basename "$0" .sh)" "$1"
	finish
}

# Must be the last command of a script: says how many points there were.
finish()
{
	echo "1..$n_points"
	exit $((n_failed > 0))
}

# check NAME COMMAND...: ok when the command succeeds; its output explains a failure.
check()
{
	local name=$1
	shift
	if "$@" >"$TW_TMP/.check" 2>&1; then
		ok "$name"
	else
		printf '(code %d) %.200s\n' $? "$*" >>"$TW_TMP/.check"
		not_ok "$name" "$TW_TMP/.check"
	fi
}

# equal NAME EXPECTED ACTUAL: for short texts.
equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		printf 'expected: %s\nactual:   %s\n' "$2" "$3" >"$TW_TMP/.equal"
		not_ok "$1" "$TW_TMP/.equal"
	fi
}

# matches NAME REGEX FILE: some line of the file matches the extended expression.
matches()
{
	if grep -Eq -- "$2" "$3"; then
		ok "$1"
	else
		{
			echo "no line matches: $2"
			cat "$3"
		} >"$TW_TMP/.matches"
		not_ok "$1" "$TW_TMP/.matches"
	fi
}

is_root()
{
	[ "$(id -u)" = 0 ]
}

# has COMMAND...: all of them are installed.
has()
{
	command -v "$@" >/dev/null 2>&1 && [ "$(command -v "$@" | wc -l)" -eq $# ]
}

# code COMMAND...: runs it and prints its exit code; streams go to out and err of TW_TMP.
code()
{
	"$@" >"$TW_TMP/out" 2>"$TW_TMP/err" </dev/null
	echo $?
}

# await SECONDS COMMAND...: polls until the command succeeds.
await()
{
	local end=$((SECONDS + $1))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}

# child_of PID: the program that this tracewrap runs; its keeper is a child too.
child_of()
{
	local child
	for child in $(pgrep -P "$1"); do
		[ "$(readlink "/proc/$child/exe")" = "$(readlink "/proc/$1/exe")" ] || echo "$child"
	done | head -n 1
}

# expect FILE WORD...: the trace holds what the words say; see expect.py. A name that ends
# in * stands for all traces of that beginning, taken together.
expect()
{
	local trace n=0 traces=("$1")
	case $1 in
	*\*) traces=("${1%\*}"*) ;;
	esac
	shift
	rm -f "$TW_TMP"/.report.*
	for trace in "${traces[@]}"; do
		n=$((n + 1))
		"$TRACEWRAP" report --json "$trace" >"$TW_TMP/.report.$n.json" 2>"$TW_TMP/.err" || {
			echo "report --json ended with $?"
			cat "$TW_TMP/.err"
			return 1
		}
	done
	"$PYTHON" "$TW_SRC/tests/e2e/expect.py" "$TW_TMP"/.report.*.json -- "$@"
}

# build_extra NAME SOURCE FLAG...: compiles one more target at test time, into TW_TMP.
build_extra()
{
	local name=$1 source=$2 compiler=$CC
	shift 2
	case $source in
	*.cc) compiler=$CXX ;;
	esac
	# shellcheck disable=SC2086 # the compiler may come with flags
	${EXTRA_CC:-$compiler} -D_GNU_SOURCE -O1 -g -I"$TW_SRC/include" \
		"$TW_SRC/tests/targets/$source" -o "$TW_TMP/$name" "$@" -pthread -lm \
		>"$TW_TMP/.build" 2>&1
}

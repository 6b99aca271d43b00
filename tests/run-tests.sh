#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs tests and adds up: run-tests.sh BUILD_FOLDER [SUITE|SCRIPT]...
# A test is a program that prints TAP: the Criterion program of tests/unit and the scripts
# t_*.sh of tests/e2e, audit, real and project. Called by `make check` and by ./check.
# The source tree may be read-only; everything is written below BUILD_FOLDER/tests/logs
# and in a temporary folder of each test.
# Environment: TW_JOBS at a time (all processors), TW_TIMEOUT seconds each (300),
# TRACEWRAP and LIBTRACEWRAP: what to test (what `make check` staged).
set -u

TW_SRC=$(cd "$(dirname "$0")/.." && pwd -P)
TW_BUILD=$(cd "$1" && pwd -P)
shift
# shellcheck disable=SC1091 # made by make
. "$TW_BUILD/tests/settings.sh"
TRACEWRAP=${TRACEWRAP:-$TW_STAGED_COMMAND}
LIBTRACEWRAP=${LIBTRACEWRAP:-$TW_STAGED_LIBRARY}
export TW_SRC TW_BUILD TRACEWRAP LIBTRACEWRAP CC CXX
export LC_ALL=C.UTF-8
unset LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL "${!TRACEWRAP_@}"

logs=$TW_BUILD/tests/logs
jobs=${TW_JOBS:-$(nproc)}
seconds=${TW_TIMEOUT:-300}
root_tmp=$(mktemp -d "${TMPDIR:-/tmp}/tracewrap-test.XXXXXX") || exit 125
chmod 755 "$root_tmp" # other users run some of the targets
trap 'rm -rf "$root_tmp"' EXIT
trap 'exit 130' INT TERM
rm -rf "$logs"
mkdir -p "$logs"

# Prints the tests of a suite, one a line: a name and what to run.
list_suite()
{
	case $1 in
	unit)
		printf 'unit\n'
		;;
	*.sh)
		printf '%s\n' "$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")"
		;;
	*)
		if [ ! -d "$TW_SRC/tests/$1" ]; then
			echo "run-tests.sh: no suite '$1': give unit, e2e, audit, real, project or a script" >&2
			exit 125
		fi
		printf '%s\n' "$TW_SRC/tests/$1"/t_*.sh
		;;
	esac
}

# Runs the unit tests; without Criterion there is no program, and one skip says so.
run_unit()
{
	if [ ! -x "$1" ]; then
		printf 'ok unit # SKIP Criterion was missing when configure ran (apt-get install libcriterion-dev)\n1..1\n'
		return 0
	fi
	"$1" --output=tap:"$TW_TMP/unit.tap" --timeout 60 -j"$jobs" >&2
	local code=$?
	cat "$TW_TMP/unit.tap"
	return $code
}

# run_one TEST: its TAP goes to a log named after it, its exit code and time to the end.
run_one()
{
	local name start=$SECONDS code
	name=${1#"$TW_SRC"/tests/}
	name=${name%.sh}
	name=${name//\//.}
	TW_TMP=$(mktemp -d "$root_tmp/$name.XXXXXX")
	chmod 755 "$TW_TMP"
	export TW_TMP
	if [ "$1" = unit ]; then
		run_unit "$TW_BUILD/tests/unit/unit" >"$logs/$name.tap" 2>"$logs/$name.err"
		code=$?
	else
		(cd "$TW_TMP" && exec timeout -k 10 "$seconds" bash "$1") \
			>"$logs/$name.tap" 2>"$logs/$name.err" </dev/null
		code=$?
	fi
	printf '# ended %d %d\n' "$code" $((SECONDS - start)) >>"$logs/$name.tap"
	report_one "$name"
	rm -rf "$TW_TMP"
}

# report_one NAME: one line for the test, its failures with what they printed, its skips;
# leaves "passed failed skipped" in NAME.sum. A test that ends without having said how
# many points it had (its plan), or with another number of them, has failed.
report_one()
{
	awk -v name="$1" -v sum="$logs/$1.sum" -v err="$logs/$1.err" '
	function fail(text) { failed++; out = out "  FAILED " text "\n"; is_shown = 1 }
	/^ok / || /^not ok / {
		is_shown = 0
		text = $0
		sub(/^(not )?ok */, "", text)
		sub(/^[0-9]+ */, "", text)
		sub(/^- */, "", text)
		if (/^not ok/)
			fail(text)
		else if (match(text, /# SKIP ?/)) {
			skipped++
			out = out "  skipped " substr(text, 1, RSTART - 1) ": " substr(text, RSTART + RLENGTH) "\n"
		} else
			passed++
		next
	}
	/^1\.\.[0-9]+/ { planned = substr($1, 4); has_plan = 1; next }
	/^# ended / { code = $3; seconds = $4; next }
	is_shown { out = out "    " $0 "\n" }
	END {
		is_shown = 0
		n = passed + failed + skipped
		if (code == 124 || code == 137)
			fail("the test took too long and was stopped")
		else if (!has_plan)
			fail("the test ended early, with code " code)
		else if (planned != n)
			fail("the test planned " planned " points and had " n)
		else if (code != 0 && failed == 0)
			fail("the test ended with code " code)
		printf "%-34s %4d passed %3d failed %3d skipped  %3d s\n", name, passed, failed, skipped, seconds
		printf "%s", out
		if (failed) {
			while ((getline line < err) > 0)
				if (++shown <= 40)
					print "    stderr: " line
		}
		print passed + 0, failed + 0, skipped + 0 > sum
	}' "$logs/$1.tap"
}

[ $# -gt 0 ] || set -- unit audit e2e real
tests=()
for suite; do
	mapfile -t -O ${#tests[@]} tests < <(list_suite "$suite")
done
# Nothing runs beside the unit tests or a project test: those use all processors themselves.
for test in "${tests[@]}"; do
	case $test in
	unit | */project/*)
		wait
		run_one "$test"
		;;
	*)
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
			wait -n
		done
		run_one "$test" &
		;;
	esac
done
wait
totals=$(cat "$logs"/*.sum 2>/dev/null |
	awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
read -r passed failed skipped <<<"$totals"
if [ "$(cat "$logs"/*.sum 2>/dev/null | wc -l)" -ne ${#tests[@]} ]; then
	echo "run-tests.sh: ${#tests[@]} tests were to run; some left no result" >&2
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

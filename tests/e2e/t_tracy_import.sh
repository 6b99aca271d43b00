#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands that read traces read `.tracy` files too, and say of them what they say of the
# trace that the file was made from, zone by zone and to the nanosecond.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit
export TMPDIR=$TW_TMP/tmp
mkdir tmp

# alike NAME TRACE FILE KEY...: the reports by thread are equal but for these keys.
alike()
{
	local name=$1 trace=$2 file=$3
	shift 3
	"$TRACEWRAP" report --json --by thread "$trace" >alike.a
	"$TRACEWRAP" report --json --by thread "$file" >alike.b
	check "$name" "$PYTHON" "$TW_SRC/tests/tracy/same_report.py" alike.a alike.b "$@"
}

# zones FILE: one line a zone, with its times, text and value, in a fixed order.
zones()
{
	"$TRACEWRAP" export --quiet --force "$1" -o zones.csv && sort zones.csv
}

# Everything that a trace holds, in every version and both containers.
"$TRACEWRAP" --quiet --port 0 -o annotations.tw "$T/annotations" >out
"$TRACEWRAP" --quiet --port 0 -o tracy_scene.tw "$T/tracy_scene" 30 3 2 >out
"$TRACEWRAP" --quiet --port 0 -o die_by.tw "$T/die_by" SEGV >out 2>err
for program in annotations tracy_scene die_by; do
	zones $program.tw >expected
	for version in 0.9 0.10 0.11 newest; do
		for packing in lz4 zstd; do
			"$TRACEWRAP" export --quiet --force $program.tw --tracy-version $version \
				--tracy-compression $packing -o x.tracy
			alike "$program, $version, $packing: the same report" $program.tw x.tracy
			zones x.tracy >actual
			check "$program, $version, $packing: zone by zone" cmp expected actual
		done
	done
done

# Other shapes of programs, in the default version.
for command in 'threads_many' 'fork_chain' 'forks' 'unbalanced' 'exec_thread' 'vfork_exec' 'jumps' 'deep'; do
	name=${command%% *}
	"$TRACEWRAP" --quiet --port 0 -o "$name.tw" -o "$name.tracy" "$T/$name" >out 2>err
	alike "$name: the same report" "$name.tw" "$name.tracy"
done
"$TRACEWRAP" --quiet --port 0 --drop --buffer-size 1M -o lossy.tw -o lossy.tracy "$T/flood" 4 100000 >out
alike 'losses: the same report' lossy.tw lossy.tracy
"$TRACEWRAP" --quiet --port 0 --max-size 256K -o capped.tw -o capped.tracy "$T/flood" 2 200000 >out
# The zones that rotation cut are a note of the file, and no records.
alike 'rotation: the same report' capped.tw capped.tracy truncated notes resynced events unmatched_ends
"$TRACEWRAP" report capped.tracy >out
matches 'rotation: what is missing is said' '^rotated: --max-size took away the oldest [0-9]+ events' out
# Texts with a NUL in them: Tracy takes it for the end, so the file has a blank.
"$TRACEWRAP" --quiet --port 0 -o long_text.tw -o long_text.tracy "$T/long_text" >out
alike 'long texts: the same report' long_text.tw long_text.tracy events messages
# More locations than a file has: the line of the rest is lost, no name is.
"$TRACEWRAP" --quiet --port 0 -o many.tw -o many.tracy "$T/many_locations" 50000 >out
alike '50,000 locations: the same report' many.tw many.tracy zones.line

# Every form of every command.
cp annotations.tracy named_otherwise 2>/dev/null || "$TRACEWRAP" export -q annotations.tw -o annotations.tracy
cp annotations.tracy named_otherwise
for form in '' --json --csv '--by process' '--by thread'; do
	# shellcheck disable=SC2086
	equal "report $form" 0 "$(code "$TRACEWRAP" report $form annotations.tracy)"
	check "report $form: has the zones" grep -q outer out
done
check 'its name does not matter' expect named_otherwise zones=113 finished
for ending in json csv tw tracy; do
	equal "export to .$ending" 0 "$(code "$TRACEWRAP" export annotations.tracy -o again.$ending)"
done
check 'export to .json: is JSON' "$PYTHON" -c 'import json; assert len(json.load(open("again.json"))["traceEvents"]) > 113'
alike 'export to .tw: the same report' annotations.tw again.tw
alike 'export to .tracy: the same report' annotations.tw again.tracy
equal 'a file is not its own export' 125 "$(code "$TRACEWRAP" export --force annotations.tracy -o annotations.tracy)"
matches 'a file is not its own export: says so' "'annotations.tracy' is the trace itself" err

# Damaged and cut files: an error in one line or a report, never a crash, nothing left behind.
bytes=$(stat -c %s annotations.tracy)
wrong=
for i in $(seq 0 60); do
	head -c $((bytes * i / 61)) annotations.tracy >cut.tracy
	timeout 20 "$TRACEWRAP" report cut.tracy >out 2>err
	[ $? = 125 ] && [ "$(wc -l <err)" = 1 ] || wrong="$wrong $((bytes * i / 61))"
done
equal 'a cut file is refused in one line' '' "$wrong"
"$PYTHON" - <<'P'
import random
random.seed(5)
data = open('tracy_scene.tw', 'rb').read()
whole = open('x.tracy', 'rb').read()
for n in range(60):
    bad = bytearray(whole)
    for _ in range(random.randrange(1, 5)):
        bad[random.randrange(len(bad))] = random.randrange(256)
    open('damaged.%d.tracy' % n, 'wb').write(bad)
P
wrong=
for file in damaged.*.tracy; do
	timeout 20 "$TRACEWRAP" report "$file" >out 2>err
	case $? in
	0 | 125) ;;
	*) wrong="$wrong $file" ;;
	esac
done
equal 'a damaged file never crashes us' '' "$wrong"
equal 'nothing is left in TMPDIR' '' "$(ls -A tmp)"
equal 'nothing is left beside a file' '' "$(ls -A | grep '^\.tracewrap' || true)"

# Where the import goes.
equal 'TMPDIR that is not there' 0 "$(TMPDIR=/no/such/folder code "$TRACEWRAP" report annotations.tracy)"
if is_root && unshare -m true 2>/dev/null; then
	"$TRACEWRAP" --quiet --port 0 -o flood.tracy "$T/flood" 2 100000 >out
	unshare -m sh -c 'mount -t tmpfs -o size=64k none tmp && TMPDIR=$PWD/tmp "$1" report flood.tracy >out 2>err; echo $? >code; ls -A tmp >left' \
		- "$TRACEWRAP"
	equal 'full TMPDIR: exit code' 125 "$(cat code)"
	matches 'full TMPDIR: says what to do' "^tracewrap: cannot unpack 'flood.tracy': No space left on device; name a folder .* TMPDIR" err
	equal 'full TMPDIR: nothing is left' '' "$(cat left)"
else
	skip 'full TMPDIR' 'needs root and unshare'
fi
finish

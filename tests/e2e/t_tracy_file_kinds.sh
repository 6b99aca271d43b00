#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fibers, locks, memory, call stacks, devices and frames with an end in `.tracy` files of every
# version and packing: the counts that the target tells, the nanoseconds of the other forms.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
DUMP=$TW_BUILD/tests/tools/tracy_dump

# holds NAME TRACE OUT OPTION...: exports to file.tracy and judges it; its dump is file.txt.
holds()
{
	local name=$1 trace=$2 out=$3
	shift 3
	check "$name: exports" "$TRACEWRAP" export -q -f "$@" "$trace" -o file.tracy
	check "$name: reads" "$DUMP" file.tracy
	"$DUMP" file.tracy >file.txt
	check "$name: all of it" "$PYTHON" "$TW_SRC/tests/tracy/check_file.py" file.txt "$out" "$trace.csv" "$trace.json"
}

"$TRACEWRAP" -q --port 0 -o kinds.tw -- "$T/tracy_kinds" 20 3 1 >kinds.out
"$TRACEWRAP" export -q kinds.tw -o kinds.tw.csv -o kinds.tw.json
for version in 0.9 0.10 0.11 newest; do
	for packing in lz4 zstd; do
		holds "$version $packing" kinds.tw kinds.out --tracy-version $version --tracy-compression $packing
	done
done
matches 'a lock, its place, its end' '^lock	[0-9]+	the mutex	play	.*tracy_kinds\.c	[0-9]+	0	[0-9]+	[1-9][0-9]*	3$' file.txt
matches 'a lock for several' '^lock	[0-9]+	the rwlock	play	.*tracy_kinds\.c	[0-9]+	1	[0-9]+	0	3$' file.txt
matches 'a device' '^context	0	the device \[tracy_kinds [0-9]+\]	7	0\.5	1	120$' file.txt
matches 'a track of it' '^thread	[0-9]+	queue 1' file.txt
matches 'a fiber' '^thread	42949[0-9]+	fiber-2' file.txt
matches 'the pool of one process' '^block	arena	' file.txt
matches 'the pool of the other' '^block	arena \[tracy_kinds [0-9]+\]	' file.txt
equal 'nothing is lost or made up' '' "$(grep -E '^appinfo	(lost|added):' file.txt)"

# More threads at a lock than a viewer has room for is more than the target has; as many fit.
"$TRACEWRAP" -q --port 0 -o crowd.tw -- "$T/tracy_kinds" 5 64 0 >crowd.out
"$TRACEWRAP" export -q crowd.tw -o crowd.tw.csv -o crowd.tw.json
holds '64 threads at a lock' crowd.tw crowd.out

# Enough that blocks of the trace end anywhere.
"$TRACEWRAP" -q --port 0 -o many.tw -- "$T/tracy_kinds" 2000 4 1 >many.out
"$TRACEWRAP" export -q many.tw -o many.tw.csv -o many.tw.json
holds 'many' many.tw many.out --tracy-version newest

# What a form has no place for is told.
"$TRACEWRAP" export -f kinds.tw -o kinds.tw.csv 2>err
matches 'a table counts what it leaves out' '\(582 zones, without 1346 other events, ' err

# Names of code: from the file while it is the one of the recording, else its place in it.
cp "$T/tracy_kinds" mine
"$TRACEWRAP" -q --port 0 -o mine.tw -- ./mine 2 1 0 >mine.out
"$TRACEWRAP" export -q mine.tw -o mine.tracy
matches 'a function' '^stackframe	[0-9a-f]+	0	main\+0x[0-9a-f]+	.*/mine	0	mine$' <("$DUMP" mine.tracy)
touch mine
"$TRACEWRAP" export -q -f mine.tw -o mine.tracy
matches 'a file that changed' '^stackframe	[0-9a-f]+	0	mine\+0x[0-9a-f]+	.*/mine	0	mine$' <("$DUMP" mine.tracy)
equal 'its old names are gone' '' "$("$DUMP" mine.tracy | grep '	main+0x')"
rm mine
"$TRACEWRAP" export -q -f mine.tw -o mine.tracy
matches 'a file that is gone' '^stackframe	[0-9a-f]+	0	mine\+0x[0-9a-f]+	.*/mine	0	mine$' <("$DUMP" mine.tracy)
finish

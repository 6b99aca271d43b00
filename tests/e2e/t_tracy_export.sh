#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `.tracy` files against the zone table of the same trace, in every version and packing.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
DUMP=$TW_BUILD/tests/tools/tracy_dump

"$TRACEWRAP" -q --port 0 -o scene.tw -- "$T/tracy_scene" 50 3 2 >scene.out
table scene.tw
for version in 0.9 0.10 0.11 newest; do
	for packing in lz4 zstd; do
		name="$version $packing"
		check "$name: exports" "$TRACEWRAP" export -q -f --tracy-version $version \
			--tracy-compression $packing scene.tw -o scene.tracy
		check "$name: reads" "$DUMP" scene.tracy
		"$DUMP" scene.tracy >scene.txt
		check "$name: everything is there" judge counts scene.txt scene.out
		check "$name: zone by zone" judge zones scene.txt scene.tw.csv
	done
done
matches 'thread names' '^thread	[0-9]+	worker-0' scene.txt
matches 'thread names of an exec' '^thread	[0-9]+	leaf' scene.txt
matches 'message with colour' '^message	[0-9]+	[0-9]+	ff0000	red ☃' scene.txt
matches 'the command line' '^appinfo	.*tracy_scene 50 3 2' scene.txt

# More places than a file can have.
"$TRACEWRAP" -q --port 0 -o many.tw -- "$T/many_locations" 100000 >many.out
table many.tw
check '100,000 locations: exports' "$TRACEWRAP" export -q many.tw -o many.tracy
check '100,000 locations: reads' "$DUMP" many.tracy
"$DUMP" many.tracy >many.txt
check '100,000 locations: no name is lost' judge names many.txt many.tw.csv

# The run writes such a file itself, also of a program that dies.
equal 'a run that dies: exit code' 139 \
	"$(code "$TRACEWRAP" -q --port 0 -o dies.tracy -o dies.tw -- "$T/tracy_scene" 20 1 0 0 11)"
check 'a run that dies: reads' "$DUMP" dies.tracy
"$DUMP" dies.tracy >dies.txt
matches 'a run that dies: a crash' '^crash' dies.txt
table dies.tw
check 'a run that dies: zone by zone' judge zones dies.txt dies.tw.csv
finish

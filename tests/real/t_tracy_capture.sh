#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Real Tracy servers capture a live run of several threads and processes; what they wrote
# is read back and compared with the trace, zone by zone.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
. "$TW_SRC/tests/tracy/real_server.sh"
cd "$TW_TMP" || exit
trap stop_stayers EXIT
DUMP=$TW_BUILD/tests/tools/tracy_dump

# zone_lines DUMP: a sum of all zones, but for the numbers of their threads.
zone_lines()
{
	grep '^zone' "$1" | cut -f 1,3- | sort | md5sum
}

# holds NAME PPM: the file of the server holds what the trace holds.
holds()
{
	check "$1: its file reads" "$DUMP" live.tracy
	"$DUMP" live.tracy >live.txt
	check "$1: everything came" judge counts live.txt live.out
	table live.tw
	check "$1: zone by zone" judge zones live.txt live.tw.csv "$2"
}

# captured NAME PPM: it does, and our commands read it as they read the trace.
captured()
{
	holds "$1" "$2"
	# A server rounds times in its own way.
	"$TRACEWRAP" report --json live.tw >ours.json
	check "$1: report reads it" "$TRACEWRAP" report live.tracy
	"$TRACEWRAP" report --json live.tracy >theirs.json
	check "$1: report says the same" "$PYTHON" "$TW_SRC/tests/tracy/same_report.py" ours.json theirs.json \
		only=zones,zone_count,dropped,truncated,complete zones._ns
	check "$1: exports it" "$TRACEWRAP" export -q -f live.tracy -o again.tracy
	"$DUMP" again.tracy >again.txt
	equal "$1: the export has its zones" "$(zone_lines live.txt)" "$(zone_lines again.txt)"
}

for protocol in 63 65 66 72; do
	if ! real_server $protocol; then
		skip "$protocol: a real server" "$WHY"
		continue
	fi
	port=$(free_port)
	start live "$port" --no-exit -- "$T/tracy_scene" 200 3 2
	check "$protocol: captures without a complaint" real_capture "$port" live.tracy capture.log
	ended "$protocol: exit code" 0
	captured "$protocol" $early_ppm

	port=$(free_port)
	TRACY_PORT=$port TRACY_NO_EXIT=1 TRACEWRAP_OUTPUT=$TW_TMP/live.tw TRACEWRAP_FORCE=1 \
		timeout -k 5 60 env LD_PRELOAD="$LIBTRACEWRAP" "$T/tracy_scene" 50 2 0 >live.out 2>live.err &
	PID=$!
	check "$protocol: captures the embedded client" real_capture "$port" live.tracy capture.log
	ended "$protocol, embedded: exit code" 0
	captured "$protocol, embedded" $early_ppm

	port=$(free_port)
	start live "$port" --no-exit -- "$T/tracy_kinds" 100 3 1
	check "$protocol: captures fibers, locks, memory and devices" real_capture "$port" live.tracy capture.log
	ended "$protocol, kinds: exit code" 0
	holds "$protocol, kinds" $early_ppm
	check "$protocol, kinds: a device's clock" judge lengths live.txt kernel=1000 tile=300,600
	matches "$protocol, kinds: a fiber is a row" 'thread.*fiber-2' live.txt
	matches "$protocol, kinds: a track is a row" 'thread.*queue 1' live.txt

	# What a viewer missed must not break it: most of the trace has been taken away.
	port=$(free_port)
	start live "$port" --no-exit --max-size 200K -- "$T/tracy_kinds" 4000 6 1
	await 5 pgrep -f "^$T/tracy_kinds 4000"
	await 30 eval "! pgrep -f '^$T/tracy_kinds 4000' >/dev/null"
	check "$protocol: captures what is left of a trace" real_capture "$port" live.tracy capture.log
	ended "$protocol, rotated: exit code" 0
	check "$protocol, rotated: its file reads" "$DUMP" live.tracy

	port=$(free_port)
	start live "$port" --no-exit -- "$T/tracy_scene" 50 1 0 0 11
	check "$protocol: captures a crash" real_capture "$port" live.tracy capture.log
	ended "$protocol, crash: exit code" 139
	captured "$protocol, crash" $early_ppm
	matches "$protocol, crash: it is there" '^crash' live.txt

	port=$(free_port)
	start live "$port" --no-exit -- "$T/many_locations" 100000
	check "$protocol: captures 100,000 locations" real_capture "$port" live.tracy capture.log
	ended "$protocol, locations: exit code" 0
	"$DUMP" live.tracy >live.txt
	table live.tw
	check "$protocol, locations: no name is lost" judge names live.txt live.tw.csv
done
finish

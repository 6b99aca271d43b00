#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Servers that break the rules: the program, the trace and the next viewer are unharmed.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit

trap stop_stayers EXIT

# rss_of PID: KiB of it and everything below it.
rss_of()
{
	local child
	awk '/VmRSS/ { print $2 }' "/proc/$1/status" 2>/dev/null
	for child in $(pgrep -P "$1"); do
		rss_of "$child"
	done
}

for bad in wrong-magic half-hello unknown-version stop-reading garbage-queries flood die-mid-frame; do
	for home in command bare; do
		port=$(free_port)
		if [ $home = command ]; then
			start bad "$port" --no-exit -- "$T/tracy_scene" 2000 2 1
		else
			TRACY_PORT=$port TRACY_NO_EXIT=1 TRACEWRAP_OUTPUT=$TW_TMP/bad.tw TRACEWRAP_FORCE=1 \
				timeout -k 5 60 env LD_PRELOAD="$LIBTRACEWRAP" "$T/tracy_scene" 2000 2 0 >bad.out 2>bad.err &
			PID=$!
		fi
		check "$bad, $home: the client copes" viewer "$port" 82 bad.jsonl --bad $bad --hold 0.7
		if [ $bad = flood ] && [ $home = command ]; then
			kib=$(rss_of $PID | awk '{ n += $1 } END { print n + 0 }')
			check "flood: memory is bounded ($kib KiB)" test "$kib" -lt 300000 -a "$kib" -gt 0
		fi
		check "$bad, $home: the next viewer is served" viewer "$port" 72 next.jsonl
		ended "$bad, $home: exit code" 0
		check "$bad, $home: and got everything" judge counts next.jsonl bad.out
		table bad.tw
		check "$bad, $home: the trace is whole" judge names next.jsonl bad.tw.csv
	done
done
finish

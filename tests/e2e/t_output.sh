#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where a run's trace goes without -o: PROGRAM.PID.tracy. Whatever happens to those who write
# it, the trace is not lost, nothing half is left, and a line says what to type.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# fresh: an empty folder to record in.
fresh()
{
	cd "$TW_TMP" && rm -rf here && mkdir here && cd here || exit
}

# Without tracewrap's group: a signal for it alone, none of them ignored.
start()
{
	setsid env --default-signal=INT,QUIT "$TRACEWRAP" --port 0 "$@" >"$TW_TMP/out" 2>"$TW_TMP/err" </dev/null &
	PID=$!
}

# recovered NAME: the command that the last words name makes a file that reads.
recovered()
{
	local words
	words=$(sed -n 's/.*: \(tracewrap export .*\.tracy\)$/\1/p' "$TW_TMP/err" | head -n 1)
	# shellcheck disable=SC2086
	check "$1: the command that it names works" "$TRACEWRAP" ${words#tracewrap }
	check "$1: all is there" expect "${words##* }" "${@:2}"
}

fresh
"$TRACEWRAP" --port 0 "$T/annotations" >../out 2>../err
matches 'default: one file, by program and pid' '^annotations\.[0-9]+\.tracy$' <(ls -A)
equal 'default: nothing else' 1 "$(ls -A | wc -l)"
check 'default: reads' expect "$(echo *.tracy)" zones=113 finished
matches 'default: the size is said' '^tracewrap: annotations\.[0-9]+\.tracy, [0-9.]+ (KiB|bytes)$' ../err
matches 'default: what to do next' '^tracewrap: next: tracewrap report annotations\.[0-9]+\.tracy$' ../err
fresh
TRACEWRAP_OUTPUT=a.tracy:b.json "$TRACEWRAP" --quiet --port 0 "$T/annotations" >../out 2>../err
equal 'TRACEWRAP_OUTPUT: all that it names' 'a.tracy b.json' "$(echo *)"
fresh
TRACEWRAP_OUTPUT=a.tracy "$TRACEWRAP" --quiet --port 0 -o c.tw -o d.tracy "$T/annotations" >../out 2>../err
equal 'TRACEWRAP_OUTPUT: -o wins' 'c.tw d.tracy' "$(echo *)"
fresh
"$TRACEWRAP" --port 0 -o only.json "$T/annotations" >../out 2>../err
equal 'only .json: nothing else' only.json "$(ls -A)"
equal 'only .json: nothing to report' 0 "$(grep -c 'next:' ../err)"

# A daemon that outlives tracewrap: whoever records makes the file.
fresh
"$TRACEWRAP" --port 0 "$T/daemonises" "$TW_TMP/daemon_done" >../out 2>../err
matches 'daemon: says what comes' '^tracewrap: daemonises\.[0-9]+\.tracy is written then; until then: tracewrap report daemonises\.[0-9]+\.tw$' ../err
there()
{
	[ "$(ls -A | grep -c 'tw$\|part')" = 0 ] && expect "$(echo *.tracy)" "$@"
}
check 'daemon: the file is there at its end' await 20 there zone:daemon=30 finished

# tracewrap is killed: the recording goes on, and makes the file.
fresh
start "$T/ticker" 100 10
await 10 eval 'ls ticker.*.tw'
kill -9 $PID
wait $PID 2>/dev/null
check 'tracewrap killed: the file is there at the end' await 20 there zone:tick=100 finished

# The recording process is killed.
fresh
start "$T/ticker" 100 10
await 10 eval 'ls ticker.*.tw'
keeper=$(pgrep -P $PID -x tracewrap-keep)
sleep 0.3
kill -9 "$keeper"
wait $PID
equal 'recorder killed: exit code of the program' 23 $?
matches 'recorder killed: says so' "the recording process was killed; 'ticker\.[0-9]+\.tw' reads" ../err
recovered 'recorder killed' 'zone:tick>=1'

# interrupted NAME SIGNAL WHO: while the file is written.
interrupted()
{
	fresh
	start "$T/flood" 2 1500000
	await 30 eval 'ls *.part-*' || echo "# the file was written too fast"
	if [ "$3" = writer ]; then
		kill "-$2" "$(pgrep -P $PID -x tracewrap-write)"
	else
		kill "-$2" "$PID"
	fi
	wait $PID
	equal "$1: exit code of the program" 0 $?
	matches "$1: only the trace is left" '^flood\.[0-9]+\.tw$' <(ls -A)
	equal "$1: nothing else" 1 "$(ls -A | wc -l)"
	matches "$1: says what to do" "writing 'flood\.[0-9]+\.tracy' was ended by signal [0-9]+ .*the trace is kept: tracewrap export" ../err
	recovered "$1" zone:outer=3000000 zone:inner=3000000 finished
}
interrupted 'SIGINT while writing' INT tracewrap
interrupted 'SIGTERM while writing' TERM tracewrap
interrupted 'the writer is killed' KILL writer

# `tracewrap export` leaves nothing either.
setsid env --default-signal=INT "$TRACEWRAP" export "$(echo *.tw)" -o again.tracy >../out 2>../err &
PID=$!
await 30 eval 'ls *.part-*'
kill -INT $PID
wait $PID
equal 'export interrupted: ends by the signal' 130 $?
equal 'export interrupted: nothing is left' '' "$(ls -A | grep again)"

# The disk is full when the file is written.
if is_root && unshare -m true 2>/dev/null; then
	fresh
	unshare -m bash -c 'mkdir disk && mount -t tmpfs -o size=4m none disk && cd disk &&
		"$1" --port 0 "$2" 2 250000 >../../out 2>../../err; cp *.tw ../kept.tw; ls -A >../left' - "$TRACEWRAP" "$T/flood"
	matches 'full disk: only the trace is left' '^flood\.[0-9]+\.tw$' left
	equal 'full disk: nothing else' 1 "$(wc -l <left)"
	matches 'full disk: says what to do' "No space left on device.*the trace is kept: tracewrap export flood\.[0-9]+\.tw -o flood\.[0-9]+\.tracy" ../err
	check 'full disk: the trace is whole' expect kept.tw zone:outer=500000 finished
else
	skip 'full disk' 'needs root and unshare'
fi

# Bare LD_PRELOAD: no command, so a .tw; a .tracy is never made inside the program.
fresh
LD_PRELOAD=$LIBTRACEWRAP TRACEWRAP_PORT=0 "$T/annotations" >../out
matches 'bare: a .tw' '^annotations\.[0-9]+\.tw$' <(ls -A)
fresh
LD_PRELOAD=$LIBTRACEWRAP TRACEWRAP_PORT=0 TRACEWRAP_OUTPUT=x.tracy "$T/annotations" >../out
matches 'bare, .tracy asked for: a .tw beside its name' '^x\.[0-9]+\.tw$' <(ls -A)
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# When recording is on: --delay, --duration, --disabled, ctl, --signal.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

start()
{
	rm -f out err trace.tw
	: >out
	"$TRACEWRAP" --quiet -o trace.tw "$@" >out 2>err </dev/null &
	pid=$!
	await 10 grep -q ticking out
	target=$(child_of "$pid")
}

"$TRACEWRAP" --quiet -o delay.tw --delay=0.3 "$T/ticker" 60 10 >out
equal '--delay: exit code' 23 $?
check '--delay: the first zones are missing, the last are there' \
	expect delay.tw 'zone:tick>=5' 'zone:tick<=45'
"$TRACEWRAP" --quiet -o duration.tw --duration=200ms "$T/ticker" 60 10 >out
equal '--duration: the program goes on' 'done' "$(tail -n 1 out)"
check '--duration: the first zones are there, the last are missing' \
	expect duration.tw 'zone:tick>=5' 'zone:tick<=45'
"$TRACEWRAP" --quiet -o both.tw --delay=200ms --duration=200ms "$T/ticker" 80 10 >out
check '--delay and --duration' expect both.tw 'zone:tick>=5' 'zone:tick<=40'
"$TRACEWRAP" --quiet -o off.tw --disabled "$T/ticker" 10 5 >out
equal '--disabled: exit code' 23 $?
check '--disabled: nothing recorded' expect off.tw zone:tick=0 processes=1
LD_PRELOAD=$LIBTRACEWRAP TRACEWRAP_OUTPUT=$TW_TMP/bare_off.tw TRACEWRAP_DISABLED=1 \
	"$T/ticker" 10 5 >out
check '--disabled, bare' expect bare_off.tw zone:tick=0

start --disabled "$T/ticker" 1000 5 "$TW_TMP/stop_now"
sleep 0.2
check 'ctl start' "$TRACEWRAP" ctl "$pid" start
sleep 0.3
check 'ctl mark' "$TRACEWRAP" ctl "$pid" mark 'half way'
check 'ctl stop' "$TRACEWRAP" ctl "$pid" stop
sleep 0.3
: >stop_now
wait $pid
equal 'ctl: exit code' 23 $?
check 'ctl: only what lay between' expect trace.tw 'zone:tick>=5' 'zone:tick<=70'
"$TRACEWRAP" export trace.tw -o trace.json --force >out 2>err
check 'ctl: the mark is in the trace' grep -q 'half way' trace.json
rm -f stop_now

start --disabled "$T/ticker" 1000 5 "$TW_TMP/stop_now"
check 'ctl with the target pid: start' "$TRACEWRAP" ctl "$target" start
sleep 0.2
: >stop_now
wait $pid
check 'ctl with the target pid: recorded' expect trace.tw 'zone:tick>=5'
rm -f stop_now

start --signal=USR2 --disabled "$T/ticker" 1000 5 "$TW_TMP/stop_now"
sleep 0.1
kill -USR2 "$pid"
sleep 0.3
kill -USR2 "$pid"
sleep 0.3
: >stop_now
wait $pid
equal '--signal: the program did not notice' 23 $?
check '--signal: only what lay between' expect trace.tw 'zone:tick>=5' 'zone:tick<=70'

equal 'ctl of nobody: exit code' 125 "$(code "$TRACEWRAP" ctl 999999999 start)"
matches 'ctl of nobody: says it' '999999999' err
equal 'ctl of a stranger: exit code' 125 "$(code "$TRACEWRAP" ctl $$ start)"
equal 'ctl with a wrong word: exit code' 125 "$(code "$TRACEWRAP" ctl $$ dance)"
matches 'ctl with a wrong word: names the right ones' 'start' err
finish

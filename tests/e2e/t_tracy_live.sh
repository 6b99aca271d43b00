#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The live Tracy client against a strict server: every protocol, late and returning
# viewers, both homes, ports, the end of a run.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
trap stop_stayers EXIT

# Every protocol; --no-exit, so that the run waits for the viewer, who comes when it likes.
for how in $protocols '66 --tt' '76 --tt'; do
	# shellcheck disable=SC2086 # a number and maybe an option
	set -- $how
	port=$(free_port)
	start all "$port" --no-exit -- "$T/tracy_scene" 20 3 2
	check "$how: a viewer is served by the rules" viewer "$port" "$1" all.jsonl "${@:2}"
	ended "$how: the exit code is the program's" 0
	check "$how: everything came" judge counts all.jsonl all.out
	table all.tw
	check "$how: zone by zone" judge zones all.jsonl all.tw.csv $early_ppm
done

# The kinds of events, in the dump of the newest protocol and of the oldest.
for protocol in 82 63; do
	port=$(free_port)
	start kinds "$port" --no-exit -- "$T/tracy_scene" 6 1 1
	viewer "$port" $protocol kinds.jsonl
	ended "$protocol: kinds: exit code" 0
	check "$protocol: zone with text, value and colour" judge has kinds.jsonl kind=zone name=round \
		'text=round 3' 'value=[8]' colour=$((0x3266cc)) depth=1
	check "$protocol: zone renamed and coloured" judge has kinds.jsonl kind=zone name=dressed \
		colour=$((0xff8000))
	check "$protocol: UTF-8" judge has kinds.jsonl kind=zone name=gżegżółka 'text=☃ café'
	check "$protocol: message" judge has kinds.jsonl kind=message 'text=plain words'
	check "$protocol: message with colour" judge has kinds.jsonl kind=message 'text=red ☃' \
		colour=$((0xff0000))
	check "$protocol: plot" judge has kinds.jsonl kind=plot name=load value=2.5
	check "$protocol: plot below zero" judge has kinds.jsonl kind=plot name=charge value=-5.0
	check "$protocol: frame" judge has kinds.jsonl kind=frame name=tick type=mark
	check "$protocol: main frame" judge has kinds.jsonl kind=frame name=None type=mark
	check "$protocol: program" judge has kinds.jsonl kind=welcome program=tracy_scene flags=0
	matches "$protocol: command line" '"kind": "app_info".*tracy_scene 6 1 1' kinds.jsonl
	matches "$protocol: thread names" '"name": "worker-0.*"tid"' kinds.jsonl
	matches "$protocol: thread names of an exec" '"name": "leaf.*"tid"' kinds.jsonl
	[ $protocol -lt 69 ] || matches "$protocol: processes are groups" '"group": [1-9].*"name": "leaf' kinds.jsonl
	matches "$protocol: 4 KiB of text" '"name": "long", "text": "[a-z]{4096}"' kinds.jsonl
done

# Nothing to see: the viewer gets a run all the same, with a length and a name.
port=$(free_port)
start nothing "$port" --no-exit -- "$T/true"
check 'no events: a viewer is served by the rules' viewer "$port" 82 nothing.jsonl
ended 'no events: exit code' 0
check 'no events: the program' judge has nothing.jsonl kind=welcome program=true

# A server with room for one question at a time.
port=$(free_port)
start slow "$port" --no-exit -- "$T/tracy_scene" 10 1 1
check 'one query at a time' viewer "$port" 82 slow.jsonl --credit 1
ended 'one query at a time: exit code' 0
check 'one query at a time: everything' judge counts slow.jsonl slow.out

# A viewer during the run, one that comes late, one that leaves, one that comes back.
port=$(free_port)
start during "$port" -- "$T/tracy_scene" 30 2 1 40
check 'during: a viewer leaves' viewer "$port" 82 left.jsonl --leave-zones 20
check 'during: it has seen zones' judge has left.jsonl kind=zone name=round
check 'during: another leaves at once' viewer "$port" 66 left.jsonl --leave-seconds 0
check 'during: one comes back, late, and stays' viewer "$port" 82 during.jsonl
ended 'during: exit code' 0
check 'during: it got everything again' judge counts during.jsonl during.out
table during.tw
check 'during: zone by zone' judge zones during.jsonl during.tw.csv $early_ppm

# A program that has long ended when the viewer comes.
port=$(free_port)
TRACY_NO_EXIT=1 start ended "$port" -- "$T/exits" 7
sleep 0.3
check 'TRACY_NO_EXIT: waits for a viewer' kill -0 "$PID"
check 'TRACY_NO_EXIT: serves it' viewer "$port" 76 ended.jsonl
ended 'TRACY_NO_EXIT: exit code' 7

# Without it nobody waits.
port=$(free_port)
began=$SECONDS
equal 'no viewer: exit code' 7 "$(code timeout 20 "$TRACEWRAP" --port "$port" -q -f -o none.tw "$T/exits" 7)"
check 'no viewer: no wait' test $((SECONDS - began)) -le 3
equal '--port 0 has nobody to wait for' 7 \
	"$(code env TRACY_NO_EXIT=1 timeout 5 "$TRACEWRAP" --port 0 -q -f -o none.tw "$T/exits" 7)"

# TRACY_PORT; IPv6, on this machine and for all.
port=$(free_port)
TRACY_PORT=$port TRACY_NO_EXIT=1 timeout 60 "$TRACEWRAP" -q -f -o env.tw "$T/tracy_scene" 5 1 0 >env.out 2>env.err &
PID=$!
check 'TRACY_PORT' viewer "$port" 82 env.jsonl
ended 'TRACY_PORT: exit code' 0
check 'TRACY_PORT: everything' judge counts env.jsonl env.out
for wide in '' --listen-all; do
	if ! grep -q ' lo$' /proc/net/if_inet6 2>/dev/null; then
		skip "IPv6 $wide" 'the loopback interface has no IPv6'
		continue
	fi
	port=$(free_port)
	start six "$port" --no-exit $wide -- "$T/tracy_scene" 5 1 0
	check "IPv6 $wide" viewer "$port" 82 six.jsonl --host ::1
	ended "IPv6 $wide: exit code" 0
	check "IPv6 $wide: everything" judge counts six.jsonl six.out
done

# One viewer at a time: a second one hears at once that we are taken.
port=$(free_port)
start two "$port" -- "$T/tracy_scene" 30 1 0 20
viewer "$port" 82 first.jsonl &
first=$!
await 5 grep -q ":$(printf %04X "$port") [0-9A-F]*:[0-9A-F]* 01" /proc/net/tcp
viewer "$port" 82 second.jsonl
equal 'a second viewer is told that we are taken' 4 $?
wait $first
equal 'the first one does not notice' 0 $?
ended 'two viewers: exit code' 0
check 'the first one got everything' judge counts first.jsonl two.out

# A port that is taken: the program and its trace are as ever, and a line says so.
# The program lasts a little: one that ends at once is over before the client looks.
port=$(free_port)
"$PYTHON" -c "
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('0.0.0.0', $port)); s.listen(1); open('taken', 'w').close(); time.sleep(60)" &
squatter=$!
await 5 test -e taken
equal 'port in use: exit code' 7 "$(code timeout 20 "$TRACEWRAP" --port "$port" -f -o taken.tw sh -c "sleep 0.5; exit 7")"
matches 'port in use: a line says so' "port.*$port|$port.*port" err
check 'port in use: recorded' expect taken.tw end=exit:7
kill $squatter

# The embedded client: no command, the pump's task inside the process.
for protocol in 63 72 82; do
	port=$(free_port)
	TRACY_PORT=$port TRACY_NO_EXIT=1 TRACEWRAP_OUTPUT=$TW_TMP/bare.tw TRACEWRAP_FORCE=1 \
		timeout 60 env LD_PRELOAD="$LIBTRACEWRAP" "$T/tracy_scene" 10 2 0 >bare.out 2>bare.err &
	PID=$!
	check "bare $protocol: a viewer is served" viewer "$port" $protocol bare.jsonl
	ended "bare $protocol: exit code" 0
	check "bare $protocol: everything came" judge counts bare.jsonl bare.out
	equal "bare $protocol: not a word" '' "$(cat bare.err)"
	table bare.tw
	check "bare $protocol: zone by zone" judge zones bare.jsonl bare.tw.csv $early_ppm
done

# A program that dies: the viewer sees a crash and an end.
for signal in 11 9; do
	port=$(free_port)
	start crash "$port" --no-exit -- "$T/tracy_scene" 10 1 0 0 $signal
	check "signal $signal: an orderly end" viewer "$port" 82 crash.jsonl
	ended "signal $signal: exit code" $((128 + signal))
	check "signal $signal: zones came" judge has crash.jsonl kind=zone name=round
	check "signal $signal: a crash" judge has crash.jsonl kind=crash
done

# More places than a trace can have.
for protocol in 66 82; do
	port=$(free_port)
	start many "$port" --no-exit -- "$T/many_locations" 100000
	check "100,000 locations: $protocol" viewer "$port" $protocol many.jsonl
	ended "100,000 locations: $protocol: exit code" 0
	table many.tw
	check "100,000 locations: $protocol: no name is lost" judge names many.jsonl many.tw.csv
done
finish

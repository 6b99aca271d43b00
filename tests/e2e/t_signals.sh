#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Signals to tracewrap, to the target and to both; tracewrap stopped or killed mid-run.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

# start NAME OPTIONS -- COMMAND: in a session of its own; $pid is tracewrap.
start()
{
	rm -f out err trace.tw
	: >out
	# A shell without job control starts what is behind & with SIGINT ignored.
	setsid env --default-signal=INT,QUIT "$TRACEWRAP" --quiet -o "$TW_TMP/trace.tw" "$@" >out 2>err </dev/null &
	pid=$!
	await 10 grep -q . out || echo 'the target never spoke' >>err
	target=$(child_of "$pid")
}

finished()
{
	wait "$pid"
	result=$?
}

# SIGKILL of tracewrap: the target goes on untouched, the file reads.
start "$T/ticker" 60 10 "$TW_TMP/never"
kill -KILL "$pid"
finished
equal 'tracewrap killed: gone' 137 "$result"
check 'tracewrap killed: the target goes on' kill -0 "$target"
check 'tracewrap killed: the target comes to its end' await 20 grep -q done out
await 5 sh -c "! kill -0 $target"
equal 'tracewrap killed: the output is the same' 'ticking done' "$(tr '\n' ' ' <out | sed 's/ $//')"
equal 'tracewrap killed: nothing on stderr' '' "$(cat err)"
check 'tracewrap killed: the file reads' expect trace.tw 'zone:tick>=1'

start "$T/flood" 8 2000000
: # a full ring when the pump dies: never waited for
sleep 0.3
kill -KILL "$pid" 2>/dev/null
finished
check 'tracewrap killed under load: the target ends' await 60 grep -q 'zones each' out

# SIGSTOP for three seconds: the target waits, and nothing is lost.
start "$T/ticker" 40 10
kill -STOP "$pid"
sleep 3
check 'tracewrap stopped: the target is not harmed' grep -q done out
kill -CONT "$pid"
finished
equal 'tracewrap stopped and continued: exit code' 23 "$result"
check 'tracewrap stopped and continued: all is there' expect trace.tw zone:tick=40
start sh -c "echo go; exec '$T/flood' 4 400000"
kill -STOP "$pid"
sleep 2
kill -CONT "$pid"
finished
equal 'stopped under load: exit code' 0 "$result"
check 'stopped under load: nothing is lost' expect trace.tw zone:outer=1600000 zone:inner=1600000

# SIGTERM and SIGINT to tracewrap alone reach the target, whose end decides.
for signal in TERM INT HUP; do
	start "$T/handles_int" 1
	kill -$signal "$pid"
	finished
	equal "SIG$signal to tracewrap: the target decides" 31 "$result"
	equal "SIG$signal to tracewrap: the target saw it" 'interrupts 1' "$(tail -n 1 out)"
	check "SIG$signal to tracewrap: the trace is whole" expect trace.tw zone:work=1 finished
done
start "$T/ticker" 1000 10
kill -TERM "$pid"
finished
equal 'SIGTERM to tracewrap: the target dies of it' 143 "$result"
check 'SIGTERM to tracewrap: the trace is whole' expect trace.tw 'zone:tick>=1' end=signal:15 finished

# A signal to the whole group, by kill (Ctrl-C of a terminal: t_terminal.sh).
start "$T/handles_int" 1
kill -INT -- "-$pid"
finished
equal 'SIGINT to the group: the target counts one' 'interrupts 1' "$(tail -n 1 out)"
equal 'SIGINT to the group: exit code' 31 "$result"
start "$T/group"
kill -INT -- "-$pid"
finished
equal 'SIGINT to a group with children: exit code' 130 "$result"
check 'SIGINT to a group with children: the trace is whole' await 10 expect trace.tw processes=3 zone:work=3 finished

# SIGKILL of the target from outside; and of everybody.
start "$T/ticker" 1000 10
kill -KILL "$target"
finished
equal 'target killed: exit code' 137 "$result"
check 'target killed: what reached a ring is there' expect trace.tw 'zone:tick>=2' end=signal:9 finished
start "$T/ticker" 1000 10
sleep 0.5
kill -KILL -- "-$pid"
finished
check 'all killed: the file reads' expect trace.tw 'zone:tick>=1'

# The target stopped and continued: a shell's job control.
start "$T/ticker" 40 10
kill -STOP "$target"
sleep 0.5
kill -CONT "$target"
finished
equal 'target stopped and continued: exit code' 23 "$result"
check 'target stopped and continued: all is there' expect trace.tw zone:tick=40
finish

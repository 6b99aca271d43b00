#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fibers, locks, memory, call stacks, devices and frames with an end, live: against a strict
# server of every protocol, to the counts that the target itself tells.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
trap stop_stayers EXIT

# Every protocol, and Tenstorrent's forms, which the user has to ask for.
for how in $protocols '66 --tt' '76 --tt'; do
	# shellcheck disable=SC2086 # a number and maybe an option
	set -- $how
	port=$(free_port)
	start kinds "$port" --no-exit ${2:+--tracy-fork} -- "$T/tracy_kinds" 20 3 1
	check "$how: a viewer is served by the rules" viewer "$port" "$1" kinds.jsonl "${@:2}"
	ended "$how: exit code" 0
	check "$how: everything came" judge counts kinds.jsonl kinds.out
	table kinds.tw
	check "$how: zone by zone" judge zones kinds.jsonl kinds.tw.csv $early_ppm
done

# What they look like, with and without the short forms and groups.
for protocol in 82 63; do
	port=$(free_port)
	start look "$port" --no-exit -- "$T/tracy_kinds" 6 2 0
	viewer "$port" $protocol look.jsonl
	ended "$protocol: looks: exit code" 0
	check "$protocol: a zone of a fiber" judge has look.jsonl kind=zone name=slice fiber=fiber-1 depth=1
	check "$protocol: a fiber keeps its row on any thread" judge has look.jsonl kind=fiber name=fiber-0
	check "$protocol: a lock, its place, its end" judge has look.jsonl kind=lock 'name=the mutex' function=play \
		threads=2 is_shared=False is_gone=True
	check "$protocol: a lock for several" judge has look.jsonl kind=lock 'name=the rwlock' is_shared=True is_gone=False
	check "$protocol: memory" judge has look.jsonl kind=memory name=None live=0
	check "$protocol: a pool" judge has look.jsonl kind=memory name=arena live=6
	check "$protocol: a device" judge has look.jsonl kind=context 'name=the device'
	check "$protocol: an outer device zone" judge has look.jsonl kind=device name=kernel depth=0 \
		'device=the device' 'thread_name=queue 1'
	check "$protocol: an inner device zone" judge has look.jsonl kind=device name=tile depth=1 'thread_name=queue 0'
	check "$protocol: a device's clock" judge lengths look.jsonl kernel=1000 tile=300,600
	check "$protocol: frames with an end" judge has look.jsonl kind=frame name=batch type=end
	matches "$protocol: a frame of a stack, named" '"stack":.*"function": "(_?_libc_start|main)' look.jsonl
	matches "$protocol: a frame of a stack, by its place" '"function": "tracy_kinds\+0x[0-9a-f]+"' look.jsonl
done

# Many events: runs of fibers and stacks fall on the ends of blocks.
port=$(free_port)
timeout 60 "$TRACEWRAP" --force --port "$port" --no-exit -o many.tw "$T/tracy_kinds" 3000 8 2 >many.out 2>many.err &
PID=$!
check 'many: a viewer is served' viewer "$port" 82 many.jsonl
ended 'many: exit code' 0
check 'many: everything came' judge counts many.jsonl many.out
table many.tw
check 'many: zone by zone' judge zones many.jsonl many.tw.csv $early_ppm
equal 'many: nothing is left out' '' "$(grep 'left out' many.err)"

# As many threads at a lock as a viewer has room for.
port=$(free_port)
start crowd "$port" --no-exit -- "$T/tracy_kinds" 5 64 0
check 'crowd: 64 threads at a lock' viewer "$port" 82 crowd.jsonl
ended 'crowd: exit code' 0
check 'crowd: everything came' judge counts crowd.jsonl crowd.out

# While it runs: one leaves in the middle, one comes late.
port=$(free_port)
start during "$port" -- "$T/tracy_kinds" 40 3 1 10
check 'during: a viewer leaves' viewer "$port" 82 left.jsonl --leave-zones 100
check 'during: one comes back, late, and stays' viewer "$port" 76 during.jsonl
ended 'during: exit code' 0
check 'during: it got everything again' judge counts during.jsonl during.out

# A viewer that comes when most of the trace has been taken away.
for protocol in 63 72 82; do
	port=$(free_port)
	start rotated "$port" --no-exit --max-size 200K -- "$T/tracy_kinds" 4000 6 1
	await 5 pgrep -f "^$T/tracy_kinds 4000"
	await 30 eval "! pgrep -f '^$T/tracy_kinds 4000' >/dev/null"
	check "rotated, $protocol: a viewer is served by the rules" viewer "$port" $protocol rotated.jsonl
	ended "rotated, $protocol: exit code" 0
	check "rotated, $protocol: zones came" judge has rotated.jsonl kind=zone name=slice
	check "rotated, $protocol: blocks are missing" judge fewer rotated.jsonl rotated.out
done

# The embedded client.
port=$(free_port)
TRACY_PORT=$port TRACY_NO_EXIT=1 TRACEWRAP_OUTPUT=$TW_TMP/bare.tw TRACEWRAP_FORCE=1 \
	timeout 60 env LD_PRELOAD="$LIBTRACEWRAP" "$T/tracy_kinds" 50 3 0 >bare.out 2>bare.err &
PID=$!
check 'bare: a viewer is served' viewer "$port" 82 bare.jsonl
ended 'bare: exit code' 0
check 'bare: everything came' judge counts bare.jsonl bare.out
equal 'bare: not a word' '' "$(cat bare.err)"
finish

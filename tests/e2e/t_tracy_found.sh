#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How viewers find us: the ports that are tried, the beacons that their lists are made of,
# a door for each protocol that is asked for. In a network of our own: the ports are fixed.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
own=
for how in 'unshare -n' 'unshare -rn'; do
	if $how true 2>/dev/null; then
		own=$how
		break
	fi
done
[ -n "$own" ] || skip_all 'no network of our own: needs unshare -n (root or user namespaces)'

# found WHAT...: see found.py; what it prints is in found.txt.
found()
{
	# shellcheck disable=SC2086 # a command and its options
	timeout -k 5 60 $own "$PYTHON" "$TW_SRC/tests/tracy/found.py" "$@" >found.txt 2>found.err </dev/null
}
server="$PYTHON $TW_SRC/tests/tracy/strict_server.py --timeout 20"

# Nobody comes: a beacon at the start, one every three seconds, one that takes it back.
found beacons "$TRACEWRAP" -q -f -o alone.tw sh -c 'sleep 3.5; exit 7'
equal 'alone: exit code' 7 $?
matches 'alone: told at the start' '^3 8086 82 0 sh$' found.txt
matches 'alone: told again' '^3 8086 82 [3-9] sh$' found.txt
equal 'alone: taken back in the end' '3 8086 82 -1 sh' "$(tail -n 1 found.txt)"

# A viewer comes: taken back while it is there, told again when it has left.
found beacons sh -c "'$TRACEWRAP' -q -f -o visit.tw '$T/tracy_scene' 40 1 0 50 & \
	$server --port 8086 --dump visit.jsonl --leave-zones 5; wait \$!"
equal 'visit: exit code' 0 $?
equal 'visit: told, taken back, told, taken back' '0 -1 + -1' \
	"$(awk 'NR > 1 && $4 > 0 { $4 = "+" } { print $4 }' found.txt | uniq | sed '1!s/^0$/+/' | uniq | tr '\n' ' ' | sed 's/ $//')"

# Other protocols on request, each at its own door; a viewer may take any of them. The
# program lasts a little: what the client has to say about one that ends at once is late.
found beacons sh -c "'$TRACEWRAP' -f --tracy-announce 66,9,72 -o doors.tw --no-exit '$T/tracy_scene' 5 1 0 100 2>doors.err & \
	$server --port 8088 --protocol 63 --dump doors.jsonl; wait \$!"
equal 'doors: exit code' 0 $?
equal 'doors: a port for each' '8086 82,8087 66,8088 72,' "$(awk '{ print $2, $3 }' found.txt | sort -u | tr '\n' ,)"
equal 'doors: all are taken back' '8086 8087 8088' "$(awk '$4 == -1 { print $2 }' found.txt | sort -u | xargs)"
matches 'doors: one that we do not speak' 'protocol 9 .*not one that we speak' doors.err
check 'doors: a viewer of yet another protocol' judge has doors.jsonl kind=zone name=round
found beacons "$TRACEWRAP" -q -f -p 9000 --tracy-announce 63 -o asked.tw true
equal 'doors: behind the port that was asked for' '9000 82,9001 63,' "$(awk '{ print $2, $3 }' found.txt | sort -u | tr '\n' ,)"
equal 'doors: nonsense' 125 "$(code "$TRACEWRAP" --tracy-announce 66,x true)"

# Ports that others have.
found taken 19 sh -c "'$TRACEWRAP' -q -f -o last.tw --no-exit '$T/tracy_scene' 3 1 0 & \
	$server --port 8105 --dump last.jsonl; wait \$!"
equal 'nineteen are taken: exit code' 0 $?
check 'nineteen are taken: the last serves' judge has last.jsonl kind=zone name=round
found taken 20 "$TRACEWRAP" -f -o none.tw sh -c 'sleep 0.5; exit 7'
equal 'all twenty are taken: exit code' 7 $?
matches 'all twenty are taken: a line says so' 'no live view: no port from 8086 to 8105' found.err
check 'all twenty are taken: recorded' expect none.tw end=exit:7
finish

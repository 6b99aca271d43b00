#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The accelerator of CPython 3.12 and later: it is on where it was tried, gives the same
# trace as the documented interface, lets other tools be, and gives way where it must.
. "$TW_SRC/tests/real/real.sh"
. "$TW_SRC/tests/python/interpreters.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'there is none for this processor'
mkdir -p "$TW_TMP/given"
cp "$P/tools.py" "$TW_TMP/given/"
tried=0

# short_way PYTHON OPTION...: says whether the accelerator was on.
short_way()
{
	local python=$1
	shift
	"$TRACEWRAP" -fqo "$TW_TMP/l.tw" --log "$TW_TMP/log" "$@" -- "$python" -c pass
	grep -c 'take the short way' "$TW_TMP/log"
	rm "$TW_TMP/log"
}

# streams PYTHON OPTION...: begins and ends of the probe.
streams()
{
	record "$1" "$2" -- "$P/calls.py" && "$PYTHON" "$P/stream.py" "$TW_TMP/t.csv" "$P/calls.py"
}

for python in "${pythons[@]}"; do
	name=$(short "$python")
	case $name in
	3.1[2-5].*[0-9]\ *) ;;
	3.[6-9].* | 3.1[01].*) continue ;;
	*)
		equal "$name: auto: not on where it was not tried" 0 "$(short_way "$python" --python-fast=auto)"
		continue
		;;
	esac
	tried=$((tried + 1))
	equal "$name: auto: on" 1 "$(short_way "$python" --python-fast=auto)"
	equal "$name: on: on" 1 "$(short_way "$python" --python-fast=on)"
	equal "$name: off: off" 0 "$(short_way "$python" --python-fast=off)"
	streams "$python" --python-fast=on >"$TW_TMP/on"
	streams "$python" --python-fast=off >"$TW_TMP/off"
	check "$name: a trace was made" test "$(wc -l <"$TW_TMP/on")" -gt 3000
	check "$name: the same trace as without it" diff "$TW_TMP/off" "$TW_TMP/on"
	same_output "$name: other tools" "$python tools.py"
	check "$name: other tools: balanced" expect "$TW_TMP/trace.tw" balanced
	same_output "$name: a tool that takes our place" "$python tools.py thief"
	# Memory may not become executable: from Linux 6.3 a program can ask for that.
	cat >"$TW_TMP/strict.py" <<'E2'
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):
    sys.exit(77)
import os
os.execv(sys.executable, [sys.executable, "-c", "def marker(): pass\nmarker()"])
E2
	"$TRACEWRAP" -fqo "$TW_TMP/strict.tw" -- "$python" "$TW_TMP/strict.py"
	case $? in
	77) skip "$name: code may not be changed" 'this kernel cannot forbid it' ;;
	*) check "$name: code may not be changed: the interface, and a note" expect "$TW_TMP/strict.tw" \
		'zone:marker=1' 'note:the system does not let code be changed' ;;
	esac
done
[ $tried -gt 0 ] || skip 'the accelerator' 'no CPython 3.12 to 3.15 is here'
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which calls are recorded: -t, -T, lists of hooks, children, clocks and gates, and what
# is said when a pattern is wrong or finds nothing.
. "$TW_SRC/tests/e2e/native.sh"
build_wrapped && build_wraps wraps || {
	not_ok 'the program builds' "$TW_TMP/.build"
	finish
}
cd "$TW_TMP" || exit
W=$TW_TMP/wraps

# record OPTION... -- COMMAND: into t.tw; prints the exit code.
record()
{
	rm -f t.tw
	code "$TRACEWRAP" -q -o t.tw "$@"
}

equal 'one function' 0 "$(record -t libwrapped:w_throw "$W" exceptions)"
check 'only that one is recorded' expect t.tw zone:w_throw=1201 zones=1201 balanced
equal 'several patterns' 0 "$(record -t libwrapped:w_throw,libwrapped:w_leaf -t 'libwrapped*:w_rep*' "$W" exceptions)"
check 'their functions are recorded' expect t.tw zone:w_throw=1201 zone:w_leaf=1 zone:w_report=1 zones=1203
equal 'with exceptions' 0 "$(record -t 'libwrapped:*' -T libwrapped:w_throw -T '*:w_report' "$W" exceptions)"
check 'those are left out' expect t.tw zone:w_throw=0 zone:w_report=0 zone:w_leaf=1 zones=1003
equal 'nothing chosen' 0 "$(record "$W" exceptions)"
check 'nothing recorded' expect t.tw zones=0
"$TRACEWRAP" report --json t.tw >t.json
equal 'a hook is a zone of its function and library' 0 "$(record -t 'libwrapped:w_leaf' "$W" exceptions)"
"$TRACEWRAP" report --json t.tw >t.json
equal 'named by function, file is the library, layer native' 'w_leaf libwrapped.so native' "$("$PYTHON" -c '
import json
z = json.load(open("t.json"))["zones"][0]
print(z["name"], z["file"], z["layer"])')"

# "c*" is meant for a library, not for close and clock_gettime.
equal 'a wide pattern' 0 "$(record -t '*:*' "$W" signals)"
check 'libc is not traced unless named' expect t.tw zone:setitimer=0 zone:printf=0 'zone:w_leaf>=20000'
equal 'libc by name' 0 "$(record -t 'libc.so.6:setit*' "$W" signals)"
check 'libc is traced when named' expect t.tw zone:setitimer=2 zones=2
equal 'libc by its short name' 0 "$(record -t 'libc:setitimer' "$W" signals)"
check 'that is a name too' expect t.tw zone:setitimer=2 zones=2
equal 'functions that cannot be wrapped' 0 "$(record -t 'libc.so.6:*jmp*,libc.so.6:vfork,libc.so.6:_exit' "$W" jumps)"
check 'are left alone' expect t.tw zones=0

# Lists of hooks, to find the one that does harm.
rm -f hooks
equal 'a list of hooks' 0 "$(record --list-hooks hooks -t 'libwrapped:*' "$W" exceptions)"
equal 'holds a function a line' yes "$(grep -qx 'libwrapped.so:w_throw' hooks && echo yes)"
equal 'and nothing else' '' "$(grep -vE '^libwrapped\.so:w_[a-z_]+$' hooks)"
grep -E 'w_(throw|leaf)$' hooks >some
equal 'a list read back' 0 "$(record --hooks-from some "$W" exceptions)"
check 'hooks what it lists' expect t.tw zone:w_throw=1201 zone:w_leaf=1 zones=1202
: >none
equal 'an empty list' 0 "$(record --hooks-from none "$W" exceptions)"
check 'hooks nothing' expect t.tw zones=0
equal 'a list in a bare run' 0 "$(code env LD_PRELOAD="$LIBTRACEWRAP" TRACEWRAP_HOOKS_FROM=some \
	TRACEWRAP_OUTPUT="$TW_TMP/bare.tw" "$W" exceptions)"
check 'hooks what it lists there' expect bare.tw zone:w_throw=1201 zone:w_leaf=1 zones=1202

# Children are traced alike, wherever they run.
equal 'children in another folder' 0 "$(record -t libwrapped:w_throw sh -c "cd / && $W exceptions && (cd /tmp; $W exceptions)")"
check 'are traced' expect t.tw zone:w_throw=2402 'processes>=3'
equal 'children of a bare run' 0 "$(code env LD_PRELOAD="$LIBTRACEWRAP" TRACEWRAP_TRACE=libwrapped:w_throw \
	TRACEWRAP_OUTPUT="$TW_TMP/family.tw" sh -c "cd / && $W exceptions && env -i $W exceptions")"
check 'are traced, with a cleaned environment too' expect "$TW_TMP/family*" zone:w_throw=2402

# Slow clocks and closed gates take other paths through the thunk.
equal 'the monotonic clock' 0 "$(record --clock monotonic -t 'libwrapped:*' "$W" exceptions)"
check 'records the same' expect t.tw zone:w_throw=1201 zone:w_call=1002 balanced
equal 'fibers with the monotonic clock' 0 "$(record --clock monotonic -t 'libwrapped:*' "$W" fibers)"
check 'record the same' expect t.tw zone:w_leaf=3000 balanced
equal 'recording disabled' 0 "$(record --disabled -t 'libwrapped:*' "$W" exceptions)"
check 'records nothing' expect t.tw zones=0
equal 'a small ring that drops' 0 "$(record --drop -b 1M -t 'libwrapped:*' "$W" signals)"
check 'keeps zones balanced' expect t.tw balanced 'zones>=1000' lost:

# Wrong and useless patterns.
for bad in libz :x libz: 'libz:*,' ''; do
	equal "-t '$bad' is refused" 125 "$(code "$TRACEWRAP" -t "$bad" true)"
	matches "and it is said what to give instead" "LIB:GLOB such as" err
done
equal 'a list that is not there' 125 "$(code "$TRACEWRAP" --hooks-from missing true)"
matches 'is said before the program runs' "cannot read the list of hooks 'missing'" err
equal 'a list that cannot be written' 125 "$(code "$TRACEWRAP" --list-hooks /nowhere/x true)"
matches 'is said before the program runs, too' "cannot write the list of hooks" err
rm -f t.tw
equal 'a library that never comes' 0 "$(code "$TRACEWRAP" -o t.tw -t 'libnowhere:*,libwrapped:w_leaf' "$W" exceptions)"
matches 'is named in the summary' "no call was hooked for -t 'libnowhere:\*':" err
rm -f t.tw
equal 'patterns that all match' 0 "$(code "$TRACEWRAP" -o t.tw -t 'libwrapped:w_leaf' "$W" exceptions)"
equal 'leave nothing to say' '' "$(grep 'no call was hooked' err)"

# A static program has no slots; it runs as ever.
printf '#include <stdio.h>\nint main(void) { puts("static"); return 3; }\n' >static.c
if $CC -static static.c -o static 2>/dev/null; then
	equal 'a static program' 3 "$(record -t '*:*' ./static)"
	equal 'prints what it prints' static "$(cat out)"
else
	skip 'a static program' 'no static libc here'
fi
finish

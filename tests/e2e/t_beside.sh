#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Other people's preload libraries beside ours: their order and their view stay.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"

one=$T/.libs/beside_one.so two=$T/.libs/beside_two.so
jemalloc=
for file in /usr/lib/*/libjemalloc.so.2 /usr/lib/libjemalloc.so.2; do
	[ -e "$file" ] && jemalloc=$file
done
export one two jemalloc

cat >"$TW_TMP/table.txt" <<'TABLE'
[one preload]
run env LD_PRELOAD="$one" $T/annotations
expect zones=113

[two preloads]
run env LD_PRELOAD="$one:$two" $T/annotations
expect zones=113

[two preloads the other way, by blanks]
run env LD_PRELOAD="$two $one" $T/environment
bare-filter /TRACEWRAP|^early|LD_PRELOAD/d

[preloads below exec]
run env LD_PRELOAD="$two:$one" $T/forks
expect zone:work=13

[preload of something missing]
run env LD_PRELOAD=/no/such/library.so $T/true

[preload removed on the way]
run env LD_PRELOAD="$one" env -u LD_PRELOAD $T/annotations
expect zones=113

[jemalloc]
needs $jemalloc
run env LD_PRELOAD="$jemalloc" $T/threads_many 200
expect zone:work=400

[jemalloc, forking]
needs $jemalloc
run env LD_PRELOAD="$jemalloc" $T/fork_threads
expect zone:work=4000
TABLE
same_file "$TW_TMP/table.txt"

# Given by the user to tracewrap itself, which loads it too: one more line at the start.
for mode in plain traced; do
	set --
	[ $mode = plain ] || set -- "$TRACEWRAP" --quiet -o "$TW_TMP/user.tw" --
	"$OUTCOME" -o "$TW_TMP/outcome" -C -e LD_PRELOAD="$two:$one" "$@" "$T/shells" \
		>"$TW_TMP/out" 2>"$TW_TMP/err"
	cat "$TW_TMP/outcome" "$TW_TMP/out" >"$TW_TMP/$mode"
	sort -u "$TW_TMP/err" >>"$TW_TMP/$mode"
done
check 'preloads of the user of tracewrap' diff "$TW_TMP/plain" "$TW_TMP/traced"

# The same object in both places, as a user does who sets LD_PRELOAD and runs tracewrap.
"$OUTCOME" -o "$TW_TMP/outcome" -e LD_PRELOAD="$LIBTRACEWRAP" \
	"$TRACEWRAP" --quiet -o "$TW_TMP/twice.tw" "$T/annotations" >"$TW_TMP/out" 2>"$TW_TMP/err"
equal 'ourselves twice: exit' 'exit 0' "$(cat "$TW_TMP/outcome")"
check 'ourselves twice: recorded once' expect "$TW_TMP/twice.tw" zones=113

# tracewrap under tracewrap: the inner one has the program.
"$TRACEWRAP" --quiet -o "$TW_TMP/outer.tw" "$TRACEWRAP" --quiet -o "$TW_TMP/inner.tw" \
	"$T/annotations" >"$TW_TMP/out" 2>"$TW_TMP/err"
equal 'nested: exit code' 0 $?
equal 'nested: silent' '' "$(cat "$TW_TMP/err")"
check 'nested: the inner trace has the zones' expect "$TW_TMP/inner.tw" zones=113
check 'nested: the outer one reads' expect "$TW_TMP/outer.tw" 'processes>=1'
finish

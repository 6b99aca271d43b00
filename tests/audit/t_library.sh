#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the preload library shows to and takes from the program it lives in.
. "$TW_SRC/tests/e2e/lib.sh"
here=$TW_SRC/tests/audit

has nm || skip_all 'needs nm (apt-get install binutils)'
check 'the library is there' test -r "$LIBTRACEWRAP"

# Every exported symbol is one more name taken from the program.
nm -D --defined-only "$LIBTRACEWRAP" | awk '{ print $NF }' | sed 's/@.*//' |
	sort -u >"$TW_TMP/exported"
grep -v '^#' "$here/exported.txt" | sort -u >"$TW_TMP/listed"
check 'exported symbols are those of audit/exported.txt' diff "$TW_TMP/listed" "$TW_TMP/exported"

readelf -d "$LIBTRACEWRAP" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$TW_TMP/needed"
equal 'nothing but libc is needed' '' \
	"$(grep -vE '^(libc\.so\.6|ld-linux.*\.so\.[0-9])$' "$TW_TMP/needed")"
equal 'no RPATH' '' "$(readelf -d "$LIBTRACEWRAP" | grep -E 'RPATH|RUNPATH')"
equal 'no text relocations' '' "$(readelf -d "$LIBTRACEWRAP" | grep TEXTREL)"
equal 'no executable stack' '' "$(readelf -lW "$LIBTRACEWRAP" | grep GNU_STACK | grep E)"

equal 'no segment is writable and executable' '' "$(readelf -lW "$LIBTRACEWRAP" | grep -E 'LOAD .* RWE')"
# Room for static TLS is short: a library that wants much of it is silently not loaded.
tls=$(readelf -lW "$LIBTRACEWRAP" | awk '$1 == "TLS" { print $6 }')
check "thread-local storage is small ($tls)" test $((tls)) -le 128
# Indirect branch tracking lands on even addresses that begin with endbr64.
stubs=$(readelf -sW "$TW_BUILD"/preload/native/.libs/thunk_x86_64.o | awk '$8 == "tw_thunk_stubs" { print $3 }')
if [ -n "$stubs" ]; then
	equal 'a stub is 16 bytes' 262144 "$((stubs))"
	readelf -n "$TW_BUILD"/preload/native/.libs/thunk_x86_64.o >"$TW_TMP/notes"
	matches 'the thunk is marked for IBT and shadow stacks' 'IBT, SHSTK' "$TW_TMP/notes"
	objdump -d --no-show-raw-insn "$LIBTRACEWRAP" >"$TW_TMP/code"
	check 'every stub begins with endbr64' test "$(grep -c 'endbr64' "$TW_TMP/code")" -ge 16384
	equal 'the thunk touches no vector register' '' "$(objdump -d --no-show-raw-insn \
		"$TW_BUILD"/preload/native/.libs/thunk_x86_64.o | awk '/<tw_thunk>:/,/<tw_thunk_landing>:/' | grep -E 'xmm|ymm|zmm|%st' | head -n 3)"
fi

# Thread-local storage is of the initial-exec model: __tls_get_addr may call malloc.
nm -D --undefined-only "$LIBTRACEWRAP" | awk '{ print $NF }' | sed 's/@.*//' |
	sort -u >"$TW_TMP/imported"
equal 'thread-local storage needs no call' '' "$(grep -x __tls_get_addr "$TW_TMP/imported")"
grep -v '^#' "$here/forbidden.txt" | grep . >"$TW_TMP/forbidden"
# The static LZ4 brings functions that allocate and that nobody calls.
equal 'no malloc, stdio, exit or locale is imported' '' \
	"$(grep -Exf "$TW_TMP/forbidden" "$TW_TMP/imported" | grep -vxE 'calloc|free|malloc' | tr '\n' ' ')"
mapfile -t objects < <(find "$TW_BUILD/preload" "$TW_BUILD/src" -path '*/.libs/*' \
	\( -name 'libtracewrap_la-*.o' -o -name 'libengine_preload_la-*.o' \) | sort)
check 'our own objects were found' test ${#objects[@]} -ge 10
for object in "${objects[@]}"; do
	nm --undefined-only "$object" | awk '{ print $NF }' | grep -Exf "$TW_TMP/forbidden" |
		sed "s|^|${object##*/}: |"
done >"$TW_TMP/found"
equal 'none of it is called by our own code' '' "$(cat "$TW_TMP/found")"
finish

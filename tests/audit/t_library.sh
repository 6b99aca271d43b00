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

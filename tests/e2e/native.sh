# SPDX-License-Identifier: BSD-3-Clause
# What the tests of native calls share: the library and the program that calls it, built
# in several ways, and stanzas (same.sh) made from what the library counts itself.
# shellcheck shell=bash
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/e2e/same.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'native calls are recorded on x86-64 only'

# build_wrapped: the library, into TW_TMP.
build_wrapped()
{
	# shellcheck disable=SC2086 # the compiler may come with flags
	$CXX -O2 -g -fPIC -shared -Wno-psabi -Wl,-soname,libwrapped.so \
		"$TW_SRC/tests/targets/wrapped.cc" -o "$TW_TMP/libwrapped.so" >"$TW_TMP/.build" 2>&1
}

# build_wraps NAME FLAG...: the program, into TW_TMP; EXTRA_CC is another compiler.
build_wraps()
{
	local name=$1
	shift
	build_extra "$name" wraps.cc -O2 -Wno-psabi "$@" "$TW_TMP/libwrapped.so" -Wl,-rpath,"$TW_TMP" -ldl
}

# counted PROGRAM CASE: expect words for what the library counts in an untraced run.
counted()
{
	"$1" "$2" | sed -n 's/^calls \(.*\) \(.*\)/zone:\1=\2/p' | tr '\n' ' '
}

# stanza NAME PATTERNS RUN EXPECT: one stanza whose three runs have the same patterns.
stanza()
{
	printf '[%s]\nrun %s\nsetting -e TRACEWRAP_TRACE=%s\nexpect %s\nbare-expect %s\n' \
		"$1" "$3" "'$2'" "$4" "$4"
}

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where calls are found: libraries that come and go, hide from each other, are found by
# their caller's RUNPATH, stand before each other, have versions. Each answer of dlopen
# and dlsym is as without us.
. "$TW_SRC/tests/e2e/native.sh"
L=$TW_TMP/libs
mkdir -p "$L/hidden"
printf 'OLD { global: *; }; NEW { } OLD;\n' >"$TW_TMP/versions"

# library NAME NUMBER FLAG...
library()
{
	local name=$1 number=$2
	shift 2
	# shellcheck disable=SC2086
	$CXX -O2 -fPIC -shared -DBASE=3 -DHIDDEN=4 -DFINDER=5 -DLOADED="$number" -Wl,-z,lazy \
		-Wl,-soname,"${name##*/}" "$TW_SRC/tests/targets/loaded.cc" -o "$L/$name" "$@" 2>&1
}
{
	library libbase.so 3 &&
		library libone.so 1 "$L/libbase.so" -Wl,-rpath,"$L" -Wl,--enable-new-dtags \
			-Wl,--version-script,"$TW_TMP/versions" &&
		library libtwo.so 2 "$L/libbase.so" -Wl,-rpath,"$L" -Wl,--enable-new-dtags \
			-Wl,--version-script,"$TW_TMP/versions" &&
		library hidden/libhidden.so 4 "$L/libbase.so" -Wl,-rpath,"$L" -Wl,--enable-new-dtags &&
		library libfinder.so 5 -Wl,-rpath,"$L/hidden" -Wl,--enable-new-dtags
} >"$TW_TMP/.build" || {
	not_ok 'the libraries build' "$TW_TMP/.build"
	finish
}

all='lib*:*'
{
	stanza 'reloaded' "$all" "$T/loads $L reload" 'zone:run=50 zone:base_add=50 zone:who=50 balanced'
	stanza 'hidden from each other' "$all" "$T/loads $L apart" 'zone:run=20 zone:base_add=20 balanced'
	stanza 'deep binding' "$all" "$T/loads $L deep" 'zone:run=4 zone:base_add=4 balanced'
	stanza 'found by RUNPATH' "$all" "$T/loads $L runpath" 'zone:find_hidden=2 zone:hidden=2 zone:base_add=2 balanced'
	stanza 'errors' "$all" "$T/loads $L errors" 'zones=0'
	stanza 'closed inside' "$all" "$T/loads $L close-inside" 'zone:run_other=20 balanced'
	stanza 'four threads' "$all" "$T/loads $L threads" 'zone:run=400 zone:base_add=400 balanced'
	stanza 'namespaces' "$all" "$T/loads $L space" 'zone:run=1 zone:base_add=1 balanced'
	stanza 'versions and indirect functions' "$all" "$T/loads $L indirect" 'zone:run_indirect=1 zone:run_versioned=3 balanced'
} >"$TW_TMP/table.txt"
same_file "$TW_TMP/table.txt"

# An interposer asks for the next of its own name: the answer depends on who asks.
cat >"$TW_TMP/front.c" <<'C'
#include <dlfcn.h>
int who(int x) { int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "who"); return next ? next(x) + 1000 : -1; }
C
cat >"$TW_TMP/asks.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int who(int);
int main(void)
{
	int (*found)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "who");
	printf("%d %d %d\n", who(0), who(1), found(2));
	return 0;
}
C
# shellcheck disable=SC2086
if $CC -O1 -fPIC -shared "$TW_TMP/front.c" -o "$L/libfront.so" &&
	$CC -O1 "$TW_TMP/asks.c" -o "$TW_TMP/asks" "$L/libfront.so" "$L/libone.so" -Wl,-rpath,"$L" 2>"$TW_TMP/.build"; then
	# RTLD_NEXT is left as it is: its caller wants the function itself.
	stanza 'RTLD_NEXT and RTLD_DEFAULT' "$all" "$TW_TMP/asks" 'zone:who=3 balanced' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	not_ok 'the interposer builds' "$TW_TMP/.build"
fi

# A program that was linked against an old version of a function keeps it.
cat >"$TW_TMP/old.c" <<'C'
#include <stdio.h>
int run_versioned(int);
int run_old(int);
__asm__(".symver run_old, run_versioned@OLD");
int main(void) { printf("%d %d\n", run_old(0), run_versioned(0)); return 0; }
C
for binding in lazy now; do
	# shellcheck disable=SC2086
	if $CC -O1 "$TW_TMP/old.c" -o "$TW_TMP/old" "$L/libone.so" -Wl,-rpath,"$L" -Wl,-z,$binding 2>"$TW_TMP/.build"; then
		equal "old and new version, $binding, untraced" '10 20' "$("$TW_TMP/old")"
		stanza "old and new version, $binding" "$all" "$TW_TMP/old" 'zone:run_versioned=2 balanced' >"$TW_TMP/table.txt"
		same_file "$TW_TMP/table.txt"
	else
		not_ok "a program with an old version builds" "$TW_TMP/.build"
	fi
done

# Code without a PLT loads addresses from the slots that it calls through: a function
# whose address is taken is left alone, the others are recorded.
cat >"$TW_TMP/taken.c" <<'C'
#include <stdio.h>
#include <string.h>
int who(int), run(int);
int (*pick(int i))(int) { return i ? who : run; }
int base_add(int, int);
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += base_add(who(i), run(i));
	printf("%d %d %d\n", sum, pick(1) == who, pick(0) == run);
	return 0;
}
C
# shellcheck disable=SC2086
if $CC -O1 -fPIC -fno-plt "$TW_TMP/taken.c" -o "$TW_TMP/taken" "$L/libone.so" "$L/libbase.so" -Wl,-rpath,"$L" 2>"$TW_TMP/.build"; then
	stanza 'addresses taken without a PLT' "$all" "$TW_TMP/taken" \
		'zone:base_add=20 zone:run=0 zone:who=10 balanced' >"$TW_TMP/table.txt"
	same_file "$TW_TMP/table.txt"
else
	not_ok 'a program without a PLT builds' "$TW_TMP/.build"
fi
finish

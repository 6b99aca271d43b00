#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unit tests in a build with AddressSanitizer and UndefinedBehaviourSanitizer.
. "$TW_SRC/tests/e2e/lib.sh"
folder=$TW_BUILD/asan

mkdir -p "$folder"
cd "$folder" || exit
if ! printf 'int main(void) { return 0; }' | $CC -x c - -fsanitize=address,undefined -o "$TW_TMP/probe" 2>/dev/null; then
	skip_all 'the compiler has no sanitizers'
fi
if [ ! -f config.status ] || [ "$TW_SRC/configure" -nt config.status ]; then
	"$TW_SRC/configure" --enable-sanitizers=address,undefined CFLAGS='-O1 -g' >"$TW_TMP/log" 2>&1 || {
		not_ok 'configure' "$TW_TMP/log"
		finish
	}
fi
# One after the other: `all` is a make of its own and would build the same files again.
check 'builds' make -j"$(nproc)" all
check 'builds the unit tests' make -j"$(nproc)" tests/unit/unit
if [ -x tests/unit/unit ]; then
	printf 'leak:libcriterion\nleak:libboxfort\nleak:libnanomsg\n' >"$TW_TMP/leaks"
	LSAN_OPTIONS=suppressions=$TW_TMP/leaks:print_suppressions=0 \
		UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
		tests/unit/unit --output=tap:"$TW_TMP/unit.tap" --timeout 120 >"$TW_TMP/stdout" 2>"$TW_TMP/stderr"
	result=$?
	while IFS= read -r line; do
		text=${line#*ok - }
		case $line in
		'ok '*'# SKIP'*) skip "${text%%#*}" "${text#*SKIP }" ;;
		'ok '*) ok "$text" ;;
		'not ok '*) not_ok "$text" ;;
		' '*) echo "#$line" ;;
		esac
	done <"$TW_TMP/unit.tap"
	grep -E 'ERROR: |runtime error' "$TW_TMP/stderr" >"$TW_TMP/findings"
	equal 'no finding of a sanitizer' '' "$(head -n 3 "$TW_TMP/findings")"
	equal 'the program ends well' 0 $result
elif grep -q 'S\["HAVE_CRITERION_TRUE"\]="#"' config.status; then
	skip 'unit tests' 'Criterion was missing when configure ran (apt-get install libcriterion-dev)'
fi
finish

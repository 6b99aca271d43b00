#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Half a minute of damaged input under sanitizers; `make fuzz` runs longer.
. "$TW_SRC/tests/e2e/lib.sh"
if ! printf 'int main(void) { return 0; }' | $CC -x c - -fsanitize=address,undefined -o "$TW_TMP/probe" 2>/dev/null; then
	skip_all 'the compiler has no sanitizers'
fi
bash "$TW_SRC/tests/fuzz/run.sh" "$TW_SRC" "$TW_BUILD" 24 >"$TW_TMP/out" 2>"$TW_TMP/err"
result=$?
for what in queries spool tracy; do
	if grep -q "^$what: [1-9]" "$TW_TMP/out"; then
		ok "$(grep "^$what:" "$TW_TMP/out"): nothing found"
	else
		grep -m 1 -A 15 -E 'ERROR|runtime error|fuzz' "$TW_TMP/err" >"$TW_TMP/finding"
		not_ok "$what" "$TW_TMP/finding"
	fi
done
equal 'the fuzzers end well' 0 $result
finish

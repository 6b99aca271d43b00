#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A traced Python program prints, returns and ends as it does untraced.
. "$TW_SRC/tests/real/real.sh"
. "$TW_SRC/tests/python/interpreters.sh"
mkdir -p "$TW_TMP/given"
cp "$P"/{same,ends,many,aio}.py "$TW_TMP/given/"
printf '{"b": 1, "a": [1, 2, {"c": null}]}' >"$TW_TMP/given/in.json"
printf 'def f(:\n' >"$TW_TMP/given/broken.py"

for python in "${pythons[@]}"; do
	name=$(short "$python")
	same_output "$name: what it sees" "$python same.py a b"
	same_output "$name: programs" "$python -m json.tool in.json; $python aio.py; $python many.py
		$python -m timeit -n1 -r1 pass >/dev/null; $python -m dis ends.py | tail -n 3"
	check "$name: a zone in each process" expect "$TW_TMP/trace.tw" 'zone:counted=5'
	# The shell's own message about a signal names the process.
	same_output "$name: ends" "for how in exit _exit abort raise interrupt memory recursion late kill; do
		$python ends.py \$how 2>\$how.err; echo \$how \$?; done 2>/dev/null; $python broken.py; echo \$?"
	check "$name: what was recorded before the end" expect "$TW_TMP/trace.tw" \
		'zone:outer=9' 'zone:inner=9'
done
finish

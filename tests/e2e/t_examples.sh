#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Examples: each builds, runs alone and traced, and is recorded.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

hello=$TW_BUILD/examples/hello
"$hello" >plain
equal 'hello: exit code' 0 "$(code "$TRACEWRAP" -o hello.tw "$hello")"
check 'hello: the same output' diff plain out
check 'hello: the summary has at most 12 lines' test "$(grep -c '' err)" -le 12
check 'hello: recorded' expect hello.tw processes=1 threads=4 zone:sort=30 thread:sorter-1 finished
"$TRACEWRAP" report hello.tw >report
matches 'hello: the report names its zones' 'sort' report
for source in "$TW_SRC"/examples/*.c; do
	name=$(basename "$source" .c)
	check "$name: is built by make" test -x "$TW_BUILD/examples/$name"
	check "$name: this script knows it" grep -q "examples/$name" "$0"
done
finish

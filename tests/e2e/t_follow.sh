#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --follow=all|fork|none: which processes belong to the trace.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

follow()
{
	"$OUTCOME" -o outcome -C "$TRACEWRAP" --quiet --force -o "$1.tw" --follow="$1" "${@:2}" >out 2>err </dev/null
}

follow all "$T/forks"
check 'all: forked children' expect all.tw processes=4 zone:child=3
follow fork "$T/forks"
check 'fork: forked children' expect fork.tw processes=4 zone:child=3
follow none "$T/forks"
check 'none: no children' expect none.tw processes=1 zone:child=0 zone:work=10

follow all "$T/shells"
check 'all: below a shell' expect all.tw zone:below_the_shell=3
for how in fork none; do
	follow $how "$T/shells"
	check "$how: not below exec" expect $how.tw zone:below_the_shell=0 zone:work=1
	follow $how "$T/spawns"
	check "$how: not spawned" expect $how.tw zone:spawned=0 zone:work=1
	follow $how "$T/execs"
	check "$how: only the first image" expect $how.tw zone:step=1
	equal "$how: the rest ran" 'step 12' "$(tail -n 1 out | cut -d' ' -f1,2)"
	follow $how "$T/environment"
	check "$how: nothing of us in children" sh -c "! grep -iE 'tracewrap.so|LD_PRELOAD=' out"
done
finish

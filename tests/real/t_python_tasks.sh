#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tasks of asyncio have rows of their own, and as many as there are tasks at once. What is
# in them, call by call, is compared by t_python_calls.sh.
. "$TW_SRC/tests/python/interpreters.sh"
cd "$TW_TMP" || exit
export PYTHONDONTWRITEBYTECODE=1 STAND_IN=$TW_SRC/python

# fates PYTHON [plain]: the program's own output, and the rows.
fates()
{
	local python=$1
	shift
	"$python" "$P/tasks.py" "$@" >plain.txt 2>&1 || return
	record "$python" --port 0 -- "$P/tasks.py" "$@" >traced.txt 2>&1 || return
	diff plain.txt traced.txt || return
	# 20 of the crowd, one each of main, zoned, fails, cancelled, forks, in_thread; those
	# that were abandoned make up to 64 before they are swept.
	expect t.tw balanced finished processes=2 'rows>=26' 'rows<=100' zone:Task:_crowd=2000 \
		zone:Task:_main=1 zone:Task:_fails=1 zone:Task:_forever=51 zone:in_child=1 \
		zone:Task:_in_thread=1 thread:Task:_main thread:Task:_crowd thread:Task:_crowd_20 \
		zone:across=1 zone:within=1 || return
	# The child, forked inside of a step, goes on as a thread.
	[ "$(awk -F, '$1 == "in_child" { print $8 }' t.csv)" = '' ] || return
	# Zones of its own lie beside a task, since they stay open across awaits.
	[ "$("$PYTHON" "$P/tree.py" t.csv "$P/tasks.py" 'Task: zoned (zones)' | tr -s '\n ' ' ')" = \
		'[Task: zoned (zones)] across within ' ] || return
	awk -F, '$1 == "zoned" { n++; if (!b) b = $9; e = $9 + $10 }
		$1 == "across" { if ($9 < b || $9 + $10 > e || $9 + $10 < e - $10 / 2) print "across", $0 }
		END { exit n != 3 }' t.csv || return
	# Each task's zone is called after its coroutine and tells its name, from 3.8.
	[ $# -gt 0 ] || "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || return 0
	[ $# -gt 0 ] || grep -q '^Task: main,.*,Task-1,' t.csv
}

for python in "${pythons[@]}"; do
	name=$(short "$python")
	check "$name: tasks" fates "$python"
	check "$name: tasks written in Python" fates "$python" plain
done
finish

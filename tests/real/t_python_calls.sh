#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The calls in a trace are, one by one, those that sys.setprofile sees in the same program.
. "$TW_SRC/tests/python/interpreters.sh"

# equals_reference PYTHON PROBE [OPTION]...
equals_reference()
{
	local python=$1 probe=$P/$2.py
	shift 2
	"$python" "$P/reference.py" "$probe" "$TW_TMP/reference.json" >/dev/null || return
	record "$python" "$@" -- "$probe" || return
	"$PYTHON" "$P/stream.py" "$TW_TMP/t.csv" "$probe" "$TW_TMP/reference.json" || return
	expect "$TW_TMP/t.tw" balanced finished
}

# sys.setprofile misses resumes by throw() and close() before 3.12, so this is written down.
thrown='B main B closed E closed B closed E closed B closed E closed B closed E closed B thrown E thrown B thrown E thrown B thrown E thrown B passes E passes B passes E passes E main'

for python in "${pythons[@]}"; do
	name=$(short "$python")
	check "$name: every kind of call" equals_reference "$python" calls
	check "$name: asyncio" equals_reference "$python" aio
	record "$python" -- "$P/throws.py"
	equal "$name: generators closed and thrown into" "$thrown" \
		"$("$PYTHON" "$P/stream.py" "$TW_TMP/t.csv" "$P/throws.py" | grep -v '<module>' |
			sed 's/:.*//' | tr '\n' ' ' | sed 's/ $//')"
	check "$name: the profile function as hook" equals_reference "$python" aio --python-hook=profile
done
finish

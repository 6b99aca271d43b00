#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every option is in --help, in the man page and in the completion; these are installed.
. "$TW_SRC/tests/e2e/lib.sh"
prefix=$(dirname "$(dirname "$TRACEWRAP")")

# The names come from the table itself, not from what prints it.
names=$(sed -n 's/^	{ "\([a-z-]*\)", .*TW_CMD_.*/\1/p' "$TW_SRC/src/core/options.c" | sort -u)
check 'the table was found' test "$(echo "$names" | wc -l)" -ge 15
for command in '' report export doctor ctl; do
	# shellcheck disable=SC2086
	"$TRACEWRAP" $command --help >>"$TW_TMP/help" 2>&1
done
man=$(find "$prefix/share/man" -name 'tracewrap*.1*' 2>/dev/null)
check 'man pages are installed' test -n "$man"
completion=$(find "$prefix/share/bash-completion" -name tracewrap 2>/dev/null)
check 'the completion is installed' test -n "$completion"
for name in $names; do
	matches "--$name is in --help" "--$name\b" "$TW_TMP/help"
	# shellcheck disable=SC2086
	check "--$name is in a man page" sh -c 'sed "s/\\\\-/-/g; s/\\\\//g" $1 | grep -q -- "--$2"' - "$man" "$name"
	check "--$name is in the completion" grep -q -- "--$name" $completion
done
if [ -n "$completion" ]; then
	completed=$(bash -c '. "$1"; COMP_WORDS=(tracewrap --max) COMP_CWORD=1 COMP_LINE="tracewrap --max" COMP_POINT=15
		f=$(complete -p tracewrap | sed -n "s/.*-F \([^ ]*\).*/\1/p"); $f tracewrap --max tracewrap; echo "${COMPREPLY[@]}"' - "$completion")
	equal 'the completion completes' '--max-size' "$(echo "$completed" | tr -d '= ')"
fi
if has man; then
	for page in $man; do
		equal "$(basename "$page"): no warning of the formatter" '' \
			"$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)"
	done
else
	skip 'man pages without a warning' 'needs man (apt-get install man-db)'
fi
check 'pkg-config file is installed' test -n "$(find "$prefix" -name tracewrap.pc)"
check 'the header is installed' test -r "$prefix/include/tracewrap.h"
# What is installed works from where it is, and elsewhere.
cp -r "$prefix" "$TW_TMP/elsewhere"
(cd "$TW_TMP" && "$TW_TMP/elsewhere/bin/tracewrap" --quiet -o moved.tw "$T/annotations" >/dev/null)
check 'a moved installation records' expect "$TW_TMP/moved.tw" zones=113
ln -s "$TW_TMP/elsewhere/bin/tracewrap" "$TW_TMP/link"
"$TW_TMP/link" --quiet -o "$TW_TMP/linked.tw" "$T/annotations" >/dev/null
check 'a link to it records' expect "$TW_TMP/linked.tw" zones=113
finish

# SPDX-License-Identifier: BSD-3-Clause
# Real programs, untraced and traced in equal folders: outputs, end and files compared.
# shellcheck shell=bash
. "$TW_SRC/tests/e2e/lib.sh"

# same_output NAME SCRIPT: runs the shell script in a fresh folder, both ways.
same_output()
{
	local name=$1 script=$2 mode
	for mode in plain traced; do
		rm -rf "$TW_TMP/at" "${TW_TMP:?}/$mode"
		mkdir -p "$TW_TMP/at"
		cp -r "$TW_TMP/given/." "$TW_TMP/at/" 2>/dev/null
		set --
		[ $mode = plain ] || set -- "$TRACEWRAP" --quiet --force -o "$TW_TMP/trace.tw" --
		(
			cd "$TW_TMP/at" || exit
			"$OUTCOME" -o ../outcome -t 120 -e HOME="$TW_TMP/at" "$@" \
				bash -c "$script" </dev/null >../stdout 2>../stderr
		)
		mv "$TW_TMP/at" "$TW_TMP/$mode"
		mv "$TW_TMP/outcome" "$TW_TMP/stdout" "$TW_TMP/stderr" "$TW_TMP/$mode/"
	done
	if ! grep -q '^exit 0' "$TW_TMP/plain/outcome"; then
		not_ok "$name: works untraced" "$TW_TMP/plain/outcome" "$TW_TMP/plain/stderr"
		return
	fi
	check "$name: the same" diff -r "$TW_TMP/plain" "$TW_TMP/traced"
	check "$name: the trace reads" expect "$TW_TMP/trace.tw" 'processes>=1'
}

# need COMMAND PACKAGE: the rest of the script is skipped without it.
need()
{
	has "$1" || skip_all "needs $1 (apt-get install $2)"
}

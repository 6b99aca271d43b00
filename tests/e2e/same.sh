# SPDX-License-Identifier: BSD-3-Clause
# The transparency check: every stanza of a table of tests/targets is run untraced, under
# `tracewrap --quiet -o FILE --`, and under a bare LD_PRELOAD; standard output, standard
# error, the way it ended and the files it left must be the same, and the trace must hold
# what the stanza says. Sourced by the t_same_*.sh scripts, which name a table.
#
# A stanza is a [name] and lines of a key and its value:
#   run COMMAND       what to run, by the shell's quoting; $T is the folder of targets
#   input TEXT        its standard input; without it, nothing
#   setting OPTIONS   of tests/tools/outcome: closed descriptors, limits, signals
#   options OPTIONS   more options for tracewrap
#   needs root        skipped without; any other word is a command or a file, or $VARIABLE
#   await FILE        the run is over when this file is there (daemons)
#   expect WORDS      what the trace holds: expect.py
#   bare no REASON    not run under a bare preload: a documented difference
#   bare-filter SED   takes a documented difference out of both outputs
#   bare-expect WORDS what the traces of a bare preload hold: each image has its own
# shellcheck shell=bash

D=$TW_TMP/run       # the target's current folder: the same path in all three runs
kept=$TW_TMP/kept   # results, by mode
traces=$TW_TMP/traces
export T D

# run_mode MODE COMMAND...: runs it in a fresh $D and keeps what came of it.
run_mode()
{
	local mode=$1
	shift
	rm -rf "$D" "${kept:?}/$mode"
	mkdir -p "$D" "$kept"
	chmod 777 "$D"
	(
		cd "$D" || exit
		printf '%b' "$input" >../input
		# shellcheck disable=SC2086 # options are words
		eval "exec \"\$OUTCOME\" -o ../outcome -t 60 -C $setting \"\$@\"" \
			<../input >../stdout 2>../stderr
	)
	if [ -n "$await" ]; then
		await 20 test -e "$D/$await" || echo "$await never came" >>"$TW_TMP/outcome"
	fi
	mv "$D" "$kept/$mode"
	mv "$TW_TMP/stdout" "$TW_TMP/stderr" "$TW_TMP/outcome" "$kept/$mode/"
}

# Under the command a death by signal n is told as 128+n.
as_command()
{
	sed 's/^signal \(.*\)/\1 128/' "$1" |
		awk '$2 == 128 && NF == 2 && $1 != "exit" { print "exit", $1 + 128; next } { print }'
}

# compare MODE: what differs from the untraced run; nothing when all is the same.
compare()
{
	local mode=$1
	if [ "$mode" = command ]; then
		as_command "$kept/plain/outcome" >"$kept/outcome.expected"
	else
		cp "$kept/plain/outcome" "$kept/outcome.expected"
	fi
	cmp -s "$kept/outcome.expected" "$kept/$mode/outcome" ||
		echo "ended: $(cat "$kept/outcome.expected"), $mode: $(cat "$kept/$mode/outcome")"
	if [ "$mode" = bare ] && [ -n "$bare_filter" ]; then
		sed -i -E "$bare_filter" "$kept"/plain/std* "$kept"/bare/std*
	fi
	diff -r -u --text -x outcome "$kept/plain" "$kept/$mode"
}

# Says why the stanza cannot run here; nothing when it can.
missing_need()
{
	local need
	for need in $needs; do
		case $need in
		root) is_root || echo 'needs root' ;;
		\$*) eval "[ -n \"\${${need#\$}:-}\" ]" || echo "$need is not there" ;;
		/*) [ -e "$need" ] || echo "needs $need" ;;
		*) has "$need" || echo "needs $need (apt-get install $need)" ;;
		esac
	done
}

run_stanza()
{
	local why trace=$traces/command.tw bare_trace=$traces/bare.tw
	[ -n "$name" ] || return 0
	why=$(missing_need | head -n 1)
	if [ -n "$why" ]; then
		skip "$name" "$why"
		return 0
	fi
	rm -rf "$traces"
	mkdir -p "$traces"
	chmod 777 "$traces"
	eval "run_mode plain $run"
	if grep -Eq '^(exit (9[789]|12[5-7])|timeout)' "$kept/plain/outcome"; then
		not_ok "$name: works untraced" "$kept/plain/outcome" "$kept/plain/stderr"
		return 0
	fi
	# shellcheck disable=SC2154
	eval "run_mode command \"\$TRACEWRAP\" --quiet -o \"\$trace\" $options -- $run"
	compare command >"$TW_TMP/difference" 2>&1
	if [ -s "$TW_TMP/difference" ]; then
		not_ok "$name: the same under the command" "$TW_TMP/difference"
	else
		ok "$name: the same under the command"
	fi
	# shellcheck disable=SC2086 # words
	[ -z "$expect" ] || check "$name: the trace holds it" expect "$trace" $expect
	case $bare in
	no*)
		return 0
		;;
	esac
	setting="$setting -e LD_PRELOAD=\"\${LD_PRELOAD_FIRST:+\$LD_PRELOAD_FIRST:}\$LIBTRACEWRAP\" -e TRACEWRAP_OUTPUT=\"\$bare_trace\""
	eval "run_mode bare $run"
	compare bare >"$TW_TMP/difference" 2>&1
	if [ -s "$TW_TMP/difference" ]; then
		not_ok "$name: the same under a bare preload" "$TW_TMP/difference"
	else
		ok "$name: the same under a bare preload"
	fi
	# shellcheck disable=SC2086
	[ -z "$bare_expect" ] ||
		check "$name: the bare trace holds it" expect "${bare_trace%.tw}*" $bare_expect
}

clear_stanza()
{
	name='' run='' input='' setting='' options='' needs='' await='' expect='' bare=''
	bare_filter='' bare_expect=''
}

# same TABLE: all stanzas of tests/targets/TABLE.
same()
{
	same_file "$TW_SRC/tests/targets/$1"
}

# same_file FILE: all stanzas of FILE; TW_ONLY=NAME picks one.
same_file()
{
	local line key value
	clear_stanza
	while IFS= read -r line <&7 || [ -n "$line" ]; do
		key=${line%%[ 	]*}
		value=${line#"$key"}
		value=${value#"${value%%[! 	]*}"}
		case $line in
		'' | '#'*) continue ;;
		'['*)
			run_stanza
			clear_stanza
			name=${line#[}
			name=${name%]}
			[ "${TW_ONLY:-$name}" = "$name" ] || name=''
			continue
			;;
		esac
		case $key in
		run | input | setting | options | needs | await | expect | bare) eval "$key=\$value" ;;
		bare-filter) bare_filter=$value ;;
		bare-expect) bare_expect=$value ;;
		*)
			not_ok "$1: the key '$key' of [$name] is known"
			;;
		esac
	done 7<"$1"
	run_stanza
}

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which Debian packages tracewrap needs, and how they get onto this machine.
# Sourced by ./run and ./check. Quick when nothing is missing: one dpkg-query.
#
# To add a need: one word in one of the two lists.

needs_build='autoconf automake gcc libc6-dev liblz4-dev libtool libxxhash-dev libzstd-dev make pkg-config'
needs_check='bash clang clang-format curl dash g++ gcc-multilib gdb git libclang-rt-dev
	libcriterion-dev libjemalloc2 ltrace man-db musl-tools openssl perl procps python3 sqlite3
	xz-utils'

# Prints those of its arguments that are not installed.
needs_missing()
{
	dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
		awk 'BEGIN { for (i = 1; i < ARGC; i++) want[ARGV[i]] = 1; ARGC = 1 }
			$2 ~ /^.i/ { delete want[$1] }
			END { for (p in want) print p }' "$@" | sort | tr '\n' ' '
}

# Prints the prefix that makes a command run as root; fails when there is none.
needs_root()
{
	if [ "$(id -u)" = 0 ]; then
		echo env
	elif ! command -v sudo >/dev/null 2>&1; then
		return 1
	elif sudo -n true 2>/dev/null; then
		echo sudo -n env
	elif [ -t 0 ] && [ -t 2 ]; then
		echo sudo env
	else
		return 1
	fi
}

# Of its arguments, prints the packages that this Debian release offers.
needs_offered()
{
	for package; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			printf '%s ' "$package"
		fi
	done
}

# needs_install FOLDER PACKAGE...: installs what is missing. Returns 0 when nothing is
# missing afterwards; otherwise prints the command that would help and returns 1. What
# this release does not offer is remembered in FOLDER, and not asked for again.
needs_install()
{
	log=$1/packages.log
	absent=$1/packages.absent
	shift
	if ! command -v dpkg-query >/dev/null 2>&1; then
		return 0 # not Debian: configure will say what it does not find
	fi
	touch "$absent"
	# shellcheck disable=SC2046 # package names have no blanks
	set -- $(needs_missing "$@" | tr ' ' '\n' | grep -vxFf "$absent")
	[ $# -gt 0 ] || return 0
	if ! prefix=$(needs_root); then
		needs_say "these packages are missing, and neither root nor sudo is at hand;" \
			"install them with:" "$@"
		return 1
	fi
	echo "tracewrap: installing $*" >&2
	# shellcheck disable=SC2046,SC2086
	if $prefix apt-get update >>"$log" 2>&1 </dev/null; then
		offered=$(needs_offered "$@")
		printf '%s\n' "$@" | grep -vxF "$(echo $offered | tr ' ' '\n')" >>"$absent"
		$prefix DEBIAN_FRONTEND=noninteractive apt-get install -y \
			--no-install-recommends $offered >>"$log" 2>&1 </dev/null
		set -- $(needs_missing $offered)
	fi
	[ $# -gt 0 ] || return 0
	tail -n 5 "$log" >&2
	needs_say "not all packages could be installed (log: $log); the command was:" "$@"
	return 1
}

# needs_say WORDS... PACKAGE...: the last words up to a colon are the sentence.
needs_say()
{
	sentence=
	while [ $# -gt 0 ]; do
		sentence="$sentence $1"
		case $1 in
		*:) shift; break ;;
		esac
		shift
	done
	printf 'tracewrap:%s\n  apt-get update && apt-get install -y --no-install-recommends %s\n' \
		"$sentence" "$*" >&2
}

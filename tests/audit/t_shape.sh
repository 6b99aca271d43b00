#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The shape of the sources: length, width, licence, words, formatting.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_SRC" || exit

mapfile -t sources < <(find src preload include tests examples scripts \
	\( -name '*.c' -o -name '*.h' -o -name '*.S' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' \
	-o -name '*.am' -o -name '*.def' \) -print | sort)
mapfile -t code < <(find src preload include examples tests \( -name '*.c' -o -name '*.h' \) | sort)
check 'there are sources' test ${#sources[@]} -gt 50

equal 'no file is longer than 700 lines' '' \
	"$(wc -l "${sources[@]}" | awk '$1 > 700 && $2 != "total" { print $2, $1 }')"
equal 'every file names its licence' '' "$(grep -L 'SPDX-License-Identifier: BSD-3-Clause' \
	"${sources[@]}" run check .ci/run configure.ac Makefile.am)"
equal 'no work is left for later without an issue' '' \
	"$(grep -nwE 'TODO|FIXME|XXX' "${code[@]}" | grep -vE '#[0-9]+')"
equal 'no C++ comments in C' '' "$(grep -nE '^[ 	]*//' "${code[@]}")"
# Words and paths of one machine have no place in a tree that others build.
equal 'no path of a home or of a work folder' '' \
	"$(grep -nE '/(home|root|work)/[a-z.]' "${sources[@]}" run check .ci/run configure.ac |
		grep -v 'audit/t_shape.sh')"
# shellcheck disable=SC2016
equal 'British spelling' '' "$(grep -nwiE 'color|colors|initialize|initialized|behavior|serialize|normalize|optimize' \
	$(printf '%s\n' "${code[@]}" | grep -v '^tests/targets/beside') | head -n 5)"

formatter=
for candidate in clang-format-14 clang-format; do
	if has $candidate && $candidate --version | grep -q 'version 14'; then
		formatter=$candidate
		break
	fi
done
if [ -n "$formatter" ]; then
	check 'clang-format 14 agrees' "$formatter" --dry-run --Werror "${code[@]}"
else
	skip 'clang-format 14 agrees' 'needs clang-format 14 (apt-get install clang-format)'
fi
for script in run check .ci/run scripts/*.sh tests/*.sh tests/*/*.sh; do
	bash -n "$script" || echo "$script"
done >"$TW_TMP/syntax" 2>&1
equal 'scripts parse' '' "$(cat "$TW_TMP/syntax")"
finish

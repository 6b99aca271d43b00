#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SOURCE BUILD SECONDS: fuzzes each reader for its share of the time, in the build
# BUILD/asan, which it makes. Prints a line for each; a finding ends it with 1.
# TRACEWRAP records what is then damaged.
set -eu
source=$1 build=$2 seconds=$3
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

quietly()
{
	"$@" >"$build/asan/fuzz.log" 2>&1 || {
		echo "run.sh: failed: $*" >&2
		tail -n 20 "$build/asan/fuzz.log" >&2
		exit 2
	}
}

mkdir -p "$build/asan"
cd "$build/asan"
if [ ! -f config.status ] || [ "$source/configure" -nt config.status ]; then
	quietly "$source/configure" --enable-sanitizers=address,undefined CFLAGS='-O1 -g'
fi
# One after the other: `all` is a make of its own and would build the same files again.
quietly make -j"$(nproc)" all
quietly make -j"$(nproc)" tests/fuzz/fuzz
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
cd "$at"
# The plain build records: a sanitizer's library and ours do not preload together.
TRACEWRAP_PORT=0 "$TRACEWRAP" -q -o seed.tw -- sh -c '
	"$1/tracy_scene" 8 2 1 && "$1/tracy_kinds" 8 2 1' - "$build/tests/targets" >/dev/null
"$TRACEWRAP" export -q seed.tw -o seed.tracy
TRACEWRAP_PORT=0 "$TRACEWRAP" -q -o kinds.tw -- \
	"$build/tests/targets/tracy_kinds" 4 2 1 >/dev/null
"$TRACEWRAP" export -q kinds.tw -o kinds.tracy
share=$(((seconds + 4) / 5))
for what in 'queries seed.tw' 'spool seed.tw' 'spool kinds.tw' 'tracy seed.tracy' 'tracy kinds.tracy'; do
	# shellcheck disable=SC2086 # two words
	"$build/asan/tests/fuzz/fuzz" $what $share ${FUZZ_SEED:-} 2>err || {
		tr '\r' '\n' <err | tail -n 60 >&2
		exit 1
	}
done

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Figures that need whole programs, each as a ratio or difference measured in this run:
# these machines are noisy. Called by `make bench` with the staged installation and the
# folder of the compiled bench programs. Prints; judges nothing.
set -eu
stage=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tracewrap=$stage/bin/tracewrap
library=$stage/lib/libtracewrap.so

"$tracewrap" bench
echo

row() { printf '%-44s %10s %10s %8s\n' "$@"; }

zones() { # words on one line: floor best, floor median, zone best, zone median
	"$@" | awk -v what="$what" '{
		printf "%-44s %7.1f ns %7.1f ns %7.2fx\n", what, $3, $4, $4 / $2 }'
}
row "annotation, CPU time" best median "of floor"
what="zone, not preloaded" zones "$programs/zones"
what="zone, tracewrap" zones "$tracewrap" -q -f -o "$work/z.tw" "$programs/zones"
what="zone, bare LD_PRELOAD" zones env LD_PRELOAD="$library" TRACEWRAP_FORCE=1 \
	TRACEWRAP_OUTPUT="$work/y.tw" "$programs/zones"
echo

calls() { # one line of six numbers; what a call adds to a bare one, and its part of a peer's
	"$@" 2>/dev/null | tail -n 1
}
best() { # command...: the lowest of each number in five runs
	i=0
	while [ $i -lt 5 ]; do
		calls "$@"
		i=$((i + 1))
	done | awk '{ for (i = 1; i <= 6; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
		END { for (i = 1; i <= 6; i++) printf "%s ", least[i] }'
}
added() { # label, numbers, bare numbers: what one call, and one of 64, adds
	echo "$2 $3" | awk -v what="$1" '{
		printf "%-44s %7.1f ns %7.1f ns %7.2fx\n", what, $3 - $9, $5 - $11, $3 / $1 }'
}
row "native call, CPU time added (best of 5)" "one" "one of 64" "of floor"
bare=$(best "$programs/calls")
ours=$(best "$tracewrap" -q -f --port 0 -o "$work/c.tw" -t 'libcalled*:*' "$programs/calls")
added "tracewrap -t" "$ours" "$bare"
if command -v uftrace >/dev/null 2>&1; then
	theirs=$(best uftrace record --force -d "$work/uftrace" "$programs/calls")
	added "uftrace (PLT)" "$theirs" "$bare"
	echo "$ours $bare $theirs" | awk '{
		printf "%-44s %9.2fx %9.2fx\n", "tracewrap / uftrace", ($3 - $9) / ($15 - $9), ($5 - $11) / ($17 - $11) }'
else
	row "uftrace (apt-get install uftrace)" "absent" "" ""
fi
echo

now() { date +%s%N; }
# Median wall time of 21 runs, in microseconds.
median() {
	i=0
	while [ $i -lt 21 ]; do
		start=$(now)
		"$@" >/dev/null 2>&1
		echo $((($(now) - start) / 1000))
		i=$((i + 1))
	done | sort -n | sed -n 11p
}
bare=$(median /bin/true)
traced=$(median "$tracewrap" -q -f -o "$work/t.tw" /bin/true)
alone=$(median env LD_PRELOAD="$library" TRACEWRAP_FORCE=1 \
	TRACEWRAP_OUTPUT="$work/u.tw" /bin/true)
row "start and end, wall time (median of 21)" "" "" ""
row "true" "$bare us" "" ""
row "tracewrap true" "$traced us" "+$((traced - bare)) us" ""
row "LD_PRELOAD, true" "$alone us" "+$((alone - bare)) us" ""
echo

bare=$("$programs/memory")
traced=$("$tracewrap" -q -f -o "$work/m.tw" "$programs/memory")
alone=$(env LD_PRELOAD="$library" TRACEWRAP_FORCE=1 TRACEWRAP_OUTPUT="$work/n.tw" \
	"$programs/memory")
row "resident memory, 4 busy threads" "" "" ""
row "without" "$bare KiB" "" ""
row "tracewrap" "$traced KiB" "+$((traced - bare)) KiB" ""
row "LD_PRELOAD (with its pump)" "$alone KiB" "+$((alone - bare)) KiB" ""
echo

"$tracewrap" -q -f -o "$work/many.tw" "$programs/many"
start=$(now)
"$tracewrap" report --json "$work/many.tw" >"$work/many.json"
ms=$((($(now) - start) / 1000000))
bytes=$(wc -c <"$work/many.tw")
row "report of 10 M zones" "" "" ""
row "report --json" "$ms ms" "" ""
row "trace" "$((bytes / 1024)) KiB" \
	"$(awk -v b="$bytes" 'BEGIN { printf "%.2f", b / 20000000 }') B/event" ""
for packing in lz4 zstd; do
	start=$(now)
	"$tracewrap" export -q -f --tracy-compression $packing "$work/many.tw" -o "$work/many.tracy"
	ms=$((($(now) - start) / 1000000))
	bytes=$(wc -c <"$work/many.tracy")
	row "export to .tracy, $packing" "$ms ms" "$((bytes / 1024)) KiB" \
		"$(awk -v b="$bytes" 'BEGIN { printf "%.2f", b / 10000000 }') B/zone"
done
echo

if command -v bash >/dev/null 2>&1; then
	bash "$(dirname "$0")/live.sh" "$stage" "$(cd "$programs" && pwd)"
fi

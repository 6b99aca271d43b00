#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Figures of the live Tracy client with a real server; README.md says what the peer is.
# Called by run.sh with the staged installation and the folder of the compiled bench
# programs. Both sides of a comparison take turns; ratios are medians of the turns'.
# Prints; judges nothing.
set -eu
stage=$1
programs=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
tracewrap=$stage/bin/tracewrap
TW_TMP=$(mktemp -d)
trap 'rm -rf "$TW_TMP"' EXIT
PYTHON=${PYTHON:-python3}
protocol=${TRACEWRAP_BENCH_PROTOCOL:-72}
peer=${TRACEWRAP_BENCH_PEER:-}
zones=10000000
rounds=9
pairs=21

has() { command -v "$1" >/dev/null 2>&1; }
row() { printf '%-44s %10s %10s %8s\n' "$@"; }

# figure FORMAT FORMULA FILE...: the median over the lines of the files side by side.
figure()
{
	local format=$1 formula=$2
	shift 2
	paste -d' ' "$@" | awk "{ print $formula }" | sort -n |
		awk -v f="$format" '{ v[NR] = $1 } END { printf f, v[int((NR + 1) / 2)] }'
}

# best NAME: the most zones a second, in millions.
best()
{
	awk -v n=$zones '{ v = n / $2 / 1e6; if (v > b) b = v } END { printf "%.2f", b }' "$1.figures"
}

. "$top/tests/tracy/lib.sh"
. "$top/tests/tracy/real_server.sh"
if ! has "$PYTHON" || ! real_server "$protocol"; then
	echo "live: no server to measure with: ${WHY:-needs python3}"
	exit 0
fi
cd "$TW_TMP"

# streams NAME COMMAND...: adds "bytes seconds" to NAME.figures; @PORT in COMMAND becomes
# the port that it has to listen on. The server's file is NAME.tracy.
streams()
{
	local name=$1 door port
	shift
	door=$(free_port)
	port=$(free_port)
	"$programs/stream" "$door" "$port" "${@//@PORT/$port}" >>"$name.figures" 2>"$name.err" &
	timeout 120 "$CAPTURE" -o "$name.tracy" -f -p "$door" -a 127.0.0.1 </dev/null >"$name.log" 2>&1
	wait
}

for ((i = 0; i < rounds; i++)); do
	streams ours "$tracewrap" -q -f --port @PORT --no-exit -o ours.tw "$programs/many" $zones
	[ -z "$peer" ] || streams peer env TRACY_PORT=@PORT TRACY_NO_EXIT=1 "$peer" $zones
done
row "live, $((zones / 1000000)) M zones, protocol $protocol (median of $rounds)" zones "a zone" best
for name in ours peer; do
	[ -s $name.figures ] || continue
	what="Tracy's client"
	[ $name = peer ] || what=tracewrap
	row "$what" "$(figure '%.2f M/s' "$zones / \$2 / 1e6" $name.figures)" \
		"$(figure '%.2f B' "\$1 / $zones" $name.figures)" "$(best $name) M/s"
done
if [ -n "$peer" ]; then
	row "tracewrap to Tracy's client" "$(figure '%.2fx' '$4 / $2' ours.figures peer.figures)" \
		"$(figure '%.2fx' '$1 / $3' ours.figures peer.figures)" \
		"$(awk -v a="$(best ours)" -v b="$(best peer)" 'BEGIN { printf "%.2fx", a / b }')"
else
	echo "Tracy's client: not measured; tests/bench/README.md says how"
fi
echo

# The same run as the server wrote it down and as we do, packed alike.
packing=zstd
[ "$protocol" -ge 66 ] || packing=lz4
"$tracewrap" export -q -f --tracy-compression $packing ours.tw -o export.tracy
wc -c <ours.tracy >server.size
wc -c <export.tracy >export.size
row "a live run's .tracy file, $packing" "" "" ""
row "the server's" "$(figure '%d KiB' '$1 / 1024' server.size)" "" ""
row "tracewrap export" "$(figure '%d KiB' '$1 / 1024' export.size)" "" \
	"$(figure '%.2fx' '$1 / $2' export.size server.size)"
echo

# annotates NAME: adds the figures of zones, which starts when a viewer can be there.
annotates()
{
	"$tracewrap" -q -f --port "$port" -o zones.tw "$programs/zones" 500 1000 >>"$1.zones"
}

for ((i = 0; i < pairs; i++)); do
	port=$(free_port)
	annotates alone
	port=$(free_port)
	timeout 60 "$CAPTURE" -o viewed.tracy -f -p "$port" -a 127.0.0.1 </dev/null >viewed.log 2>&1 &
	annotates viewed
	wait
done
row "a viewer's effect on annotation ($pairs pairs)" without with change
row "zone, CPU time, of floor" "$(figure '%.3fx' '$4 / $2' alone.zones)" \
	"$(figure '%.3fx' '$4 / $2' viewed.zones)" \
	"$(figure '%+.1f %%' '(($9 / $7) / ($4 / $2) - 1) * 100' alone.zones viewed.zones)"
row "floor and zone, wall time, on $(nproc) CPUs" "$(figure '%.1f ns' '$5' alone.zones)" \
	"$(figure '%.1f ns' '$5' viewed.zones)" \
	"$(figure '%+.1f %%' '($10 / $5 - 1) * 100' alone.zones viewed.zones)"

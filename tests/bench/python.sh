#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Added nanoseconds a Python call, tracewrap beside its peers of the same run: the median
# over rounds of (tool - plain of the same round). python.sh STAGE [PYTHON]...; without
# interpreters, all that are found. viztracer comes from PyPI into a cache folder.
set -u
stage=$1
shift
here=$(cd "$(dirname "$0")" && pwd -P)
tracewrap=$stage/bin/tracewrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tracewrap/bench
rounds=${TW_ROUNDS:-9}
if [ $# = 0 ]; then
	# shellcheck disable=SC2046
	set -- /usr/bin/python3 $(ls -d "$(pyenv root 2>/dev/null)"/versions/3.*/bin/python3 2>/dev/null | sort -V)
fi

# peer PYTHON: a folder with viztracer for it; nothing when it cannot be had.
peer()
{
	local folder
	folder=$cache/viztracer-$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	[ -d "$folder/viztracer" ] ||
		"$1" -m pip install -q --disable-pip-version-check --only-binary :all: \
			--target "$folder" viztracer >/dev/null 2>&1
	[ -d "$folder/viztracer" ] && echo "$folder"
}

# one CONFIG: a line "CONFIG fib rich".
one()
{
	case $1 in
	tracewrap) set -- "$1" "$tracewrap" -qfo "$work/t.tw" -- "$python" "$here/python.py" plain ;;
	tracewrap-api) set -- "$1" "$tracewrap" -qfo "$work/t.tw" --python-fast=off -- "$python" "$here/python.py" plain ;;
	*) set -- "$1" env PYTHONPATH="$modules" "$python" "$here/python.py" "$1" ;;
	esac
	echo "$1 $("${@:2}" 2>/dev/null)"
}

printf '%-8s %-8s %8s %12s %14s %22s %20s\n' python load plain tracewrap 'without fast' 'viztracer (ratio)' 'cProfile (ratio)'
for python; do
	[ -x "$python" ] || continue
	modules=$(peer "$python")
	configs='plain tracewrap cprofile setprofile'
	[ -n "$modules" ] && configs="$configs viztracer"
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' && configs="$configs tracewrap-api"
	for _ in $(seq "$rounds"); do
		for config in $configs; do
			one "$config"
		done
	done >"$work/rows"
	awk -v name="$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')" '
	function median(a, n,    i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && a[j] < a[j - 1]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return n ? a[int((n + 1) / 2)] : 0
	}
	function added(config, load,    i, a, m) {
		for (i = 1; i <= n[config]; i++)
			if (v[config, load, i] > 0 && v["plain", load, i] > 0)
				a[++m] = v[config, load, i] - v["plain", load, i]
		return median(a, m)
	}
	function beside(config, load, own,    x) {
		x = added(config, load)
		return x ? sprintf("%.0f (%.1fx)", x, x / own) : "-"
	}
	NF == 3 { n[$1]++; v[$1, "fib", n[$1]] = $2; v[$1, "rich", n[$1]] = $3 }
	END {
		split("fib rich", loads, " ")
		for (l = 1; l <= 2; l++) {
			load = loads[l]
			for (i = 1; i <= n["plain"]; i++) p[i] = v["plain", load, i]
			own = added("tracewrap", load)
			api = added("tracewrap-api", load)
			printf "%-8s %-8s %5.0f ns %9.1f ns %11s %22s %20s   setprofile %s\n", name, load,
				median(p, n["plain"]), own, api ? sprintf("%.1f ns", api) : "-",
				beside("viztracer", load, own), beside("cprofile", load, own), beside("setprofile", load, own)
		}
	}' "$work/rows"
done

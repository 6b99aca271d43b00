# SPDX-License-Identifier: BSD-3-Clause
# What the Tracy tests share: ports, viewers, comparisons. Source tests/e2e/lib.sh first.
# shellcheck shell=bash
protocols='63 64 65 66 69 72 74 76 82'
# A viewer that comes early sees a clock whose rate was measured for some ms only.
early_ppm=50

# free_port: one that nobody has, below those that the kernel hands out.
free_port()
{
	"$PYTHON" - <<'P'
import random, socket
while True:
    port = random.randrange(12000, 32000)
    with socket.socket(socket.AF_INET6) as s:
        try:
            s.bind(('::', port))
        except OSError:
            continue
    print(port)
    break
P
}

# viewer PORT PROTOCOL DUMP OPTION...: the strict server, for at most 30 s.
viewer()
{
	local port=$1 protocol=$2 dump=$3
	shift 3
	timeout -k 5 60 "$PYTHON" "$TW_SRC/tests/tracy/strict_server.py" --port "$port" \
		--protocol "$protocol" --dump "$dump" --timeout 30 "$@" 2>&1
}

# judge WHAT DUMP ARGUMENT...: see check.py.
judge()
{
	"$PYTHON" "$TW_SRC/tests/tracy/check.py" "$@"
}

# table TRACE: its zones as TRACE.csv.
table()
{
	"$TRACEWRAP" export --quiet --force "$1" -o "$1.csv"
}

# start NAME PORT OPTION... -- COMMAND...: in the background; PID is it, its words go to
# NAME.out and NAME.err, its trace to NAME.tw.
start()
{
	local name=$1 port=$2
	shift 2
	timeout -k 5 60 "$TRACEWRAP" --quiet --force --port "$port" -o "$name.tw" "$@" \
		>"$name.out" 2>"$name.err" </dev/null &
	PID=$!
}

# ended NAME CODE: the one that start began ends with this code.
ended()
{
	wait "$PID"
	equal "$1" "$2" $?
}

# stop_stayers: ends embedded clients of this test that still wait for a viewer.
stop_stayers()
{
	local pid
	for pid in $(pgrep -x tracewrap-live); do
		! grep -qzF "TRACEWRAP_OUTPUT=$TW_TMP/" "/proc/$pid/environ" 2>/dev/null || kill -9 "$pid"
	done
}

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Trace files: read while written, after a cut, under a cap, as other formats; bad ones.
. "$TW_SRC/tests/e2e/lib.sh"
cd "$TW_TMP" || exit

"$TRACEWRAP" --quiet -o a.tw "$T/annotations" >out
for form in '' --csv --json '--by process' '--by thread' '--sort self' '--limit 1'; do
	# shellcheck disable=SC2086 # words
	equal "report $form" 0 "$(code "$TRACEWRAP" report $form a.tw)"
	equal "report $form: nothing on stderr" '' "$(cat err)"
done
"$TRACEWRAP" report a.tw >out
matches 'report: the table names the zones' 'inner' out
"$TRACEWRAP" report --csv a.tw >out
check 'report --csv parses, with 100 inner' "$PYTHON" -c '
import csv, sys
rows = list(csv.DictReader(open("out")))
row = [r for r in rows if "inner" in r.values()][0]
assert "100" in row.values(), row
assert len({len(r) for r in rows}) == 1'
"$TRACEWRAP" export a.tw -o a.json >out 2>err
check 'export .json parses, with balanced zones' "$PYTHON" -c '
import json
events = json.load(open("a.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
begins = sum(e["ph"] == "B" for e in events)
ends = sum(e["ph"] == "E" for e in events)
whole = sum(e["ph"] == "X" for e in events)
assert begins == ends and begins + whole == 113, (begins, ends, whole)
assert sum(e.get("name") == "inner" and e["ph"] in "BX" for e in events) == 100
assert any(e["ph"] == "C" for e in events), "no plot"
text = json.dumps(events, ensure_ascii=False)
assert "caf\u00e9" in text and "round 3" in text and "dressed" in text'
"$TRACEWRAP" export a.tw -o a.csv >out 2>err
check 'export .csv has a line for each zone' "$PYTHON" -c '
import csv
rows = list(csv.DictReader(open("a.csv")))
assert sum("inner" in r.values() for r in rows) == 100, len(rows)'
equal 'export refuses to overwrite' 125 "$(code "$TRACEWRAP" export a.tw -o a.csv)"
equal 'export of an unknown ending' 125 "$(code "$TRACEWRAP" export a.tw -o a.xyz)"
matches 'export of an unknown ending: names the known ones' 'json' err
equal 'several outputs of one run' 0 \
	"$(code "$TRACEWRAP" --quiet -o b.tw -o b.json -o b.csv "$T/annotations")"
check 'several outputs: all there' test -s b.tw -a -s b.json -a -s b.csv
check 'several outputs: the JSON parses' "$PYTHON" -m json.tool b.json /dev/null

# While it is being written.
: >out
"$TRACEWRAP" --quiet -o live.tw "$T/ticker" 1000 5 "$TW_TMP/stop_now" >out &
pid=$!
await 10 grep -q ticking out
sleep 1.5
check 'read while written' expect live.tw 'zone:tick>=1'
: >stop_now
wait $pid
check 'read afterwards' expect live.tw 'zone:tick>=100' finished

# Cut at many places, damaged at many: never a crash, never a hang.
bytes=$(stat -c %s a.tw)
n_bad=0
for i in $(seq 0 40); do
	head -c $((bytes * i / 40)) a.tw >cut.tw
	timeout 10 "$TRACEWRAP" report cut.tw >out 2>err
	result=$?
	[ $result -eq 0 ] || { [ $result -eq 125 ] && [ "$(grep -c '' err)" -eq 1 ]; } ||
		{ n_bad=$((n_bad + 1)); echo "cut $i: code $result"; cat err; } >>bad
done
equal 'cut at 41 places' 0 $n_bad
"$PYTHON" - <<'P'
import random
data = bytearray(open("a.tw", "rb").read())
random.seed(1)
for n in range(60):
    bad = bytearray(data)
    for _ in range(1 + n % 5):
        bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
    open("damaged.%d.tw" % n, "wb").write(bad)
P
n_bad=0
for file in damaged.*.tw; do
	timeout 10 "$TRACEWRAP" report --json "$file" >out 2>err
	result=$?
	[ $result -eq 0 ] || [ $result -eq 125 ] || n_bad=$((n_bad + 1))
	timeout 10 "$TRACEWRAP" export "$file" -o x.json --force >out 2>err
	result=$?
	[ $result -eq 0 ] || [ $result -eq 125 ] || n_bad=$((n_bad + 1))
done
equal 'damaged at random, 60 times' 0 $n_bad

# bad NAME FILE REGEX: refused with one line.
bad()
{
	equal "$1: exit code" 125 "$(code "$TRACEWRAP" report "$2")"
	equal "$1: one line" 1 "$(grep -c '' err)"
	matches "$1: says it" "$3" err
}
bad 'missing file' nothing.tw 'No such file'
: >empty.tw
bad 'empty file' empty.tw 'empty'
echo 'this is a text' >text.tw
bad 'foreign file' text.tw 'text.tw'
bad 'a folder' . 'directory|folder'
printf 'tlZ\004' >x.tracy
bad 'a Tracy file' x.tracy 'Tracy'
cp a.tw header.tw
printf '\011' | dd of=header.tw bs=1 seek=8 conv=notrunc status=none
equal 'a damaged header: the rest reads' 0 "$(code "$TRACEWRAP" report header.tw)"
matches 'a damaged header: says it' 'damage' <(cat out err)

# --max-size: the file stays below, the newest is there, and the summary says so.
"$TRACEWRAP" -o capped.tw --max-size=256K "$T/flood" 2 400000 >out 2>err
equal '--max-size: exit code' 0 $?
check '--max-size: the cap holds' test "$(stat -c %s capped.tw)" -le 262144
matches '--max-size: the summary says what went' 'max-size' err
check '--max-size: the rest reads' expect capped.tw 'zone:inner>=1000' 'zone:inner<=799999' lost:any
finish

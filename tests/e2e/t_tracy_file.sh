#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `.tracy` files without Tracy: every version and packing holds what was recorded, zone by
# zone and to the nanosecond; several processes, folded locations, crashes, full disks.
. "$TW_SRC/tests/e2e/lib.sh"
. "$TW_SRC/tests/tracy/lib.sh"
cd "$TW_TMP" || exit
DUMP=$TW_BUILD/tests/tools/tracy_dump

# exactly DUMP CSV: the same zones, with the same times, texts and threads.
exactly()
{
	"$PYTHON" - "$1" "$2" <<'P'
import collections, csv, re, sys
ours, theirs, threads = [], [], {}
for line in open(sys.argv[1], encoding='utf-8', errors='backslashreplace'):
    words = [re.sub(r'\\x(..)', lambda m: chr(int(m.group(1), 16)), w) for w in line.rstrip('\n').split('\t')]
    if words[0] == 'thread':
        assert words[1] not in threads, 'thread %s is there twice' % words[1]
        threads[words[1]] = words[2]
    elif words[0] == 'zone':
        ours.append((threads[words[1]], words[5], words[7], words[8], words[2], words[3], words[4], words[10]))
rows = list(csv.DictReader(open(sys.argv[2], encoding='utf-8', errors='backslashreplace', newline='')))
is_many = len({r['pid'] for r in rows}) > 1
for r in rows:
    if r['value']:
        r['text'] += ('\n' if r['text'] else '') + r['value']
    thread = r['thread'] or 'main'
    if is_many:
        thread += ' [%s %s]' % (r['process'].split('/')[-1], r['pid'])
    theirs.append((thread, r['name'], r['file'], r['line'], r['depth'], r['begin_ns'],
                   str(int(r['begin_ns']) + int(r['duration_ns'])), r['text']))
assert theirs, 'the table is empty'
differ = collections.Counter(theirs)
differ.subtract(collections.Counter(ours))
differ = [(n, zone) for zone, n in differ.items() if n]
for n, zone in differ[:6]:
    print('more in the table:' if n > 0 else 'more in the dump:', zone)
sys.exit(len(differ) > 0)
P
}

# One of everything, in every form.
"$TRACEWRAP" --quiet -o a.tw -o a.csv -o a.tracy "$T/annotations" >out
check 'a run writes .tracy' test -s a.tracy
check 'a run: its file reads' "$DUMP" a.tracy
for version in 0.9 0.10 0.11 newest; do
	for packing in lz4 zstd; do
		name="$version, $packing"
		equal "$name: exported" 0 "$(code "$TRACEWRAP" export a.tw --force --tracy-version $version \
			--tracy-compression $packing -o b.tracy)"
		matches "$name: says so" "^tracewrap: wrote 'b.tracy' \(113 zones, .*Tracy" err
		check "$name: reads" "$DUMP" b.tracy
		"$DUMP" b.tracy >b.txt
		container=new
		case $version in
		0.9 | 0.10) container=old ;;
		esac
		matches "$name: container" "^file	${version/newest/0.14}\.0	$container	$packing	" b.txt
		check "$name: zone by zone" exactly b.txt a.csv
		# Only later versions have groups of threads.
		tail -n +2 b.txt | sed 's/^\(row	.*	\)[0-9]*$/\1/' >last.txt
		cat last.txt >>all.txt
	done
done
equal 'all of them hold the same' "$(sort last.txt | uniq -c | awk '{ print 8 * $1 }' | paste -sd+)" \
	"$(sort all.txt | uniq -c | awk '{ print $1 }' | paste -sd+)"
matches 'the default is 0.10 in LZ4' '^file	0\.10\.0	old	lz4	[0-9]+	[0-9]+	[0-9]+	annotations	annotations @ 20' \
	<("$DUMP" a.tracy)
matches 'thread name' '^thread	[0-9]+	annotator$' b.txt
matches 'text' '^zone	.*	outer	outer	.*annotations.c	16	3266cc	round 7$' b.txt
matches 'value' '^zone	.*	inner	.*	9$' b.txt
matches 'name and colour' '^zone	.*	dressed	renamed	.*	ff0000	$' b.txt
matches 'message' '^message	[0-9]+	[0-9]+	ffffff	café$' b.txt
equal 'plot' '0 0.5 1 1.5 2 2.5 3 3.5 4 4.5' "$(awk -F'\t' '$1 == "plot" && $2 == "load" { print $4 }' b.txt | paste -sd' ')"
equal 'frames' '6 Frame 5 odd' "$(awk -F'\t' '$1 == "frame" { print $2 }' b.txt | sort | uniq -c | xargs)"
matches 'command line' '^appinfo	command: .*annotations$' b.txt

# Several processes and threads in one file.
"$TRACEWRAP" --quiet -o p.tw -o p.csv -o p.tracy "$T/tracy_scene" 30 3 2 >p.out
"$DUMP" p.tracy >p.txt
check 'processes: zone by zone' exactly p.txt p.csv
check 'processes: everything is there' judge counts p.txt p.out
matches 'processes: a thread says whose it is' '^thread	[0-9]+	worker-2 \[tracy_scene [0-9]+\]$' p.txt
equal 'processes: messages are in order' '' \
	"$(awk -F'\t' '$1 == "message" { if ($3 < ns) print "not in order"; ns = $3 }' p.txt)"

# Zones that are open when the program is killed end with their thread.
"$TRACEWRAP" --quiet -o k.tw -o k.csv -o k.tracy "$T/die_by" SEGV >out 2>err
"$DUMP" k.tracy >k.txt
check 'crash: zone by zone' exactly k.txt k.csv
matches 'crash: the open zone is there' '	open at death	' k.txt
matches 'crash: it is told' '^crash	[0-9]+	[0-9]+	process [0-9]+ was killed by signal 11 \(' k.txt

# More locations than such a file has room for.
"$TRACEWRAP" --quiet -o l.tw -o l.csv -o l.tracy "$T/many_locations" 100000 >out
"$DUMP" l.tracy >l.txt
check 'locations: no name is lost' judge names l.txt l.csv
equal 'locations: the rest is folded by file' 2 \
	"$(awk -F'\t' '$1 == "zone" && $9 == 0 { print $8 }' l.txt | sort -u | wc -l)"

# A disk that fills: an error, and nothing is left behind. The limit stands in for the disk.
mkdir full
full()
{
	(
		ulimit -f 8
		trap '' XFSZ
		exec "$TRACEWRAP" export l.tw -o full/x.tracy "$@"
	) >out 2>err
}
full
equal 'full disk: exit code' 125 $?
matches 'full disk: says so' '^tracewrap: cannot .*: File too large' err
full --tracy-compression zstd
equal 'full disk, zstd: exit code' 125 $?
equal 'full disk: nothing is left' '' "$(ls -A full)"
if is_root && unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=64k none full && "$1" export l.tw -o full/x.tracy 2>err; echo $? >code; ls -A full >left' \
		- "$TRACEWRAP"
	equal 'a truly full disk: exit code' 125 "$(cat code)"
	matches 'a truly full disk: says so' 'No space left on device' err
	equal 'a truly full disk: nothing is left' '' "$(cat left)"
else
	skip 'a truly full disk' 'needs root and unshare'
fi

# Bad requests.
equal 'unknown version' 125 "$(code "$TRACEWRAP" export a.tw --tracy-version 0.8 -o c.tracy)"
matches 'unknown version: names the known ones' '0\.9.*newest' err
equal 'unknown packing' 125 "$(code "$TRACEWRAP" export a.tw --tracy-compression xz -o c.tracy)"
head -c 300 a.tracy >cut.tracy
equal 'the reader refuses a cut file' 1 "$(code "$DUMP" cut.tracy)"
matches 'the reader says so' "'cut.tracy' is damaged near byte|holds no Tracy capture" err
finish

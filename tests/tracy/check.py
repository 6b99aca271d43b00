#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges what a server got; DUMP is JSON lines of strict_server.py or what tracy_dump prints.
check.py counts DUMP OUT     the scene's own words (stdout of tracy_scene) are true of DUMP
check.py zones DUMP CSV [PPM]  DUMP holds the zones of `tracewrap export x.tw -o x.csv`, one by
                             one: names, places, texts, values, depths, and times to 2 ns;
                             PPM: a viewer that came early has a clock that was measured less
check.py names DUMP CSV      only how many zones there are of each name
check.py has DUMP KEY=VALUE...  some row has all of these; `KEY=` stands for any value
check.py lengths DUMP NAME=NS,NS...  every device zone of that name lasts one of these
check.py fewer DUMP OUT      `counts` would complain
Prints what differs; the exit code says whether something did."""
import collections
import csv
import json
import re
import sys

TOLERANCE_NS = 2
START_NS = 100


def read_lines(lines):
    """The lines of tracy_dump as rows; a zone's value is part of its text there."""
    locks, pools = {}, {}
    for line in lines:
        words = [re.sub(r'\\x(..)', lambda m: chr(int(m.group(1), 16)), w) for w in line.rstrip('\n').split('\t')]
        if words[0] == 'zone':
            yield {'kind': 'zone', 'thread': int(words[1]), 'depth': int(words[2]), 'begin_ns': int(words[3]),
                   'end_ns': int(words[4]), 'name': words[5] or words[6], 'file': words[7], 'line': int(words[8]),
                   'colour': words[9], 'text': re.sub(r' \[0x[0-9a-f]+\]$', '', words[10]), 'value': None, 'has_joined_text': True,
                   'stack': words[11:]}
        elif words[0] == 'message':
            yield {'kind': 'message', 'thread': int(words[1]), 'colour': words[3], 'text': words[4]}
        elif words[0] == 'plot':
            yield {'kind': 'plot', 'name': words[1], 'value': float(words[3])}
        elif words[0] == 'frame':
            # Two of the main set are the server's own: begin and end of the client's start.
            if words[1] != 'Frame' or int(words[2]) > START_NS:
                yield {'kind': 'frame', 'name': None if words[1] == 'Frame' else words[1], 'begin_ns': int(words[2])}
        elif words[0] == 'gpu':
            yield {'kind': 'device', 'thread': int(words[2]), 'depth': int(words[3]), 'begin_ns': int(words[4]),
                   'end_ns': int(words[5]), 'name': words[8]}
        elif words[0] == 'thread':
            yield {'kind': 'thread', 'tid': int(words[1]), 'name': words[2]}
        elif words[0] == 'row':
            if words[2] == 'fiber':
                yield {'kind': 'fiber', 'tid': int(words[1])}
        elif words[0] == 'lock':
            locks[words[1]] = {'kind': 'lock', 'name': words[2] or words[3], 'obtained': 0}
        elif words[0] == 'lockevent':
            locks[words[1]]['obtained'] += words[4] in ('1', '4')  # alone, shared
        elif words[0] == 'block':
            pool = pools.setdefault(words[1], {'kind': 'memory', 'name': words[1], 'allocs': 0, 'frees': 0})
            pool['allocs'] += 1
            pool['frees'] += int(words[5]) >= 0
        else:
            yield {'kind': words[0], 'text': words[-1]}
    yield from locks.values()
    yield from pools.values()


def read_dump(path):
    with open(path, encoding='utf-8', errors='backslashreplace') as file:
        lines = file.read().split('\n')
    if lines[0].startswith('file\t'):
        return list(read_lines(line for line in lines if line))
    return [json.loads(line) for line in lines if line]


def plain(name):
    """A name without the process that it belongs to."""
    return re.sub(r' \[[^\]]* \d+\]$', '', name or '-')


def tally(rows):
    """How often there is what a target speaks of, by its words."""
    n = collections.Counter()
    for row in rows:
        kind = row['kind']
        if kind == 'message':
            n['message',] += 1
        elif kind == 'fiber':
            n['fiber',] += 1
        elif kind == 'lock':
            n['lock', row['name']] += row['obtained']
        elif kind == 'memory':
            name = plain(row['name'])
            n['memory', '-' if name == 'memory' else name, 'allocs'] += row['allocs']
            n['memory', '-' if name == 'memory' else name, 'frees'] += row['frees']
        elif kind != 'frame' or row.get('type') != 'end':
            n[kind, plain(row.get('name'))] += 1
            if row.get('stack'):
                n['stack', plain(row.get('name'))] += 1
    return n


def counts(rows, path):
    """One line of complaint for each count that differs."""
    got = tally(rows)
    n = 0
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            words = line.split()
            if not words or words[0] not in ('zone', 'plot', 'frame', 'message', 'device', 'lock', 'memory', 'stack', 'fiber'):
                continue
            n += 1
            what, expected = tuple([words[0]] + [' '.join(words[1:-1])] * (len(words) > 2)), [(int(words[-1]), ())]
            if words[0] == 'memory':
                what, expected = tuple(words[:2]), [(int(words[2]), ('allocs',)), (int(words[3]), ('frees',))]
            for number, more in expected:
                if got[what + more] != number:
                    yield '%s: expected %d, got %d' % (' '.join(what + more), number, got[what + more])
    if not n:
        yield '%s: says nothing to expect' % path


def zones(rows, path, ppm=0):
    ours, theirs = [], []
    is_joined = any('has_joined_text' in row for row in rows)
    for row in rows:
        if row['kind'] == 'zone':
            value = row['value'] if isinstance(row['value'], list) else [row['value']]
            value = ' '.join(str(v) for v in value if v is not None)
            ours.append(((row['name'], row['file'], str(row['line']), str(row['depth']), row['text'] or '', value),
                         row['begin_ns'], row['end_ns'] - row['begin_ns']))
    with open(path, encoding='utf-8', errors='backslashreplace', newline='') as lines:
        for row in csv.DictReader(lines):
            if row['layer'] == 'device':
                continue  # its times depend on when its clock was looked at
            if is_joined and row['value']:
                row['text'] += ('\n' if row['text'] else '') + row['value']
                row['value'] = ''
            theirs.append(((row['name'], row['file'], row['line'], row['depth'], row['text'], row['value']),
                           int(row['begin_ns']), int(row['duration_ns'])))
    if not theirs:
        yield '%s has no zones' % path
    if len(ours) != len(theirs):
        yield 'the dump has %d zones, the table %d' % (len(ours), len(theirs))
        missing = collections.Counter(z[0][0] for z in theirs)
        missing.subtract(z[0][0] for z in ours)
        yield 'more (or fewer) in the table: %s' % {k: v for k, v in missing.most_common() if v}
        return
    # Both start at a zero of their own; beyond that, equal zones have equal times.
    ours.sort()
    theirs.sort()
    shift = None
    for mine, other in zip(ours, theirs):
        if mine[0] != other[0]:
            yield 'the dump has %s, the table %s' % (mine[0], other[0])
            return
        if shift is None:
            shift = other[1] - mine[1]
        if abs(other[1] - mine[1] - shift) > TOLERANCE_NS + other[1] * ppm / 1e6 or \
                abs(other[2] - mine[2]) > TOLERANCE_NS + other[2] * ppm / 1e6:
            yield '%s: at %d for %d ns in the dump, at %d for %d in the table' % (
                mine[0][0], mine[1] + shift, mine[2], other[1], other[2])
            return


def names(rows, path):
    with open(path, encoding='utf-8', errors='backslashreplace', newline='') as lines:
        differ = collections.Counter(row['name'] for row in csv.DictReader(lines) if row['layer'] != 'device')
    if not differ:
        yield '%s has no zones' % path
    differ.subtract(row['name'] for row in rows if row['kind'] == 'zone')
    for name, n in differ.items():
        if n:
            yield '%s: %d %s in the table' % (name, abs(n), 'more' if n > 0 else 'fewer')


def has(rows, words):
    wanted = dict(word.split('=', 1) for word in words)
    for row in rows:
        if all(key in row and (not value or str(row[key]) == value) for key, value in wanted.items()):
            return
    yield 'no row has %s' % wanted
    for row in [r for r in rows if r['kind'] == wanted.get('kind')][:5]:
        yield json.dumps(row)[:300]


def lengths(rows, words):
    for word in words:
        name, _, wanted = word.partition('=')
        found = [row for row in rows if row['kind'] == 'device' and row['name'] == name]
        if not found:
            yield 'no device zone %s' % name
        for row in found:
            ns = row['end_ns'] - row['begin_ns']
            # A look at a device's clock may come late; more than 1 % is not believed.
            if all(abs(ns - int(w)) > TOLERANCE_NS + int(w) / 100 for w in wanted.split(',')):
                yield '%s lasts %d ns, not %s' % (name, ns, wanted)


def fewer(rows, path):
    if not list(counts(rows, path)):
        yield 'the dump has all that %s tells' % path


def main():
    what, dump, *rest = sys.argv[1:]
    rows = read_dump(dump)
    if what == 'counts':
        wrong = list(counts(rows, rest[0]))
    elif what == 'zones':
        wrong = list(zones(rows, rest[0], *(float(ppm) for ppm in rest[1:])))
    elif what == 'lengths':
        wrong = list(lengths(rows, rest))
    elif what == 'fewer':
        wrong = list(fewer(rows, rest[0]))
    elif what == 'names':
        wrong = list(names(rows, rest[0]))
    else:
        wrong = list(has(rows, rest))
    print('\n'.join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

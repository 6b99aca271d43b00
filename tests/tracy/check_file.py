#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_file.py DUMP OUT CSV JSON: what tracy_dump prints of a `.tracy` file of tracy_kinds is what
the target says (OUT), and to the nanosecond what the same trace's other forms hold.
Prints what differs; the exit code says whether something did."""
import collections
import csv
import json
import re
import sys

WAIT, OBTAIN, RELEASE = 0, 1, 2


def plain(name):
    """A name without the process that it belongs to; "-" for the default pool."""
    name = re.sub(r' ?\[[^\]]* \d+\]$', '', name)
    return '-' if name in ('', 'memory') else name


class File:
    def __init__(self, path):
        self.rows = collections.defaultdict(list)
        with open(path, encoding='utf-8', errors='backslashreplace') as lines:
            for line in lines:
                kind, *words = line.rstrip('\n').split('\t')
                self.rows[kind].append(words)
        self.locks = {words[0]: words[1] for words in self.rows['lock']}
        self.fibers = {words[0] for words in self.rows['row'] if words[1] == 'fiber'}

    def lock_spans(self):
        """(name, "wait" or "hold", begin, end), each thread of each lock by itself."""
        begun = {}
        for lock, tid, ns, what in self.rows['lockevent']:
            what = int(what) % 3
            if what != WAIT:
                before = 'wait' if what == OBTAIN else 'hold'
                yield self.locks[lock], before, begun.pop((lock, tid, before)), int(ns)
            if what != RELEASE:
                begun[lock, tid, 'wait' if what == WAIT else 'hold'] = int(ns)
        assert not begun, 'locks that are held at the end: %s' % begun

    def memory_steps(self):
        """(pool, time, live bytes) in the order of time."""
        steps = []
        for pool, _, size, begin, end, _, _ in self.rows['block']:
            steps.append((int(begin), int(size), pool))
            if int(end) >= 0:
                steps.append((int(end), -int(size), pool))
        live = collections.Counter()
        for ns, size, pool in sorted(steps):
            live[pool] += size
            yield plain(pool), ns, live[pool]


def tally(file):
    """How often there is what the target speaks of, by its words."""
    n = collections.Counter()
    for words in file.rows['zone']:
        n['zone', words[4]] += 1
        n['stack', words[4]] += len(words) > 10 and int(words[10]) > 0
    for words in file.rows['gpu']:
        n['device', words[7]] += 1
    for lock, _, _, what in file.rows['lockevent']:
        n['lock', file.locks[lock]] += int(what) % 3 == OBTAIN
    for pool, _, _, _, end, tid, free_tid in file.rows['block']:
        n['memory', plain(pool)] += int(tid) > 0
        n['free', plain(pool)] += int(end) >= 0 and int(free_tid) > 0
    for name, _, end in file.rows['frame']:
        n['frame', plain(name)] += int(end) >= 0
    n['fiber', ''] = len(file.fibers)
    return n


def counts(file, path):
    got, n = tally(file), 0
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            kind, *words = line.split()
            if kind not in ('zone', 'device', 'lock', 'memory', 'frame', 'stack', 'fiber'):
                continue
            n += 1
            expected = {('free', words[0]): words[2], ('memory', words[0]): words[1]} if kind == 'memory' else \
                {(kind, ' '.join(words[:-1])): words[-1]}
            for what, number in expected.items():
                if got[what] != int(number):
                    yield '%s: expected %s, got %d' % (' '.join(what), number, got[what])
    if n < 14:
        yield '%s: too little to expect' % path


def differ(what, ours, theirs):
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    if not theirs:
        yield 'no %s at all' % what
    for sign, rest in (('only in the file', ours - theirs), ('not in the file', theirs - ours)):
        for item in list(rest)[:3]:
            yield '%s %s: %s' % (what, sign, item)


def zones(file, path):
    with open(path, encoding='utf-8', newline='') as lines:
        theirs = [(row['name'], int(row['depth']), int(row['begin_ns']), int(row['begin_ns']) + int(row['duration_ns']))
                  for row in csv.DictReader(lines)]
    ours = [(w[4], int(w[1]), int(w[2]), int(w[3])) for w in file.rows['zone']]
    ours += [(w[7], int(w[2]), int(w[3]), int(w[4])) for w in file.rows['gpu']]
    yield from differ('zone', ours, theirs)


def others(file, path):
    with open(path, encoding='utf-8') as text:
        events = json.load(text)['traceEvents']
    begun, spans, steps = {}, collections.defaultdict(list), []
    for event in sorted((e for e in events if 'ts' in e), key=lambda e: e['ts']):
        ns = round(event['ts'] * 1000)
        if event['ph'] == 'b':
            begun[event['id']] = ns
        elif event['ph'] == 'e':
            spans[event['cat']].append((event['name'], begun.pop(event['id']), ns))
        elif event['ph'] == 'C' and event['cat'] == 'memory':
            steps.append((plain(event['name'].replace('memory: ', '')), ns, event['args']['bytes']))
    yield from differ('frame', [(plain(w[0]), int(w[1]), int(w[2])) for w in file.rows['frame'] if int(w[2]) >= 0],
                      spans['frame'])
    yield from differ('lock', [('%s %s' % (what, name), begin, end) for name, what, begin, end in file.lock_spans()],
                      spans['lock'])
    yield from differ('step of memory', file.memory_steps(), steps)


def fibers(file):
    runs, rows = collections.defaultdict(list), {words[0] for words in file.rows['row']}
    for tid, begin, end, reason, on in file.rows['run']:
        runs[tid].append((int(begin), int(end)))
        if reason != '99' or tid not in file.fibers or on not in rows - file.fibers or int(begin) > int(end):
            yield 'a strange run: %s' % [tid, begin, end, reason, on]
    for tid, times in runs.items():
        for before, after in zip(times, times[1:]):
            if before[1] > after[0]:
                yield 'runs of fiber %s overlap: %s, %s' % (tid, before, after)
    for words in file.rows['zone']:
        if words[4] == 'slice' and not any(b <= int(words[2]) and int(words[3]) <= e for b, e in runs[words[0]]):
            yield 'a slice of %s at %s in no run' % (words[0], words[2])


def stacks(file):
    stack = {words[0]: words[1:] for words in file.rows['stack']}
    names = {words[0]: words[2] for words in file.rows['stackframe']}
    for words in file.rows['zone']:
        if words[4] == 'stacked' and not names[stack[words[10]][0]].startswith('show_stack+0x'):
            yield 'a stack that begins with %s' % names[stack[words[10]][0]]


def main():
    dump, out, table, events = sys.argv[1:]
    file = File(dump)
    wrong = list(counts(file, out)) + list(zones(file, table)) + list(others(file, events)) + \
        list(fibers(file)) + list(stacks(file))
    print('\n'.join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""stream.py TRACE.csv PROBE.py [EXPECTED.json]: calls of the probe in a trace.

Turns the zones of an exported trace (one row each, in the order of their ends, with
their depth) back into begins and ends, thread by thread, of functions that are in the
probe's file. With EXPECTED the two must be equal, in any order of threads; without,
they are printed.
"""
import csv
import json
import sys


def trees(rows):
    """Zones in the order of their ends -> a list of (row, children)."""
    stack = []
    for row in rows:
        depth = int(row["depth"])
        children = []
        while stack and stack[-1][0] > depth:
            children.append(stack.pop()[1])
        children.reverse()
        stack.append((depth, (row, children)))
    return [node for _, node in stack]


def stream(nodes, file):
    """The begins and ends of zones of a file, in order."""
    result = []
    todo = [("B", node) for node in reversed(nodes)]
    while todo:
        kind, node = todo.pop()
        row, children = node
        if kind == "B":
            todo.append(("E", node))
            todo += [("B", child) for child in reversed(children)]
        if row["file"] == file and row["layer"] == "python":
            result.append([kind, row["name"], int(row["line"])])
    return result


def read(path, file):
    threads = {}
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as f:
        for row in csv.DictReader(f):
            threads.setdefault((row["pid"], row["tid"], row["thread"]), []).append(row)
    streams = []
    for (_, _, name), rows in threads.items():
        # A row of tasks holds one after the other, each in a zone of its own.
        parts = [[node] for node in trees(rows)] if name.startswith("Task: ") else [trees(rows)]
        streams += [stream(part, file) for part in parts]
    return sorted(s for s in streams if s)


def is_same(have, want):
    """Before 3.11 only the last part of a qualified name is in the reference."""
    return have == want or ("." not in want[1] and have[0] == want[0] and
                            have[2] == want[2] and have[1].split(".")[-1] == want[1])


def compare(have, want):
    """The first difference of two threads, or None."""
    for i, (a, b) in enumerate(zip(have, want)):
        if not is_same(a, b):
            return "event %d is %s, not %s; before it: %s" % (i, a, b, have[max(0, i - 4):i])
    if len(have) != len(want):
        longer = have if len(have) > len(want) else want
        at = min(len(have), len(want))
        return "%d events instead of %d; the longer goes on with %s" % (
            len(have), len(want), longer[at:at + 4])
    return None


def main():
    have = read(sys.argv[1], sys.argv[2])
    if len(sys.argv) < 4:
        for thread in have:
            print("\n".join("%s %s:%s" % tuple(e) for e in thread))
        return 0
    with open(sys.argv[3]) as f:
        want = json.load(f)
    key = lambda s: [(e[0], e[1].split(".")[-1], e[2]) for e in s]
    have.sort(key=key)
    want.sort(key=key)
    wrong = []
    if len(have) != len(want):
        wrong.append("%d threads instead of %d" % (len(have), len(want)))
    wrong += [d for d in map(compare, have, want) if d]
    for line in wrong:
        print(line)
    print("%d threads, %d events" % (len(have), sum(map(len, have))))
    return 1 if wrong or not have else 0


sys.exit(main())

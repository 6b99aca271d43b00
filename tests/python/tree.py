# SPDX-License-Identifier: BSD-3-Clause
"""tree.py TRACE.csv PROBE.py [ROW]: zones of the probe's file, indented; each row of the
timeline under its name, or only the rows whose name begins with ROW.

A zone that is in the tree only because of its children (another file's) is left out and
its children move up. Text is in quotes, a value follows."""
import csv
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


def show(node, file, depth):
    row, children = node
    is_ours = row["file"] == file
    if is_ours:
        text = " '%s'" % row["text"].replace("\n", "/") if row["text"] else ""
        value = " " + row["value"] if row["value"] else ""
        print("  " * depth + row["name"] + text + value)
    for child in children:
        show(child, file, depth + is_ours)


def main():
    threads = {}
    with open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape") as f:
        for row in csv.DictReader(f):
            threads.setdefault((row["pid"], row["tid"], row["thread"]), []).append(row)
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    sys.setrecursionlimit(10000)
    first = lambda item: min(int(row["begin_ns"]) for row in item[1])
    for (_, _, name), rows in sorted(threads.items(), key=first):
        if name.startswith(wanted) and any(r["file"] == sys.argv[2] for r in rows):
            print("[%s]" % name)
            for node in trees(rows):
                show(node, sys.argv[2], 1)


main()

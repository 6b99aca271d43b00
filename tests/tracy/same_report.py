# SPDX-License-Identifier: BSD-3-Clause
"""same_report.py A.json B.json [KEY...]: two reports say the same, in whatever order.

KEYs are not compared. "zones.KEY" and the like leave a key out of every row; "zones._ns" all
that end so; "only=KEY,KEY" compares those alone. Prints what differs, a line each; the exit
code is 1 then.
"""
import json
import sys


def rows(report, key, left_out):
    value = report[key]
    if not isinstance(value, list):
        return value
    ends = tuple(w.split('.')[1] for w in left_out if w.startswith(key + '.'))
    return sorted(json.dumps({k: v for k, v in row.items() if not k.endswith(ends)}
                             if isinstance(row, dict) else row, sort_keys=True) for row in value)


def main():
    a, b = [json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3]]
    left_out, n = set(sys.argv[3:]), 0
    assert a['zone_count'] > 0, 'there is nothing to compare'
    keys = (set(a) | set(b)) - left_out
    for word in left_out:
        if word.startswith('only='):
            keys = set(word[5:].split(','))
    for key in sorted(keys):
        left, right = rows(a, key, left_out), rows(b, key, left_out)
        if left == right:
            continue
        n += 1
        if isinstance(left, list):
            left, right = [r for r in left if r not in right][:3], [r for r in right if r not in left][:3]
        print('%s: %s, but %s' % (key, left, right))
    return n > 0


sys.exit(main())

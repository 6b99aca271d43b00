# SPDX-License-Identifier: BSD-3-Clause
"""What a program can see of its interpreter; the output is the same with and without us."""
import sys

print("modules", sorted(sys.modules))

import cProfile
import concurrent.futures
import errno
import gc
import io
import json
import os
import pstats
import threading
import traceback
import warnings


def recurse(n):
    return 0 if n == 0 else recurse(n - 1) + 1


def depth_reached(limit):
    """How deep a function gets before RecursionError."""
    sys.setrecursionlimit(limit)
    seen = [0]

    def down(n):
        seen[0] = n
        down(n + 1)
    try:
        down(1)
    except RecursionError:
        pass
    return seen[0]


def traced():
    events = []

    def trace(frame, event, argument):
        events.append((event, frame.f_code.co_name, frame.f_lineno))
        return trace
    sys.settrace(trace)
    recurse(2)
    list(x for x in (1, 2))
    sys.settrace(None)
    return events


def profiled():
    events = []

    def profile(frame, event, argument):
        events.append((event, frame.f_code.co_name))
    sys.setprofile(profile)
    recurse(2)
    len([])
    sys.setprofile(None)
    return events, sys.getprofile()


def c_profiled():
    p = cProfile.Profile()
    p.enable()
    recurse(5)
    p.disable()
    text = io.StringIO()
    pstats.Stats(p, stream=text)
    return sorted((k[2], v[0], v[1]) for k, v in pstats.Stats(p).stats.items())


def raising(n):
    if n == 0:
        raise ValueError("deep")
    raising(n - 1)


def closing():
    try:
        yield 1
    finally:
        print("closed", sys.exc_info()[0])


class Finalised:
    def __del__(self):
        print("finalised")


def short_lived(n):
    """Functions whose code objects die: their addresses are used again."""
    total = 0
    for i in range(n):
        scope = {}
        exec("def short_%d(): return %d" % (i, i), scope)
        total += scope["short_%d" % i]()
    return total


def at_errno():
    try:
        os.open("/nonexistent", os.O_RDONLY)
    except OSError as e:
        return e.errno == errno.ENOENT


def main():
    print("depth", depth_reached(150), depth_reached(1000))
    sys.setrecursionlimit(30000)
    print("deep", recurse(8000 if sys.version_info < (3, 11) else 20000))
    print("traced", traced())
    print("profiled", profiled())
    print("cProfile", c_profiled())
    try:
        raising(3)
    except ValueError:
        print(traceback.format_exc())
    g = closing()
    next(g)
    g.close()
    x = Finalised()
    x.me = x
    del x
    print("collected", gc.collect() >= 1, gc.get_count()[1:] is not None)
    print("short", short_lived(300))
    print("errno", at_errno())
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        print("pool", list(pool.map(recurse, range(5))))
    local = threading.local()
    local.x = 1
    print("local", local.x, threading.active_count())
    print("json", json.dumps({"a": [1, None, "é"]}, indent=1))
    warnings.warn("a warning")
    print("refs", sys.getrefcount(recurse), sys.getrefcount(recurse.__code__))
    print("modules after", len(sys.modules), sys.flags, sys.argv[1:])


main()

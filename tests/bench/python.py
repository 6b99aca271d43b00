# SPDX-License-Identifier: BSD-3-Clause
"""python.py HOW: nanoseconds a Python call of two workloads, the best of 25 repeats.

HOW: plain (also under tracewrap), cprofile, setprofile, viztracer. Prints `fib rich`.
Called by python.sh. Storage is not part of it: the process ends before peers save.
"""
import os
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Task:
    def __init__(self, kind):
        self.kind = kind
        self.count = 0

    def step(self):
        self.count += 1
        return self.pick(self.count)

    def pick(self, n):
        return self.even(n) if n & 1 else self.odd(n)

    def even(self, n):
        return n + self.kind

    def odd(self, n):
        return n - self.kind


def rich(tasks):
    for t in tasks:
        for _ in range(40):
            t.step()


def start(how):
    if how == "cprofile":
        import cProfile
        cProfile.Profile().enable()
    elif how == "setprofile":
        sys.setprofile(lambda frame, event, argument: None)
    elif how == "viztracer":
        import viztracer
        viztracer.VizTracer(ignore_c_function=True, verbose=0, tracer_entries=100000).start()


def best(function, argument, calls):
    lowest = 1e9
    for _ in range(25):
        begin = time.perf_counter()
        function(argument)
        lowest = min(lowest, time.perf_counter() - begin)
    return lowest / calls * 1e9


tasks = [Task(i) for i in range(30)]
start(sys.argv[1])
print("%.2f %.2f" % (best(fib, 17, 5167), best(rich, tasks, 3601)), flush=True)
os._exit(0)

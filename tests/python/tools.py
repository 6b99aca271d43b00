# SPDX-License-Identifier: BSD-3-Clause
"""Other users of sys.monitoring, settrace and setprofile see what they see without us.

With an argument, our own tool id is taken over as well. From 3.12 only."""
import sys
import threading
import time

monitoring, events = sys.monitoring, sys.monitoring.events
FOUR = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD")


def plain(a):
    return a


def generator():
    yield 1
    yield 2


def recurse(n):
    return 0 if n == 0 else recurse(n - 1)


def raising(n):
    if n == 0:
        raise KeyError
    raising(n - 1)


def work():
    for i in range(30):
        plain(i)
        recurse(4)
    for _ in generator():
        pass
    try:
        raising(3)
    except KeyError:
        pass


def counting(tool, names):
    """Registers callbacks that count; the counts and the mask of the events."""
    counts, mask = {}, 0
    for name in names:
        event = getattr(events, name)
        mask |= event

        def count(*a, name=name):
            counts[name] = counts.get(name, 0) + 1
        monitoring.register_callback(tool, event, count)
    return counts, mask


def second_tool():
    monitoring.use_tool_id(1, "second")
    counts, mask = counting(1, FOUR + ("PY_UNWIND", "LINE"))
    monitoring.set_events(1, mask)
    work()
    monitoring.set_events(1, 0)
    print("global", sorted(counts.items()))
    counts, mask = counting(1, FOUR)
    monitoring.set_local_events(1, plain.__code__, events.PY_START)
    monitoring.set_local_events(1, recurse.__code__, events.PY_RETURN)
    work()
    monitoring.set_local_events(1, plain.__code__, 0)
    monitoring.set_local_events(1, recurse.__code__, 0)
    print("local", sorted(counts.items()))


def disabling():
    seen = []

    def once(code, offset):
        seen.append(code.co_name)
        return monitoring.DISABLE
    monitoring.register_callback(1, events.PY_START, once)
    monitoring.set_events(1, events.PY_START)
    work()
    work()
    monitoring.restart_events()
    work()
    monitoring.set_events(1, 0)
    print("disabled", sorted(seen))


def failing():
    def fail(*a):
        raise ZeroDivisionError
    monitoring.register_callback(1, events.PY_START, fail)
    monitoring.set_local_events(1, plain.__code__, events.PY_START)
    try:
        plain(1)
        print("no exception")
    except ZeroDivisionError:
        print("the callback's exception arrives")
    monitoring.set_local_events(1, plain.__code__, 0)
    monitoring.free_tool_id(1)


def old_interfaces():
    seen = []

    def trace(frame, event, argument):
        plain(0)
        seen.append(event)
        return trace
    sys.settrace(trace)
    work()
    sys.settrace(None)
    sys.setprofile(lambda *a: (plain(0), seen.append(a[1])))
    work()
    sys.setprofile(None)
    print("old interfaces", len(seen))


def take_over():
    if monitoring.get_tool(4):
        monitoring.free_tool_id(4)
    monitoring.use_tool_id(4, "thief")
    counts, mask = counting(4, FOUR)
    monitoring.set_events(4, mask)
    work()
    monitoring.set_events(4, 0)
    # Whether the return of set_events' own caller counts depends on what was on before.
    print("thief", [(k, v) for k, v in sorted(counts.items()) if k != "PY_RETURN"])


def sub_interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    code = """if 1:
        import sys
        m, n = sys.monitoring, [0]
        def f(): return 1
        def count(*a): n[0] += 1
        m.use_tool_id(4, "sub")
        m.register_callback(4, m.events.PY_START, count)
        m.register_callback(4, m.events.PY_RETURN, count)
        m.set_events(4, m.events.PY_START | m.events.PY_RETURN)
        for _ in range(50): f()
        m.set_events(4, 0)
        sys.stdout.write("sub-interpreter %d\\n" % n[0])
        sys.stdout.flush()
    """
    sys.stdout.flush()
    i = interpreters.create()
    getattr(interpreters, "exec", interpreters.run_string)(i, code)
    interpreters.destroy(i)


def storm():
    """Threads call while events, tracing and profiling come and go."""
    is_over = []

    def call():
        while not is_over:
            work()
    threads = [threading.Thread(target=call) for _ in range(3)]
    for t in threads:
        t.start()
    monitoring.use_tool_id(1, "storm")
    counts, mask = counting(1, FOUR + ("LINE",))
    sys.setswitchinterval(1e-5)
    for i in range(25):
        monitoring.set_events(1, mask if i & 1 else events.LINE)
        time.sleep(.0005)
        monitoring.set_local_events(1, recurse.__code__, events.PY_RETURN)
        monitoring.set_events(1, 0)
        monitoring.set_local_events(1, recurse.__code__, 0)
        if i % 5 == 0:
            threading.setprofile_all_threads(lambda *a: None)
            threading.setprofile_all_threads(None)
            monitoring.restart_events()
    is_over.append(1)
    for t in threads:
        t.join()
    print("storm", counts["PY_START"] > 0)


work()
second_tool()
disabling()
failing()
old_interfaces()
if sys.argv[1:] == ["thief"]:
    take_over()
else:
    sub_interpreter()
    storm()
work()

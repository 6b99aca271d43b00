# SPDX-License-Identifier: BSD-3-Clause
"""reference.py PROBE.py OUT.json: runs the probe untraced under sys.setprofile.

Writes, for each thread and each task of asyncio, the calls and returns of functions that are in the probe's file:
what a trace of the same program must hold, call by call. Runs on CPython 3.6 and later.
"""
import _thread
import json
import sys
import threading

streams = {}


def row():
    """Whose events these are: the task that takes a step, else the thread."""
    asyncio = sys.modules.get("asyncio")
    loop = asyncio._get_running_loop() if hasattr(asyncio, "_get_running_loop") else None
    tasks = getattr(asyncio, "tasks", None)
    if loop is None or tasks is None:
        return threading.get_ident()
    current = getattr(tasks, "current_task", None) or tasks.Task.current_task
    task = current(loop)
    return threading.get_ident() if task is None else task


def main():
    probe, out = sys.argv[1:]
    sys.argv = [probe]

    def on_event(frame, event, argument):
        code = frame.f_code
        if code.co_filename != probe or event not in ("call", "return"):
            return
        name = getattr(code, "co_qualname", code.co_name)
        streams.setdefault(row(), []).append(
            ["B" if event == "call" else "E", name, code.co_firstlineno])

    # A thread number may be used again: each thread gets a stream of its own.
    def close_stream():
        stream = streams.pop(threading.get_ident(), None)
        if stream:
            streams[len(streams), "ended"] = stream

    def start_new_thread(function, args, kwargs=None):
        def run():
            sys.setprofile(on_event)
            try:
                function(*args, **(kwargs or {}))
            finally:
                sys.setprofile(None)
                close_stream()
        return real_start(run, ())

    real_start = _thread.start_new_thread
    _thread.start_new_thread = start_new_thread
    real_run = threading.Thread.run

    def run(self):
        real_run(self)
        sys.setprofile(None)
        close_stream()

    threading.Thread.run = run
    threading.setprofile(on_event)
    with open(probe) as f:
        code = compile(f.read(), probe, "exec")
    scope = {"__name__": "__main__", "__file__": probe}
    sys.setprofile(on_event)
    try:
        exec(code, scope)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        with open(out, "w") as f:
            json.dump(list(streams.values()), f)


main()

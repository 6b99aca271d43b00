# SPDX-License-Identifier: BSD-3-Clause
"""ttnn's library was imported (`module`): what is said to its profiler lands here, too.

Its own functions are called as before. Zones of the real `python -m tracy` are not taken
over: they are its copies of Python calls, which are in the trace already.
"""
profiler = getattr(module, "profiler", None)
opened = []


def both(name, ours):
    theirs = getattr(profiler, name, None)
    if theirs is None:
        return

    def call(*args, **kwargs):
        ours(*args, **kwargs)
        return theirs(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(theirs, "__doc__", None)
    setattr(profiler, name, call)


def message(source, color=0):
    _tracewrap.message(source, int(color) & 0xffffff)


def start_zone(source, functName, lineNum, color=0):
    from tracewrap import _Open, _location
    if not str(functName).startswith(("PY_FUNC_", "PY_LINE_")):
        opened.append(_Open(_location(functName, int(color), functName, source, int(lineNum))))
    else:
        opened.append(None)


def stop_zone(name="", color=0):
    zone = opened.pop() if opened else None
    if zone is not None:
        if name:
            zone.add("n", name)
        if color:
            zone.add("c", int(color))
        zone.end()


def frame():
    _tracewrap.frame("", 0)


if profiler is not None:
    both("tracy_message", message)
    both("start_tracy_zone", start_zone)
    both("stop_tracy_zone", stop_zone)
    both("tracy_frame", frame)

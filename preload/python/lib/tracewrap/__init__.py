# SPDX-License-Identifier: BSD-3-Clause
"""tracewrap: zones, messages, plots and frames of your own in the trace.

    import tracewrap

    with tracewrap.zone("load", colour=0x3366cc, text="weights.bin"):
        ...

    @tracewrap.zone()
    def step(): ...

    tracewrap.message("warmed up")
    tracewrap.plot("queue", 12)

Under tracewrap this module is always there. The package of the same name in the folder
`python` of the sources does nothing without tracewrap and becomes this module with it.
"""
import sys as _sys
from functools import wraps as _wraps

import _tracewrap as _c

__all__ = ["zone", "message", "plot", "frame", "frame_begin", "frame_end", "signpost",
           "start", "stop", "is_enabled", "thread_name"]

_locations = {}


def _location(name, colour, function, file, line):
    """The number of a place; names may be made up at run time, so not all are kept."""
    key = (name, colour, function, file, line)
    number = _locations.get(key)
    if number is None:
        if len(_locations) >= 10000:
            _locations.clear()
        number = _c.location(name, function, file, line, int(colour) & 0xffffff)
        _locations[key] = number
    return number


def _caller(depth):
    frame = _sys._getframe(depth + 1)
    code = frame.f_code
    return code.co_name, code.co_filename, frame.f_lineno


class _Open:
    """A zone that is open; what cannot be said of it now is said at its end."""

    __slots__ = ("number", "late")

    def __init__(self, location):
        self.late = None
        self.number = _c.zone_begin(location)

    def add(self, kind, value):
        if not _c.zone_add(self.number, kind, value, 0):
            if self.late is None:
                self.late = []
            self.late.append((kind, value))

    def end(self):
        number, self.number = self.number, 0
        for kind, value in self.late or ():
            _c.zone_add(number, kind, value, 1)
        _c.zone_end(number)


def _is_coroutine_function(function):
    return bool(getattr(getattr(function, "__code__", None), "co_flags", 0) & 0x80)


class zone:
    """A zone around a block (`with`) or a function (decorator).

    Without a name it has that of the function it is in. `text` shows in the zone's
    details. In a task of asyncio it stays open across awaits, on a row beside the task's;
    in a generator it ends where that yields.
    """

    def __init__(self, name=None, colour=0, text=None, color=None):
        self._name = None if name is None else str(name)
        self._colour = colour if color is None else color
        self._text = text
        self._where = _caller(1)
        self._open = []

    def _begin(self, where):
        opened = _Open(_location(self._name, self._colour, *where))
        if self._text is not None:
            opened.add("t", self._text)
        return opened

    def __enter__(self):
        self._open.append(self._begin(self._where))
        return self

    def __exit__(self, *_):
        if self._open:
            self._open.pop().end()
        return False

    def __call__(self, function):
        code = getattr(function, "__code__", None)
        name = getattr(function, "__qualname__", str(function))
        where = (name, code.co_filename, code.co_firstlineno) if code else (name,) + self._where[1:]

        if _is_coroutine_function(function):
            @_wraps(function)
            async def wrapper(*args, **kwargs):
                opened = self._begin(where)
                try:
                    return await function(*args, **kwargs)
                finally:
                    opened.end()
        else:
            @_wraps(function)
            def wrapper(*args, **kwargs):
                opened = self._begin(where)
                try:
                    return function(*args, **kwargs)
                finally:
                    opened.end()
        return wrapper

    def _add(self, kind, value):
        if self._open:
            self._open[-1].add(kind, value)

    def text(self, text):
        self._add("t", text)

    def name(self, name):
        self._add("n", name)

    def value(self, value):
        self._add("v", int(value))

    def colour(self, colour):
        self._add("c", int(colour))

    color = colour


def message(text, colour=0):
    """A line in the list of messages, at this time, on this thread."""
    _c.message(text, int(colour) & 0xffffff)


def plot(name, value):
    """One more value of a curve."""
    _c.plot(name, float(value))


def frame(name=""):
    """A frame of an endless series ends here and the next begins."""
    _c.frame(name, 0)


def frame_begin(name):
    _c.frame(name, 1)


def frame_end(name):
    _c.frame(name, -1)


def signpost(header, message=None):
    """A message that reports of operations take as a mark between them."""
    if message:
        _c.message("`TT_SIGNPOST: %s\n%s`" % (header, message), 0)
    else:
        _c.message("`TT_SIGNPOST: %s`" % (header,), 0)


def start():
    """Records from here on: all layers, all processes of the run."""
    _c.recording(True)


def stop():
    """Records nothing from here on. Zones that are open still get their ends."""
    _c.recording(False)


def thread_name(name):
    """What this thread is called in the trace."""
    _c.thread_name(name)


def is_enabled():
    """Is this process part of a trace?"""
    return _c.is_recorded()

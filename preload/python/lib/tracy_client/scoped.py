# SPDX-License-Identifier: BSD-3-Clause
"""Zones and frames of tracy_client that have a begin and an end."""
import sys as _sys
from functools import wraps as _wraps

import _tracewrap as _c
from tracewrap import _Open, _location
from tracy_client.colours import ColorType

__all__ = ["ColorType", "ScopedZone", "ScopedZoneDecorator", "ScopedFrame",
           "ScopedFrameDecorator"]


class ScopedZone:
    """A zone from its making until it is deleted, left (`with`) or told to exit()."""

    def __init__(self, name=None, color=0, depth=None, active=True):
        frame = _sys._getframe(1)
        code = frame.f_code
        self._open = None
        self._active = active
        self._name = name
        self._color = int(color)
        self._where = (code.co_name, code.co_filename, frame.f_lineno)
        self.enter()

    @property
    def is_active(self):
        return bool(self._active)

    def enter(self):
        """Begins the zone anew; nothing while it is open."""
        if self._active and self._open is None:
            self._open = _Open(_location(self._name, self._color, *self._where))

    def exit(self):
        opened, self._open = self._open, None
        if opened is not None:
            opened.end()

    def text(self, text):
        return self._add("t", text)

    def name(self, name):
        self._name = str(name)
        return self._add("n", name)

    def color(self, color):
        self._color = int(color)
        self._add("c", self._color)

    def _add(self, kind, value):
        if self._open is None:
            return False
        self._open.add(kind, value)
        return True

    def __enter__(self):
        self.enter()
        return self

    def __exit__(self, *_):
        self.exit()

    def __del__(self):
        self.exit()


def ScopedZoneDecorator(name=None, color=0, depth=None, active=True, class_name=None):
    """Each call of the function is a zone."""

    def decorator(function):
        source = function.__name__
        if class_name is not None:
            source = "%s:%s" % (class_name, source)
        code = function.__code__
        place = (name, int(color), source, code.co_filename, code.co_firstlineno)

        @_wraps(function)
        def wrapper(*args, **kwargs):
            opened = _Open(_location(*place))
            try:
                return function(*args, **kwargs)
            finally:
                opened.end()

        return wrapper if active else function

    return decorator


class ScopedFrame:
    """A frame around a block."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        _c.frame(self._name, 1)
        return self

    def __exit__(self, *_):
        _c.frame(self._name, -1)


def ScopedFrameDecorator(name):
    """Each call of the function is a frame."""

    def decorator(function):
        @_wraps(function)
        def wrapper(*args, **kwargs):
            with ScopedFrame(name):
                return function(*args, **kwargs)

        return wrapper

    return decorator

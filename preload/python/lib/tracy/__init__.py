# SPDX-License-Identifier: BSD-3-Clause
"""The interface of Tenstorrent's `tracy` module, served by tracewrap.

What this module is asked for lands in tracewrap's trace; nothing else is needed. Where
the real module is installed it is the one that is imported (see --override-tracy).
"""
import _tracewrap as _c
from tracewrap import _caller, signpost, zone as _zone

__all__ = ["signpost", "Profiler", "Zone", "runctx"]


class _State:
    """Set by `python -m tracy -p`: Python functions only where a Profiler is enabled."""

    is_partial = False


class Profiler:
    """With `python -m tracy -p`, Python functions between enable() and disable().

    Without -p all are recorded anyway, and the two do nothing.
    """

    def enable(self):
        if _State.is_partial:
            _c.python(True)

    def disable(self):
        if _State.is_partial:
            _c.python(False)

    def __enter__(self):
        self.enable()
        return self

    def __exit__(self, *_):
        self.disable()
        return False


class Zone(_zone):
    """A zone from here to the end of its block, or until it is deleted."""

    def __init__(self, name=None, color=0, colour=0, text=None):
        _zone.__init__(self, name, color or colour, text)
        self._where = _caller(1)
        _zone.__enter__(self)

    def __enter__(self):
        if not self._open:
            _zone.__enter__(self)
        return self

    def __del__(self):
        while self._open:
            self._open.pop().end()


def runctx(cmd, globals, locals, partialProfile=False):
    """Runs code; with partialProfile only what a Profiler enables is recorded."""
    before = _State.is_partial
    _State.is_partial = bool(partialProfile)
    if partialProfile:
        _c.python(False)
    try:
        exec(cmd, globals, locals)
    finally:
        _State.is_partial = before
        if partialProfile:
            _c.python(not before)

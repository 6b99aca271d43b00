# SPDX-License-Identifier: BSD-3-Clause
"""Functions of tracy_client. Numbers that it hands out stand for names."""
import enum as _enum
from builtins import id as _identity

import _tracewrap as _c
from tracewrap import is_enabled, thread_name
from tracy_client.scoped import *
from tracy_client.scoped import __all__ as _scoped

__all__ = _scoped + [
    "PlotFormatType", "alloc", "app_info", "frame_image", "frame_mark", "frame_mark_end",
    "frame_mark_start", "free", "is_enabled", "message", "plot", "plot_config",
    "program_name", "set_thread_name", "thread_name"]

PlotFormatType = _enum.IntEnum("PlotFormatType", [("Number", 0), ("Memory", 1), ("Percentage", 2)])

_names = []


def _number_of(name):
    if name not in _names:
        _names.append(name)
    return _names.index(name)


def _name_of(number):
    """A name is taken as it is; None for a number that was never given."""
    if isinstance(number, int):
        return _names[number] if 0 <= number < len(_names) else None
    return number


set_thread_name = thread_name


def program_name(name):
    _c.message("program: %s" % (name,), 0)
    return True


def app_info(text):
    _c.message(text, 0)
    return True


def message(message, color=0):
    _c.message(message, int(color) & 0xffffff)
    return True


def frame_mark(name=""):
    _c.frame(name, 0)


def frame_mark_start(name):
    _c.frame(name, 1)
    return _number_of(name)


def frame_mark_end(name):
    name = _name_of(name)
    if name is None:
        return False
    _c.frame(name, -1)
    return True


def frame_image(data, width, height, offset=0, flip=False):
    """Pictures are not part of a trace of ours."""
    _c.note("tracy_client: frame images are left out")
    return width % 4 == 0 and height % 4 == 0


def plot_config(name, type=0, step=False, flip=False, color=0):
    return _number_of(name)


def plot(id, value):
    name = _name_of(id)
    if name is None:
        return False
    _c.plot(name, float(value))
    return True


def _address(thing):
    return thing if isinstance(thing, int) else _identity(thing)


def alloc(ptr, size, name=None, id=None, depth=None):
    """A block of memory; of an object its identity stands for the address."""
    if name is None:
        name = "" if id is None else _name_of(id) or ""
    _c.memory(name, _address(ptr), int(size))
    return _number_of(name)


def free(ptr, id=None, depth=None):
    _c.memory("" if id is None else _name_of(id) or "", _address(ptr), -1)
    return True

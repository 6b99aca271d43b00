# SPDX-License-Identifier: BSD-3-Clause
"""tracewrap: zones, messages, plots and frames of your own in the trace.

Without tracewrap every function here does nothing and a zone is a block like any other,
so annotations may stay in a program. Under `tracewrap python app.py` this package turns
into the one that tracewrap brings along, which records. The names are the same.
"""


def _is_under_tracewrap():
    try:
        from _tracewrap import get_source
    except ImportError:
        return False
    exec(compile(get_source("tracewrap"), "<tracewrap>/tracewrap/__init__.py", "exec"), globals())
    return True


if not _is_under_tracewrap():
    __all__ = ["zone", "message", "plot", "frame", "frame_begin", "frame_end", "signpost",
               "start", "stop", "is_enabled", "thread_name"]

    class zone:
        """A zone around a block (`with`) or a function (decorator)."""

        def __init__(self, name=None, colour=0, text=None, color=None):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def __call__(self, function):
            return function

        def text(self, text):
            pass

        def name(self, name):
            pass

        def value(self, value):
            pass

        def colour(self, colour):
            pass

        color = colour

    def message(text, colour=0):
        """A line in the list of messages."""

    def plot(name, value):
        """One more value of a curve."""

    def frame(name=""):
        """A frame of an endless series ends here and the next begins."""

    def frame_begin(name):
        """A frame begins."""

    def frame_end(name):
        """A frame ends."""

    def signpost(header, message=None):
        """A message that reports of operations take as a mark between them."""

    def start():
        """Records from here on."""

    def stop():
        """Records nothing from here on."""

    def thread_name(name):
        """What this thread is called in the trace."""

    def is_enabled():
        """Is this process part of a trace?"""
        return False

# SPDX-License-Identifier: BSD-3-Clause
"""Everything that tracewrap, tracy and tracy_client offer; zones end where they should."""
import os
import sys
import threading

for name in list(sys.modules):
    assert not name.lstrip("_").startswith(("tracewrap", "tracy")), name

import tracewrap
import tracy
import tracy_client
from tracy_client import scoped


def called(zone=None):
    if zone:
        zone.text("from inside")


def leaves_open():
    """Its zone ends with it; deleting the object later must end nothing else."""
    return scoped.ScopedZone("left open")


@tracewrap.zone()
def recurses(n):
    return recurses(n - 1) if n else "result"


@tracewrap.zone("named", colour=0x112233)
def raises():
    raise ValueError("expected")


@scoped.ScopedZoneDecorator("client", 0xFF, class_name="Class")
def decorated(x):
    return x + 1


def generator():
    with tracewrap.zone("in generator"):
        yield 1


def zones():
    with tracewrap.zone("block", colour=0xFF0000, text="a text") as zone:
        zone.value(7)
        called(zone)
    z = scoped.ScopedZone("by del", tracy_client.ColorType.Red)
    called()
    del z
    z = leaves_open()
    with tracewrap.zone("after"):
        del z
        called()
    with scoped.ScopedZone("outer"), scoped.ScopedZone("inner") as inner:
        inner.name("renamed")
    scoped.ScopedZone("inactive", active=False)
    assert recurses(1) == "result"
    try:
        raises()
    except ValueError:
        pass
    assert decorated(1) == 2
    assert list(generator()) == [1]
    with tracy.Zone("tracy zone", color=0xFF):
        called()


def others():
    assert tracewrap.is_enabled() and tracy_client.is_enabled()
    tracewrap.message("one", 0xFF)
    assert tracy_client.message("two", color=tracy_client.ColorType.Blue)
    tracewrap.message("lone \udc80 surrogate and \N{SNOWMAN}")
    tracy_client.app_info("about")
    tracewrap.signpost("post", "with words")
    tracy.signpost(header="bare")
    tracewrap.plot("curve", 1)
    plot = tracy_client.plot_config("other curve", tracy_client.PlotFormatType.Number)
    assert tracy_client.plot(plot, 2.5) and not tracy_client.plot(10 ** 6, 1)
    tracewrap.frame()
    tracy_client.frame_mark()
    number = tracy_client.frame_mark_start("named frame")
    assert tracy_client.frame_mark_end(number) and not tracy_client.frame_mark_end(10 ** 6)
    with scoped.ScopedFrame("other frame"):
        pass
    tracy_client.alloc(4096, 100)
    tracy_client.free(4096)


def gate():
    tracewrap.stop()
    called()
    with tracewrap.zone("while stopped"):
        tracewrap.message("while stopped")
    tracewrap.start()
    with tracewrap.zone("while started"):
        called()


def thread():
    tracewrap.thread_name("annotated")
    with tracewrap.zone("in thread"):
        called()


def forked():
    """A child has none of its parent's open zones."""
    zone = scoped.ScopedZone("before fork")
    pid = os.fork()
    if not pid:
        with tracewrap.zone("in child"):
            zone.exit()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    zone.exit()


zones()
others()
gate()
t = threading.Thread(target=thread)
t.start()
t.join()
forked()
assert repr(sys.modules["_tracewrap"]) == "<module '_tracewrap' (built-in)>"
assert "class ScopedZone" in scoped.__loader__.get_source("tracy_client.scoped")
print("done")

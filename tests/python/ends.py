# SPDX-License-Identifier: BSD-3-Clause
"""ends.py HOW: the ways a Python program ends."""
import _thread
import os
import signal
import sys
import time


def outer(how):
    inner(how)


def inner(how):
    if how == "exit":
        sys.exit(3)
    elif how == "_exit":
        os._exit(4)
    elif how == "abort":
        os.abort()
    elif how == "raise":
        raise ValueError("not caught")
    elif how == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass
    elif how == "memory":
        raise MemoryError
    elif how == "recursion":
        inner_forever()
    elif how == "late":
        ends_with_a_thread()
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def inner_forever():
    inner_forever()


def called_late():
    pass


class Late:
    """Dies with the frame of a thread that still runs when the interpreter ends."""

    def __del__(self, call=called_late):
        call()


def ends_with_a_thread():
    ready = _thread.allocate_lock()
    ready.acquire()

    def wait():
        late = Late()
        ready.release()
        time.sleep(100)
        return late
    _thread.start_new_thread(wait, ())
    ready.acquire()
    sys.exit(5)


outer(sys.argv[1])

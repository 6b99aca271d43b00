# SPDX-License-Identifier: BSD-3-Clause
"""ends.py HOW: the ways a Python program ends."""
import os
import signal
import sys


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
    elif how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


def inner_forever():
    inner_forever()


outer(sys.argv[1])

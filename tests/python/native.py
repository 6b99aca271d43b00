# SPDX-License-Identifier: BSD-3-Clause
"""Calls of C functions; the expectation is in t_python_names.sh."""
import math
import re

pattern = re.compile("a")


class Callable:
    def __call__(self):
        return len([1])


def key(x):
    return math.sqrt(x)


def main(c):
    sorted([3, 1, 2], key=key)
    len("x")
    [].append(1)
    c()
    try:
        int("x")
    except ValueError:
        pass
    "a".upper()
    pattern.match("a")
    try:
        divmod(1, 0)
    except ZeroDivisionError:
        pass


main(Callable())

# SPDX-License-Identifier: BSD-3-Clause
"""Generators that are closed and thrown into. sys.setprofile does not see such resumes
before 3.12, so the expectation is written down: see t_python_calls.sh."""


def closed():
    try:
        yield 1
    finally:
        pass


def thrown():
    try:
        yield 1
    except ValueError:
        yield 2


def passes():
    try:
        yield 1
    except KeyError:
        yield 3


def main():
    g = closed()
    next(g)
    g.close()
    g = closed()
    next(g)
    del g
    g = thrown()
    next(g)
    g.throw(ValueError())
    g = passes()
    next(g)
    try:
        g.throw(ValueError())
    except ValueError:
        pass


main()

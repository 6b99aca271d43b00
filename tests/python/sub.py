# SPDX-License-Identifier: BSD-3-Clause
"""Two sub-interpreters, one after the other; each calls marker() three times."""
import sys

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

code = """if 1:
    import json
    def marker(n): return n and marker(n - 1)
    marker(2)
"""
run = getattr(interpreters, "exec", interpreters.run_string)
for _ in range(2):
    i = interpreters.create()
    run(i, code)
    interpreters.destroy(i)


def marker(n):
    return n


marker(0)

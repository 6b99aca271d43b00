# SPDX-License-Identifier: BSD-3-Clause
"""python -m tracy [OPTION]... SCRIPT|-m MODULE [ARGUMENT]...

The command line of Tenstorrent's tool. tracewrap is recording already, so only -p says
something new: Python functions are recorded where a tracy.Profiler is enabled, and
nowhere else. Options that mean nothing here are accepted; the summary names them.
"""
import sys

import _tracewrap
from tracy import _State

USAGE = "usage: python -m tracy [-p] [OPTION]... SCRIPT|-m MODULE [ARGUMENT]..."

# Options of the original that are followed by a value.
WITH_VALUE = {"-o", "--output-folder", "-n", "--name-append", "-t", "--port", "-a",
              "--device-analysis-types", "--child-functions", "--op-support-count",
              "--profiler-capture-perf-counters", "--tracy-tools-folder"}
HELP = {"-h", "--help"}


def read(arguments):
    """-> is_partial, is_module, options without a meaning, what is left"""
    is_partial = is_module = False
    unused = []
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        option = arguments.pop(0)
        if option == "--":
            break
        if option in HELP:
            print(USAGE)
            sys.exit(0)
        if option in WITH_VALUE:
            if not arguments:
                sys.exit("tracy: %s needs a value\n%s" % (option, USAGE))
            arguments.pop(0)
            unused.append(option)
        elif option.startswith("--"):
            is_partial |= option == "--partial"
            if option != "--partial":
                unused.append(option.partition("=")[0])
        else:
            for i, letter in enumerate(option[1:], 1):
                if "-" + letter in WITH_VALUE:  # -oFOLDER
                    unused.append("-" + letter)
                    if not option[i + 1:] and arguments:
                        arguments.pop(0)
                    break
                is_partial |= letter == "p"
                is_module |= letter == "m"
                if letter not in "pm":
                    unused.append("-" + letter)
    return is_partial, is_module, unused, arguments


def run_script(path):
    """As `python SCRIPT` does: in the module __main__, with its folder first."""
    import os
    main = sys.modules["__main__"]
    try:
        with open(path, "rb") as f:
            source = f.read()
    except OSError as e:
        sys.stderr.write("tracy: can't open file '%s': %s\n" % (path, e.strerror))
        sys.exit(2)
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    for name in [n for n in main.__dict__ if n not in ("__name__", "__builtins__", "__doc__")]:
        del main.__dict__[name]
    main.__dict__.update(__file__=path, __spec__=None, __package__=None, __loader__=None,
                         __cached__=None)
    exec(compile(source, path, "exec"), main.__dict__)


def main():
    is_partial, is_module, unused, rest = read(sys.argv[1:])
    if not rest:
        sys.exit(USAGE)
    if unused:
        _tracewrap.note("python -m tracy: without a meaning here: " + " ".join(unused))
    sys.argv[:] = rest
    _State.is_partial = is_partial
    if is_partial:
        _tracewrap.python(False)
    if is_module:
        import runpy
        sys.path[0] = ""
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        run_script(rest[0])


if __name__ == "__main__":
    main()

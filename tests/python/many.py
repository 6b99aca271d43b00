# SPDX-License-Identifier: BSD-3-Clause
"""Processes: fork and spawn of multiprocessing, os.fork, subprocess; each calls counted()."""
import multiprocessing
import os
import subprocess
import sys


def counted(n):
    return n


def work(queue):
    queue.put(counted(1))


def main():
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        counted(0)
        os._exit(0)
    os.waitpid(pid, 0)
    for how in ("fork", "spawn"):
        context = multiprocessing.get_context(how)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,))
        process.start()
        print(how, queue.get())
        process.join()
    subprocess.check_call([sys.executable, "-c", "def counted(): print('child')\ncounted()"])
    counted(2)


if __name__ == "__main__":
    main()

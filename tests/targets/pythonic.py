# SPDX-License-Identifier: BSD-3-Clause
"""os.fork, subprocess, multiprocessing and threads of Python, with a fixed output."""
import multiprocessing
import os
import subprocess
import sys
import threading


def square(x):
    return x * x


def main():
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    print("fork", os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
    done = subprocess.run(["/bin/sh", "-c", "echo from sh; exit 4"], stdout=subprocess.PIPE)
    print("subprocess", done.stdout, done.returncode)
    done = subprocess.run(["/bin/sh", "-c", "echo $ONLY"], env={"ONLY": "this"},
                          close_fds=True, stdout=subprocess.PIPE)
    print("environment", done.stdout)
    with multiprocessing.Pool(2) as pool:
        print("pool", pool.map(square, range(5)))
    seen = []
    threads = [threading.Thread(target=seen.append, args=(i,)) for i in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print("threads", sorted(seen))
    print("preload", os.environ.get("LD_PRELOAD"))
    print("nothing left", sorted(os.listdir("/proc/self/fd"))[:3])


if __name__ == "__main__":
    main()

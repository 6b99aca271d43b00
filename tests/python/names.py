# SPDX-License-Identifier: BSD-3-Clause
"""Names in a trace: methods by class, imports by module, threads by name, collections."""
import gc
import json
import sys
import threading

sys.path.insert(0, sys.argv[1])


class Base:
    def __init__(self):
        self.ready = True

    def method(self):
        return self.ready

    @classmethod
    def maker(cls):
        return cls()

    @property
    def value(self):
        return 1


class Child(Base):
    def __init__(self):
        super().__init__()


def worker():
    threading.current_thread().name = "renamed é"
    return json.dumps([1])


def dying():
    """A function dies, and another gets its address: each keeps its own name."""
    seen = set()
    for i in range(200):
        scope = {}
        exec("def alive_%d():\n    return 1\nalive_%d()" % (i, i), scope)
        seen.add(id(scope["alive_%d" % i].__code__))
        scope.clear()
    print("addresses used again", len(seen) < 200)


Child.maker().method()
Child().value
t = threading.Thread(target=worker, name="first name")
t.start()
t.join()
t = threading.Thread(target=Child, name="a worker with a rather long name")
t.start()
t.join()
dying()
gc.collect()
try:
    import not_there
except ImportError:
    pass
import small_module

# SPDX-License-Identifier: BSD-3-Clause
"""Every way to call a Python function; the reference is sys.setprofile's word for it."""
import _thread
import contextlib
import functools
import threading
import time


def recurse(n):
    return 0 if n == 0 else recurse(n - 1) + 1


def raising(n):
    if n == 0:
        raise KeyError(n)
    raising(n - 1)


def catching():
    try:
        raising(5)
    except KeyError:
        return recurse(2)
    finally:
        recurse(1)


def numbers(n):
    for i in range(n):
        yield i


def delegating(n):
    result = yield from numbers(n)
    return result


def echo():
    got = None
    while got != "stop":
        got = yield got
    return "done"


def drive(generator, values):
    next(generator)
    with contextlib.suppress(StopIteration):
        for v in values:
            generator.send(v)


async def small(n):
    return n


async def outer():
    total = 0
    for i in range(4):
        total += await small(i)
    async with Manager() as m:
        total += m.value
    async for x in Counter():
        total += x
    async for x in counting(3):
        total += x
    return total


async def counting(n):
    for i in range(n):
        yield i


class Manager:
    value = 5

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return False


class Counter:
    def __init__(self):
        self.n = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.n += 1
        if self.n > 3:
            raise StopAsyncIteration
        return self.n


class Base:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return True

    def __getitem__(self, i):
        return i

    def __getattr__(self, name):
        return name

    def __lt__(self, other):
        return self.x < other.x

    def __del__(self):
        recurse(1)

    def __call__(self, *a):
        return a

    def __iter__(self):
        return numbers(2)


class Derived(Base):
    kind = [x for x in range(2)]

    def __init__(self, x):
        super().__init__(x)

    @property
    def double(self):
        return self.x * 2

    @double.setter
    def double(self, value):
        self.x = value / 2

    @classmethod
    def make(cls):
        return cls(3)

    @staticmethod
    def plain(a, *args, key=1, **kw):
        return (a, args, key, kw)


class Meta(type):
    def __new__(mcs, name, bases, scope):
        return super().__new__(mcs, name, bases, scope)

    def __call__(cls, *a):
        return super().__call__(*a)


class Made(metaclass=Meta):
    __slots__ = ("a",)

    def __init__(self):
        self.a = 1


def decorated(function):
    @functools.wraps(function)
    def inner(*a, **k):
        return function(*a, **k)
    return inner


@decorated
def wrapped(n):
    return (lambda m: m + 1)(n)


@functools.lru_cache(None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


@contextlib.contextmanager
def managed():
    yield recurse(1)


def objects():
    for _ in range(20):
        d = Derived.make()
        d.double = d.double + 2
        d.missing
        d[3]
        d(1, 2)
        d < Derived(9)
        a, b = d
        Derived.plain(1, 2, key=3, z=4)
        with d:
            raise ValueError
        del d
    Made()


def run_coroutine(c):
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


def work():
    for i in range(10):
        recurse(i)
        sum(numbers(i))
        catching()


def threads():
    ts = [threading.Thread(target=work, name="worker %d" % i) for i in range(4)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    done = []

    def raw():
        work()
        done.append(1)
    _thread.start_new_thread(raw, ())
    while not done:
        time.sleep(.001)
    time.sleep(.05)


def main():
    recurse(50)
    catching()
    sum(numbers(10))
    list(delegating(4))
    drive(echo(), [1, 2, "stop"])
    objects()
    run_coroutine(outer())
    wrapped(3)
    cached(8)
    with managed():
        recurse(2)
    sorted([3, 1, 2], key=lambda v: -v)
    list(map(recurse, range(3)))
    [recurse(i) for i in range(3)]
    {recurse(i): i for i in range(3)}
    any(recurse(i) > 1 for i in range(3))
    threads()


main()

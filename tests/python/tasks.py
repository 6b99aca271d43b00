# SPDX-License-Identifier: BSD-3-Clause
"""tasks.py [plain]: tasks of asyncio in many fates; prints what a program can see of them."""
import asyncio
import gc
import os
import sys
import threading

try:
    import tracewrap
except ImportError:  # run untraced
    sys.path.insert(0, os.environ["STAND_IN"])
    import tracewrap

PLAIN = sys.argv[1:] == ["plain"]


async def nap():
    await asyncio.sleep(0)


async def crowd(i):
    await nap()
    return i


async def zoned():
    with tracewrap.zone("across"):
        await nap()
        with tracewrap.zone("within"):
            await nap()


async def fails():
    await nap()
    raise ValueError("expected")


async def forever():
    await asyncio.get_event_loop().create_future()


async def forks():
    """The child has no row of its parent's; both go on."""
    await nap()
    pid = os.fork()
    if not pid:
        in_child()
        os._exit(0)
    await nap()
    print("child", os.waitpid(pid, 0)[1])


def in_child():
    pass


async def cancelled(loop):
    task = loop.create_task(forever())
    await nap()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")


async def abandoned(loop):
    """Tasks that are gone before they have ended; addresses are used again."""
    loop.set_exception_handler(lambda loop, context: None)
    for _ in range(50):
        task = loop.create_task(forever())
        await nap()
        del task
        gc.collect()
    print("abandoned")


async def main(loop):
    total = 0
    for _ in range(100):
        total += sum(await asyncio.gather(*[crowd(i) for i in range(20)]))
    print("crowd", total)
    await loop.create_task(zoned())
    print(await asyncio.gather(fails(), return_exceptions=True))
    await cancelled(loop)
    await loop.create_task(forks())
    await abandoned(loop)


async def in_thread():
    await nap()


def thread():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(in_thread())
    loop.close()


def plain_factory(loop, coro, **kwargs):
    return asyncio.tasks._PyTask(coro, loop=loop, **{k: v for k, v in kwargs.items() if v})


loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
if PLAIN:
    loop.set_task_factory(plain_factory)
first = loop.create_task(main(loop))
print(getattr(first, "get_name", str)() if not PLAIN else "", type(first).__name__, first.done())
loop.run_until_complete(first)
t = threading.Thread(target=thread)
t.start()
t.join()
loop.close()
print(first.done(), len(gc.garbage))

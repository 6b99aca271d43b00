# SPDX-License-Identifier: BSD-3-Clause
"""asyncio.tasks was imported (`module`): tasks get rows of their own. See task.c."""


class Loop:
    """As much of an event loop as a task asks for; keeps what it is to call."""

    def __init__(self):
        self.callback = None

    def get_debug(self):
        return False

    def call_soon(self, callback, *args, context=None):
        self.callback = callback

    def call_exception_handler(self, context):
        pass


class Waiter:
    """As much of a future as a task asks for; keeps what is to wake the task."""

    _asyncio_future_blocking = False

    def __init__(self, loop):
        self._loop = loop
        self.callback = None

    def get_loop(self):
        return self._loop

    def add_done_callback(self, callback, context=None):
        self.callback = callback

    def result(self):
        return None

    def __await__(self):
        self._asyncio_future_blocking = True
        yield self


async def wait_for(waiter):
    await waiter


def watch(task_type):
    """One task takes its two steps; are the objects that make them ours now?"""
    import sys
    loop = Loop()
    waiter = Waiter(loop)
    # A name of its own takes none of the numbers that a program's tasks get.
    named = {"name": "tracewrap"} if sys.version_info >= (3, 8) else {}
    task = task_type(wait_for(waiter), loop=loop, **named)
    task._log_destroy_pending = False
    step = loop.callback
    step()
    wakeup = waiter.callback
    wakeup(waiter)
    return _tracewrap.task_watch(step, task) and _tracewrap.task_watch(wakeup, task)


accelerated = getattr(module, "_CTask", None)
plain = getattr(module, "_PyTask", None)
if accelerated is not None and not watch(accelerated):
    _tracewrap.note("asyncio: tasks of this interpreter have no rows of their own")
for name in ("_Task__step", "_step"):  # the second: 3.6
    if plain is not None and name in plain.__dict__:
        setattr(plain, name, _tracewrap.task_method(plain.__dict__[name]))

# SPDX-License-Identifier: BSD-3-Clause
"""asyncio: tasks, gather, queues, a server and its client; all in this file's functions."""
import asyncio


async def produce(queue, n):
    for i in range(n):
        await queue.put(i)
        await asyncio.sleep(0)
    await queue.put(None)


async def consume(queue):
    total = 0
    while True:
        item = await queue.get()
        if item is None:
            return total
        total += item


async def fails():
    await asyncio.sleep(0)
    raise ValueError("expected")


async def serve(reader, writer):
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def talk(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for word in (b"one\n", b"two\n"):
        writer.write(word)
        answers.append(await reader.readline())
    writer.close()
    return answers


async def main():
    queue = asyncio.Queue()
    # Not gather: in 3.6 it starts its coroutines in any order.
    tasks = [asyncio.ensure_future(c) for c in (produce(queue, 5), consume(queue))]
    await tasks[0]
    print(await tasks[1])
    print(await asyncio.gather(fails(), return_exceptions=True))
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(await talk(server.sockets[0].getsockname()[1]))
    server.close()
    await server.wait_closed()
    await asyncio.sleep(0.01)


loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.close()

"""Measure the calls per second through the gateway, and the latency that it adds.

    python benchmarks/gateway.py --programs 64 --seconds 5

The gateway, a server that answers at once, and the programs run on the same machine. Programs are
coroutines in one process with raw keep-alive connections. The same calls also go to the server
directly, alternating with those through the gateway. The best of several rounds counts.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import statistics
import time

import gem_ma
from gem_ma.agents.programs.gateway import ModelGateway

MESSAGES = [{"role": "user", "content": "What is your move? " + "word " * 200}]
IDS = list(range(250))
RATE = 500  # calls a second


async def stub(port, whole):
    """Answer every request with the same reply."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    answer = head % len(whole) + whole

    async def connection(reader, writer):
        try:
            while True:
                told = await reader.readuntil(b"\r\n\r\n")
                length = int(told.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    port.put(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def serve(port):
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": "I take \\boxed{3}. " * 5},
        "token_ids": IDS[:50],
        "logprobs": {"content": [{"token": "a", "logprob": -0.5}] * 50},
    }
    usage = {"prompt_tokens": 250, "completion_tokens": 50, "total_tokens": 300}
    whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
    whole |= {"choices": [choice], "prompt_token_ids": IDS}
    asyncio.run(stub(port, json.dumps(whole).encode()))


async def program(host, port, path, until, took, pause):
    """Call repeatedly over one connection, with a pause between calls."""
    reader, writer = await asyncio.open_connection(host, port)
    body = json.dumps({"model": "m", "messages": MESSAGES}).encode()
    head = f"POST {path}/chat/completions HTTP/1.1\r\nHost: {host}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    request = head.encode() + body
    await asyncio.sleep(random.random() * pause)
    while time.monotonic() < until:
        start = time.perf_counter()
        writer.write(request)
        told = await reader.readuntil(b"\r\n\r\n")
        length = int(told.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        took.append(time.perf_counter() - start)
        if pause:
            await asyncio.sleep(max(0.0, pause - took[-1]))
    writer.close()


def programs(places, seconds, pause, told):
    """Run a program for each place, and return how long each call took."""

    async def run():
        took, until = [], time.monotonic() + seconds
        await asyncio.gather(*(program(*place, until, took, pause) for place in places))
        return took

    told.put(asyncio.run(run()))


def measured(places, seconds, pause):
    """Return the calls per second, and the median latency."""
    told = multiprocessing.Queue()
    clients = multiprocessing.Process(target=programs, args=(places, seconds, pause, told))
    clients.start()
    took = told.get()
    clients.join()
    return len(took) / seconds, statistics.median(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    port = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    direct = port.get()
    with ModelGateway(f"http://127.0.0.1:{direct}/v1", token_ids=True) as gateway:
        seats = [gateway.open_seat("player", str(number)) for number in range(args.programs)]
        paths = [seat.address.partition(f":{gateway.port}")[2] for seat in seats]
        many = args.programs
        for count, pause in ((1, 0.0), (many, many / RATE), (many, 0.0)):
            found = []
            for _ in range(args.rounds):
                alone = measured([("127.0.0.1", direct, "/v1")] * count, args.seconds, pause)
                through = [("127.0.0.1", gateway.port, path) for path in paths[:count]]
                passed = measured(through, args.seconds, pause)
                for seat in seats:
                    gateway.take_calls(seat)
                found.append((passed[0], 1000 * (passed[1] - alone[1]), alone[0]))
            rate, longer, plain = max(found)
            how = f"at {RATE} calls/s" if pause else "as fast as it goes"
            print(
                f"{count} programs, {how}: {rate:.0f} calls/s through the gateway ({plain:.0f} "
                f"without), each {longer:.2f} ms longer at the median"
            )
    server.terminate()
    print(f"gem_ma {gem_ma.__version__}")


if __name__ == "__main__":
    main()

"""Compare a game behind OpenEnv's WebSocket with a bare echo server of the same library.

    python benchmarks/openenv.py [--quick] [--json]

It needs `pip install -e '.[openenv]'`. One client on the loopback interface sends the same number
of requests to each server, alternately in one run. The best round counts. The echo server does
nothing with its input. It runs as OpenEnv does by default (each step hops to a thread and back),
and without that hop. The last row is an episode played through `gem_ma.make("openenv:...")`.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

from websockets.sync.client import connect

import gem_ma

WORKER = Path(__file__).with_name("openenv_worker.py")
GAME = "game:ConnectFour-v0"
EPISODE = 19  # moves of a game in which both sides take the first open column
TARGET = 0.8


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the best counts")
    parser.add_argument("--quick", action="store_true", help="few episodes, to check that it runs")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    args = parser.parse_args()
    episodes, rounds = (3, 1) if args.quick else (100, args.rounds)
    best = {}
    with contextlib.ExitStack() as stack:
        ports = {name: stack.enter_context(server(name)) for name in ("echo", "echo-loop", GAME)}
        for _ in range(rounds):
            for name, port in ports.items():
                rate = play_game(port, episodes) if name == GAME else echo(port, episodes)
                best[name] = max(rate, best.get(name, 0.0))
            rate = play_bridge(ports[GAME], episodes)
            best["bridge"] = max(rate, best.get("bridge", 0.0))
    report = {
        "echo, steps per second": best["echo"],
        "echo without the hop, steps per second": best["echo-loop"],
        f"{GAME}, steps per second": best[GAME],
        "through our own client, steps per second": best["bridge"],
        "game of echo": best[GAME] / best["echo"],
        "game of echo without the hop": best[GAME] / best["echo-loop"],
    }
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        print(f"{name:45} {value:10.3f}" if value < 10 else f"{name:45} {value:10.0f}")
    print(f"target: game of echo at least {TARGET}")


@contextlib.contextmanager
def server(name):
    """Start a server and yield its port."""
    command = [sys.executable, "-P", WORKER, name]  # -P: else "openenv" would be this file
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def session(port):
    """Yield a function that sends a message and returns the answer's data."""
    with connect(f"ws://127.0.0.1:{port}/ws", compression=None, proxy=None) as socket:

        def ask(kind, data):
            socket.send(json.dumps({"type": kind, "data": data}))
            answer = json.loads(socket.recv())
            assert answer["type"] == "observation", answer
            return answer["data"]

        yield ask


def echo(port, episodes):
    with session(port) as ask:
        begin = time.perf_counter()
        for seed in range(episodes):
            ask("reset", {"seed": seed})
            for number in range(EPISODE):
                assert ask("step", {"message": str(number)})["observation"]["message"]
        return EPISODE * episodes / (time.perf_counter() - begin)


def play_game(port, episodes):
    with session(port) as ask:
        begin = time.perf_counter()
        for seed in range(episodes):
            answer = ask("reset", {"seed": seed})
            for _ in range(EPISODE):
                shown = answer["observation"]
                answer = ask("step", {"text": shown["infos"][shown["agent"]]["legal_actions"][0]})
            assert answer["done"]
        return EPISODE * episodes / (time.perf_counter() - begin)


def play_bridge(port, episodes):
    env = gem_ma.make(f"openenv:ws://127.0.0.1:{port}")
    begin = time.perf_counter()
    for seed in range(episodes):
        env.reset(seed=seed)
        while env.to_act:
            (agent,) = env.to_act
            env.observe(agent)
            env.step_seats({agent: env.info(agent)["legal_actions"][0]})
    return EPISODE * episodes / (time.perf_counter() - begin)


if __name__ == "__main__":
    main()

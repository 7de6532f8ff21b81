"""Measure how fast the arena answers people at many tables, each with its own WebSocket.

A move is answered when the player has received its result, including the picture. Players think for
a random time between the two numbers of `--think`, in seconds. They start a new match when one
ends. In every second match, both players use dark pictures.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request

import websockets

ENVS = (
    "game:ConnectFour-v0",
    "game:Chess-v0",
    "game:RockPaperScissors-v0",
    "game:KuhnPoker-v0",
    "tau:shop",
)


class Player:
    """A person who plays one seat with random replies."""

    def __init__(self, url, match, key, rng, think, dark, spent):
        self.url = f"{url.replace('http', 'ws', 1)}api/matches/{match}/table"
        self.first, self.rng, self.think, self.spent = {"key": key, "dark": dark}, rng, think, spent

    async def play(self):
        """Play until the match is over."""
        async with websockets.connect(self.url, max_size=None) as line:
            await line.send(json.dumps(self.first))
            told = json.loads(await line.recv())
            while not told["over"]:
                if not told["yours"]:
                    told = json.loads(await line.recv())
                    continue
                await asyncio.sleep(self.rng.uniform(*self.think))
                start, before = time.perf_counter(), len(told["said"])
                await line.send(json.dumps(self.chosen(told)))
                while len(told["said"]) == before and not told["over"]:
                    told = json.loads(await line.recv())
                    if told["yours"] is False and told["ready"]:
                        break  # it was accepted, and other seats reply next
                self.spent.append(time.perf_counter() - start)

    def chosen(self, told):
        """Return the message to send: a legal reply, or words."""
        return {"reply": self.rng.choice(told["legal"]) if told["legal"] else "Hello, it is me."}


def begun(url, body):
    """Start a match, and return the arena's answer."""
    asked = urllib.request.Request(f"{url}api/matches", json.dumps(body).encode())
    with urllib.request.urlopen(asked) as answer:
        return json.load(answer)


async def table(url, env, seats, rng, think, dark, spent, until):
    """Let people play one match after the other."""
    while time.perf_counter() < until:
        body = {"env": env, "name": "Ann", "seats": dict.fromkeys(seats, "me")}
        told = await asyncio.to_thread(begun, url, body)
        players = [
            Player(url, told["id"], key, random.Random(rng.random()), think, dark, spent).play()
            for key in told["keys"].values()
        ]
        try:
            async with asyncio.timeout(until - time.perf_counter()):
                await asyncio.gather(*players)
        except TimeoutError:
            return


async def measure(url, tables, think, seconds):
    """Return the seconds that each move took, by environment."""
    with urllib.request.urlopen(f"{url}api/lobby") as lobby:
        seats = {one["id"]: one["seats"] for one in json.load(lobby)["places"]}
    spent = {env: [] for env in ENVS}
    until, rng = time.perf_counter() + seconds, random.Random(1)
    await asyncio.gather(
        *(
            table(url, env, seats[env], rng, think, number % 2 == 1, spent[env], until)
            for number, env in enumerate(ENVS[at % len(ENVS)] for at in range(tables))
        )
    )
    return spent


def told(name, spent):
    """Return a line: number, median, 99th percentile and maximum."""
    spent = sorted(spent)
    at = [spent[int(part * (len(spent) - 1))] * 1000 for part in (0.5, 0.99, 1)]
    return f"{name:28} {len(spent):6} {at[0]:8.1f} {at[1]:8.1f} {at[2]:8.1f}"


def main():
    """Start an arena in its own process, and let people play in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tables", type=int, default=25, help="number of tables with two players each"
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, nargs=2, default=(0.5, 1.5))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = ["--out", folder, "--port", "0", *ENVS]
        command = [sys.executable, "-m", "gem_ma.cli", "arena", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = server.stdout.readline().strip()
                spent = asyncio.run(measure(url, args.tables, args.think, args.seconds))
            finally:
                server.terminate()
    print(f"{'milliseconds':28} {'moves':>6} {'median':>8} {'99 %':>8} {'longest':>8}")
    for env, some in spent.items():
        if some:  # with few tables, some environments are not played
            print(told(env, some))
    print(told("all", [one for some in spent.values() for one in some]))


if __name__ == "__main__":
    main()

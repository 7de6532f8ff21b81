"""Measure pictures: frames, PNG files, screens, chats, and whole steps, beside other libraries."""

import argparse
import io
import itertools
import json
import subprocess
import time
import tracemalloc

import numpy as np
from PIL import Image

import gem_ma
from gem_ma.renderers import THEMES, draw, font, png
from gem_ma.scene import Chat, Grid, Tile

SIZE = 252, 252
LIGHT = THEMES["light"]
KINDS = ("disc", "ring", "square", "triangle", "diamond", "star", "cross")
TILES = tuple((str(i), Tile(kind, "blue")) for i, kind in enumerate(KINDS))

PEERS = r"""
import json, sys, time
import numpy as np
def best(call, seconds):
    call(); rate, end = 0.0, time.process_time() + seconds
    while time.process_time() < end:
        start, count = time.process_time(), 0
        while time.process_time() - start < 0.1:
            call(); count += 1
        rate = max(rate, count / (time.process_time() - start))
    return rate
seconds, found = float(sys.argv[1]), {}
import gymnasium
for name in ("FrozenLake-v1", "Taxi-v4", "CliffWalking-v1", "Blackjack-v1"):
    try:
        env = gymnasium.make(name, render_mode="rgb_array").unwrapped
        env.reset(seed=0); found["gymnasium " + name] = best(env.render, seconds)
    except Exception as error:
        print(name, repr(error), file=sys.stderr)
try:
    import minigrid
    env = gymnasium.make("MiniGrid-Empty-8x8-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=0); found["minigrid 8x8"] = best(env.render, seconds)
except ImportError as error:
    print(repr(error), file=sys.stderr)
from pettingzoo.classic import connect_four_v3, tictactoe_v3, chess_v6
modules = {"connect_four": connect_four_v3, "tictactoe": tictactoe_v3, "chess": chess_v6}
for name, module in modules.items():
    env = module.raw_env(render_mode="rgb_array"); env.reset(seed=0)
    found["pettingzoo " + name] = best(env.render, seconds)
    if name == "chess":
        continue
    rng = np.random.default_rng(0)
    def turn():
        if not any(env.terminations.values()) and env.agents:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask)))); env.render()
        else:
            env.reset()
    found["step " + name] = best(turn, seconds)
print(json.dumps(found))
"""


def best(call, seconds):
    """Return the best number of calls in a CPU second over many short spans."""
    call()
    rate, end = 0.0, time.process_time() + seconds
    while time.process_time() < end:
        start, count = time.process_time(), 0
        while time.process_time() - start < 0.1:
            call()
            count += 1
        rate = max(rate, count / (time.process_time() - start))
    return rate


def cycle(items):
    """Return a function that gives one item after the other, for ever."""
    position = -1

    def following():
        nonlocal position
        position = (position + 1) % len(items)
        return items[position]

    return following


def boards(count=512):
    """Return boards of 9 x 9 that follow one another by one changed cell."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, len(KINDS), (9, 9))
    made = []
    for _ in range(count):
        cells[rng.integers(9), rng.integers(9)] = rng.integers(len(KINDS))
        made.append(Grid(tuple("".join(map(str, row)) for row in cells), TILES))
    return made


def pillow_png(frame):
    """Return Pillow's fastest lossless PNG of a frame."""
    file = io.BytesIO()
    Image.fromarray(frame).save(file, "PNG", compress_level=1)
    return file.getvalue()


def stepper(env_id):
    """Return a function that makes a random move and looks at the picture."""
    env = gem_ma.make(env_id, observe="image")
    env.reset(seed=0)

    def turn():
        if env.to_act:
            env.step(env.sample_random_action())
            env.observe(env.possible_agents[0])
        else:
            env.reset()

    return turn


def memory(env_id="game:ConnectFour-v0", count=200):
    """Return the bytes that a live environment with pictures holds."""
    first = gem_ma.make(env_id, observe="image")
    first.reset(seed=0)
    first.observe("red")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = []
    for seed in range(count):
        env = gem_ma.make(env_id, observe="image")
        env.reset(seed=seed)
        env.observe("red")
        kept.append(env)
    held = (tracemalloc.get_traced_memory()[0] - before) / count
    tracemalloc.stop()
    return held


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", help="a Python with pettingzoo[classic], gymnasium and minigrid")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU time for each row")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    seconds, rows = args.seconds, []

    def row(work, ours, theirs, peer, target, higher=True):
        ratio = ours / theirs if theirs else float("nan")
        rows.append(
            (
                work,
                ours,
                theirs,
                peer,
                ratio,
                target,
                ratio >= target if higher else ratio <= target,
            )
        )

    following = cycle(boards())
    frame = best(lambda: draw(following(), SIZE, LIGHT), seconds)
    array = draw(following(), SIZE, LIGHT)
    copy = best(array.copy, seconds)
    row("9x9 board, 252 px, frames/s", frame, copy, "copy of the array", 0.25)
    packed = best(lambda: png.png(following(), SIZE, LIGHT), seconds)
    pillow = best(lambda: pillow_png(draw(following(), SIZE, LIGHT)), seconds)
    row("PNG of a changed board, files/s", packed, pillow, "Pillow, level 1, of our frame", 10)
    rng = np.random.default_rng(0)
    texts = [["".join(map(chr, rng.integers(33, 127, 60))) for _ in range(30)] for _ in range(64)]
    screens = cycle(texts)
    screen = best(
        lambda: font.screen(screens(), 60, 30, font.HEIGHTS[0], LIGHT.ink, LIGHT.paper), seconds
    )
    row("60x30 terminal screen, screens/s", screen, 5000, "target", 1)
    said, count = [("agent", f"message {i}") for i in range(40)], itertools.count()

    def next_chat():  # a message that was never drawn before follows forty others
        number = next(count)
        said.append((("user", "agent")[number % 2], f"{number}: " + "some words " * (number % 7)))
        return Chat(tuple(said[-41:]), "agent")

    talk = best(lambda: draw(next_chat(), SIZE, LIGHT), seconds)
    row("chat of 40 messages, one new, chats/s", talk, 2000, "target", 1)
    if args.peers:
        done = subprocess.run(
            [args.peers, "-c", PEERS, str(seconds / 2)], capture_output=True, text=True, check=True
        )
        theirs = json.loads(done.stdout.splitlines()[-1])
        fastest = max((name for name in theirs if not name.startswith("step")), key=theirs.get)
        row("9x9 board, 252 px, frames/s", frame, theirs[fastest], fastest, 20)
        for env_id, name in (("ConnectFour", "connect_four"), ("TicTacToe", "tictactoe")):
            ours = best(stepper(f"game:{env_id}-v0"), seconds)
            row(
                f"{env_id}: step and picture, /s",
                ours,
                theirs["step " + name],
                f"pettingzoo {name}",
                30,
            )
    else:
        print("no --peers: give a Python with pettingzoo[classic], gymnasium and minigrid")
    row("memory of an environment, kB", memory() / 1000, 300, "target", 1, higher=False)
    if args.json:
        print(json.dumps(rows))
        return
    print(f"{'work':38}{'ours':>12}{'theirs':>12}  {'peer':32}{'ratio':>9}{'target':>8}  met")
    for work, ours, theirs, peer, ratio, target, met in rows:
        result = f"{ratio:9.2f}{target:8}  {'yes' if met else 'NO'}"
        print(f"{work:38}{ours:12.0f}{theirs:12.0f}  {peer:32}{result}")


if __name__ == "__main__":
    main()

"""Measure pictures: frames, PNG files, screens, chats and whole steps, next to other libraries."""

import argparse
import dataclasses
import gc
import io
import itertools
import json
import resource
import subprocess
import time
import tracemalloc

import numpy as np
from PIL import Image

import gem_ma
from gem_ma.renderers import THEMES, draw, font, png
from gem_ma.renderers.cache import RENDER_CACHE
from gem_ma.scene import Chat, Grid, Tile

SIZE = 252, 252
LIGHT = THEMES["light"]
KINDS = ("disc", "ring", "square", "triangle", "diamond", "star", "cross")
TILES = tuple((str(i), Tile(kind, "blue")) for i, kind in enumerate(KINDS))
ALIKE = {  # games of others, and our most similar ones
    "connect_four": "game:ConnectFour-v0",
    "tictactoe": "game:TicTacToe-v0",
    "chess": "game:Chess-v0",
    "leduc_holdem": "game:LeducPoker-v0",
    "FrozenLake-v1": "game:FrozenLake-v0",
    "Blackjack-v1": "game:Blackjack-v0",
    "MiniGrid-FourRooms-v0": "game:Maze-v0-hard",
}

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
import gymnasium, minigrid
from pettingzoo.classic import chess_v6, connect_four_v3, leduc_holdem_v4, tictactoe_v3
seconds, found = float(sys.argv[1]), {}
def single(id, **kwargs):
    env = gymnasium.make(id, render_mode="rgb_array", **kwargs)
    env.reset(seed=0); env.action_space.seed(0)
    def turn():
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        env.render()
    return env, turn
mini = "MiniGrid-FourRooms-v0", "MiniGrid-Empty-8x8-v0"
for id in ("FrozenLake-v1", "Taxi-v4", "Blackjack-v1", *mini):
    env, turn = single(id)
    found[id] = best(env.render, seconds), best(turn, seconds)
modules = {"connect_four": connect_four_v3, "tictactoe": tictactoe_v3, "chess": chess_v6}
for name, module in {**modules, "leduc_holdem": leduc_holdem_v4}.items():
    env = module.raw_env(render_mode="rgb_array"); env.reset(seed=0)
    rng = np.random.default_rng(0)
    def turn():
        if not any(env.terminations.values()) and env.agents:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask)))); env.render()
        else:
            env.reset()
    found[name] = best(env.render, seconds), best(turn, seconds)
print(json.dumps(found))
"""


def best(call, seconds):
    """Return the best number of calls per CPU second over many short spans."""
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


def played(env_id, most=400):
    """Return scenes of random games as the seats saw them, each different from the earlier ones."""
    env, found, seed = gem_ma.make(env_id), {}, 0
    while len(found) < most and seed < most:
        env.reset(seed=seed)
        seed += 1
        while env.to_act and len(found) < most:
            agent = env.to_act[0]
            found[env.observation_builder.build_scene(env.match.make_view(agent), agent)] = None
            moves = {one: env.sample_random_action(one) for one in env.to_act}
            env.submit(moves)
    return list(found)


def cpu(work, items):
    """Return the results of the work for each item, and the CPU seconds per item."""
    start = time.process_time()
    made = [work(item) for item in items]
    return made, (time.process_time() - start) / len(items)


def games(size, rounds=3):
    """Measure PNG files of new positions, in whole games, game by game."""
    rows = []
    for env_id in sorted(gem_ma.list_envs()):
        if not env_id.startswith(("game:", "visual:", "tau:shop")) or env_id.count("-") > 1:
            continue
        scenes, found = played(env_id), []
        for _ in range(rounds):
            RENDER_CACHE.clear()
            frames, drawing = cpu(lambda scene: draw(scene, size, LIGHT), scenes)
            theirs, pillow = cpu(pillow_png, frames)
            if all(isinstance(scene, Grid) for scene in scenes):
                # Cells are already drawn, like Pillow's frames; their rows are packed again.
                ours, packing = cpu(lambda scene: png.render_png(scene, size, LIGHT), scenes)
            else:
                ours, packing = cpu(png.encode_png, frames)
            share = sum(map(len, ours)) / sum(map(len, theirs))
            found.append((pillow / packing, share, 1e6 * drawing, 1e6 * pillow, 1e6 * packing))
        rows.append((*max(found), env_id, type(scenes[0]).__name__, len(scenes)))
    return sorted(rows)


def statuses(size):
    """Measure the cost of a new status: a frame with one, relative to an unchanged frame."""
    rows = []
    for env_id in sorted(gem_ma.list_envs()):
        if not env_id.startswith("game:") or env_id.count("-") > 1:
            continue
        scenes = [one for one in played(env_id, 8) if isinstance(one, Grid) and one.status]
        if not scenes:
            continue
        draw(scenes[0], size, LIGHT)
        first, *rest = scenes[0].status
        said = [f"{number}{first[len(str(number)) :]}" for number in range(1000, 1400)]
        new = [dataclasses.replace(scenes[0], status=(one, *rest)) for one in said]
        ratio = min(
            cpu(lambda scene: draw(scene, size, LIGHT), new[start : start + 100])[1]
            / cpu(lambda scene: draw(scene, size, LIGHT), new[start : start + 100])[1]
            for start in range(0, 400, 100)
        )
        rows.append((ratio, env_id))
    return sorted(rows, reverse=True)


def resident():
    """Return the memory of this process in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def growth(side, count=1000):
    """Return the megabytes of a thousand environments that were played with pictures."""
    gc.collect()
    RENDER_CACHE.clear()
    before = resident()
    kept = []
    for seed in range(count):
        env = gem_ma.make("game:ConnectFour-v0", observe="image", image_size=(side, side))
        env.reset(seed=seed)
        for _ in range(10):
            if env.to_act:
                env.observe(env.to_act[0])
                env.step(env.sample_random_action())
        kept.append(env)
    return resident() - before, RENDER_CACHE.used_bytes / 2**20


def boards(count=512):
    """Return boards of 9 x 9 that differ from the last one by one cell."""
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


def others(python, seconds):
    """Return pictures per second of other libraries' games: repeated, and after moves."""
    done = subprocess.run(
        [python, "-c", PEERS, str(seconds)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def stepper(env_id):
    """Return a function that makes a random move and reads the picture."""
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
    """Return the bytes of a live environment with pictures."""
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


def whole(side):
    """Print the cost of pictures of whole games."""
    size = side, side
    print(f"whole games, {side} px: Pillow's level 1 over ours, and the share of its size")
    for ratio, share, drawing, theirs, ours, env_id, kind, views in games(size):
        print(
            f"{ratio:7.2f} {share:6.2f}  {env_id:30}{kind:10}{views:5} views  draw {drawing:6.0f}  "
            f"Pillow {theirs:6.0f}  ours {ours:6.0f} us"
        )
    print("a new status over one that was seen:")
    print("  ".join(f"{name} {ratio:.1f}" for ratio, name in statuses(size)))
    for env_id in sorted(gem_ma.list_envs()):
        if env_id.startswith(("game:", "visual:")) and env_id.count("-") == 1:
            for scene in played(env_id, 20):
                png.render_png(scene, size, LIGHT)
    print(f"kept after some of every game: {RENDER_CACHE.used_bytes / 2**20:.1f} MB")
    for one in (252, 504, 1008):
        grown, held = growth(one)
        print(f"1,000 environments of ConnectFour at {one} px: {grown:.0f} MB, {held:.0f} MB kept")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", help="Python with pettingzoo[classic], gymnasium and minigrid")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds of each row")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--played", action="store_true", help="measure whole games, game by game")
    parser.add_argument(
        "--size", type=int, default=252, help="size in pixels of the pictures of whole games"
    )
    args = parser.parse_args()
    if args.played:
        whole(args.size)
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
    packed = best(lambda: png.render_png(following(), SIZE, LIGHT), seconds)
    pillow = best(lambda: pillow_png(draw(following(), SIZE, LIGHT)), seconds)
    row("PNG of a changed board, files/s", packed, pillow, "Pillow, level 1, of our frame", 10)
    rng = np.random.default_rng(0)
    texts = [["".join(map(chr, rng.integers(33, 127, 60))) for _ in range(30)] for _ in range(64)]
    screens = cycle(texts)
    screen = best(
        lambda: font.render_lines(
            screens(), 60, 30, font.LETTER_HEIGHTS[0], LIGHT.ink, LIGHT.paper
        ),
        seconds,
    )
    row("60x30 terminal screen, screens/s", screen, 5000, "target", 1)
    said, count = [("agent", f"message {i}") for i in range(40)], itertools.count()

    def next_chat():  # a new message follows forty others
        number = next(count)
        said.append((("user", "agent")[number % 2], f"{number}: " + "some words " * (number % 7)))
        return Chat(tuple(said[-41:]), "agent")

    talk = best(lambda: draw(next_chat(), SIZE, LIGHT), seconds)
    row("chat of 40 messages, one new, chats/s", talk, 2000, "target", 1)
    if args.peers:
        theirs = others(args.peers, seconds / 2)
        fastest = max(theirs, key=lambda name: theirs[name][0])
        row("9x9 board, 252 px, frames/s", frame, theirs[fastest][0], fastest, 20)
        for name, env_id in ALIKE.items():
            ours = best(stepper(env_id), seconds)
            row(f"a move and the picture, {env_id}", ours, theirs[name][1], name, 1)
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

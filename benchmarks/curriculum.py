"""Compare the samples that a small learner needs with a Curriculum and with uniform difficulties.

    python benchmarks/curriculum.py --folder runs/curriculum [--only lake] [--seeds 0 1 2]

The same network learns the same game with difficulties chosen by a Curriculum, and with
difficulties drawn uniformly from 0 to 10. Every few updates it is evaluated on new episodes at one
difficulty. The result is the number of samples (replies) that it had learnt from when it first
reached the requested share of success; the number of episodes is printed too. A stopped run
resumes. Each run takes some minutes on one core.
"""

import argparse
import functools
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

import gem_ma
from gem_ma.training import Curriculum, MenuLearner, Trainer, rebn

EPISODES = 64  # episodes of an update
EVERY = 2  # updates between two evaluations
JUDGED = 200  # episodes of an evaluation
FIRST = 10**6  # first seed of the evaluation


class Evenly(Curriculum):
    """Difficulties that are drawn uniformly, regardless of results."""

    def sample_difficulties(self, groups, seed):
        rng = np.random.default_rng(seed)
        return rng.integers(0, self.most + 1, groups).tolist()


class Game(NamedTuple):
    id: str
    read: object  # returns the features of a conversation, and the menu
    inputs: int
    moves: int
    level: int  # difficulty of the evaluation
    asked: float  # required share of success there
    updates: int  # most updates
    gamma: float = 0.95


def lake(messages):
    """Return the ice around the player, five cells wide and high, and the place of the goal."""
    board, _, _ = messages[-1]["content"].partition("Moves left")
    rows = [line.split() for line in board.strip().splitlines() if line.strip()]
    size = len(rows)
    (row, column) = next((r, c) for r in range(size) for c in range(size) if rows[r][c] in "@X*")
    around = []
    for y in range(-2, 3):
        for x in range(-2, 3):
            r, c = row + y, column + x
            inside = 0 <= r < size and 0 <= c < size
            around += [not inside, inside and rows[r][c] == "O"]
    goal = np.array([size - 1 - row, size - 1 - column], float)
    far = np.abs(goal).sum() or 1.0
    seen = [*around, *(goal / far), *np.minimum(goal, 3) / 3]
    return np.array(seen, np.float32), ("left", "down", "right", "up")


def tiles(messages):
    """Return which tile is where in the upper left three rows and columns."""
    board, _, _ = messages[-1]["content"].rpartition("Turns left")
    rows = [line.split() for line in board.strip().splitlines()]
    rows = [row for row in rows if row and all(w.isdecimal() or w == "_" for w in row)]
    seen = np.zeros((3, 3, 9), np.float32)
    for y, row in enumerate(rows[:3]):
        for x, word in enumerate(row[:3]):
            seen[y, x, min(int(word) if word.isdecimal() else 0, 8)] = 1
    return seen.flatten(), ("left", "down", "right", "up")


def discs(messages):
    """Return the peg of each of eight discs."""
    lines = messages[-1]["content"].splitlines()
    pegs = [line.partition(":")[2] for line in lines if line[:2] in ("A:", "B:", "C:")]
    seen = np.zeros((8, 3), np.float32)
    for place, peg in enumerate(pegs):
        for word in peg.replace(",", " ").split():
            if word.isdecimal():
                seen[int(word) - 1, place] = 1
    moves = [f"{a} {b}" for a in "ABC" for b in "ABC" if a != b]
    return seen.flatten(), moves


GAMES = {
    "lake": Game("game:FrozenLake-v0", lake, 54, 4, 2, 0.7, 250),
    "hanoi": Game("game:TowerofHanoi-v0", discs, 24, 6, 1, 0.9, 250),
    "fifteen": Game("game:FifteenPuzzle-v0", tiles, 81, 4, 2, 0.8, 250),
}


def solved(episode):
    return float(episode.returns["player"] == 1.0)


def run(name, kind, seed, folder):
    """Train, and return the number of episodes, or None if the share was not reached."""
    game, path = GAMES[name], folder / f"{name}-{kind}-{seed}.json"
    if path.exists():
        return json.loads(path.read_text())
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(game.inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
        nn.Linear(64, game.moves),
    )  # fmt: skip
    learner = MenuLearner(network, game.read, lr=1e-3, epochs=2, entropy=0.01, seed=seed)
    make = Curriculum if kind == "curriculum" else Evenly
    levels = make(game.id, target=0.6, success=solved, invalid="skip")
    trainer = Trainer(
        levels,
        {"player": learner},
        functools.partial(rebn, gamma=game.gamma),
        episodes=EPISODES,
        seed=seed,
    )
    judge = gem_ma.make(game.id, difficulty=game.level, invalid="skip")
    curve, start = [], time.process_time()
    while trainer.step < game.updates:
        trainer.run(trainer.step + EVERY)
        played = gem_ma.rollout(judge, learner, JUDGED, seed=FIRST, progress=False)
        share = sum(map(solved, played)) / JUDGED
        replies = sum(row["turns"] for row in trainer.history) * EPISODES
        curve.append((trainer.step * EPISODES, replies, share, trainer.history[-1]["difficulty"]))
        if share >= game.asked:
            break
    told = {"curve": curve, "reached": curve[-1][2] >= game.asked}
    told |= {"episodes": curve[-1][0], "replies": curve[-1][1], "cpu": time.process_time() - start}
    path.write_text(json.dumps(told))
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("runs/curriculum"))
    parser.add_argument("--only", nargs="+", choices=GAMES, default=tuple(GAMES))
    parser.add_argument("--seeds", type=int, nargs="+", default=(0, 1, 2))
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    print("| game | asked | seed | replies (episodes): Curriculum | any level | share | CPU s |")
    print("|---" * 7 + "|")
    for name in args.only:
        game = GAMES[name]
        for seed in args.seeds:
            both = [run(name, kind, seed, args.folder) for kind in ("curriculum", "evenly")]
            shown = [
                f"{'' if one['reached'] else 'not in '}{one['replies']:,.0f} ({one['episodes']:,})"
                for one in both
            ]
            share = both[0]["replies"] / both[1]["replies"]
            cpu = " + ".join(f"{one['cpu']:.0f}" for one in both)
            asked = f"{game.asked:.0%} at {game.level}"
            print(
                f"| `{game.id}` | {asked} | {seed} | {' | '.join(shown)} | {share:.2f} | {cpu} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

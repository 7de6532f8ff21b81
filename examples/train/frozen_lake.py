"""Train a small network from scratch to cross a frozen lake, from images or from text.

    python examples/train/frozen_lake.py --observe image --updates 100

The map is always the same, 4 x 4, and only reaching the goal pays. With --observe image, the
network sees only frames of 84 x 84 pixels. With --observe text, it sees the same map as symbols.
"""

import argparse
import functools

import numpy as np
import torch
from torch import nn

from gem_ma.training import MenuLearner, Trainer, rebn

MOVES = ("left", "down", "right", "up")
SYMBOLS = ".OG@X*"
MAP = 11  # seed of the map: a winding path between four holes
SIDE = 84


class Sees(nn.Module):
    """A network that scores the moves from pixels."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 16, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 9 * 9, 64),
            nn.ReLU(),
            nn.Linear(64, len(MOVES)),
        )

    def forward(self, frames):
        return self.layers(frames.permute(0, 3, 1, 2) / 255 - 0.5)


class Reads(nn.Module):
    """A network that scores the moves from symbols."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(16 * len(SYMBOLS), 64), nn.ReLU(), nn.Linear(64, len(MOVES))
        )

    def forward(self, cells):
        return self.layers(nn.functional.one_hot(cells, len(SYMBOLS)).flatten(1).float())


def read_picture(messages):
    frame, *rest = messages[-1]["content"]
    if rest:
        raise ValueError(f"expected a picture only, got {rest} beside it")
    return frame.array, MOVES


def read_symbols(messages):
    lake, _, _ = messages[-1]["content"].partition("Moves left")
    return np.array([SYMBOLS.index(symbol) for symbol in lake.split()]), MOVES


def trainer(seed, observe="image", episodes=64):
    """Return a trainer for a player that sees images or text."""
    torch.manual_seed(seed)
    if observe == "image":
        network, read = Sees(), read_picture
    else:
        network, read = Reads(), read_symbols
    return Trainer(
        "game:FrozenLake-v0",
        {"player": MenuLearner(network, read, lr=1e-3, epochs=2, entropy=0.02, seed=seed)},
        functools.partial(rebn, gamma=0.95),
        episodes=episodes,
        group=episodes,
        starts=MAP,
        seed=seed,
        rollout={
            "concurrency": episodes,
            "observe": observe,
            "image_size": (SIDE, SIDE),
            "max_turns": 24,
        },
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--observe", choices=("image", "text"), default="image")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0:
            goals = [row["return/player"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: arrived {sum(goals) / len(goals):.3f}", flush=True)

    trainer(args.seed, args.observe).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

"""Train both seats of the reference game from scratch: they invent a language.

    python examples/train/reference_game.py --updates 150

The speaker says a letter for each of the nine cells of the picture that it sees. The listener
compares the letters with four similar pictures and chooses one. Both are paid if it is the right
one. At first no letter has a meaning. Chance is 0.25.
"""

import argparse
import functools
import re

import numpy as np
import torch
from torch import nn

from gem_ma.training import MenuLearner, Trainer, rebn

FIGURES = ("arrow", "cross", "door", "flag", "heart", "key", "pawn", "spade")
THINGS = ["", *(f"{shade} {figure}" for shade in ("black", "white") for figure in FIGURES)]
LETTERS = "abcdefghijklmnopqrst"
NUMBERS = ["1", "2", "3", "4"]
CELLS = 9
PLACED = re.compile(r"(\w+ \w+) at ([A-C])([1-3])")


class Speaker(nn.Module):
    """A network that scores a letter for each cell from the cell's content."""

    def __init__(self, width=32):
        super().__init__()
        self.things = nn.Embedding(len(THINGS), width)
        self.out = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, len(LETTERS)))

    def forward(self, picture):
        return 4 * self.out(  # sharp enough to give each thing its own letter
            self.things(picture)
        )


class Listener(nn.Module):
    """A network that scores each picture by how well its cells match the letters."""

    def __init__(self, width=32):
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), width)
        self.things = nn.Embedding(len(THINGS), width)

    def forward(self, seen):
        letters = self.letters(seen[:, 0])
        things = self.things(seen[:, 1:])
        return torch.einsum("bcw,bpcw->bp", letters, things) / letters.shape[-1] ** 0.5


def picture(words):
    """Return the content of each cell from the description of a picture."""
    found = np.zeros(CELLS, np.int64)
    for thing, column, row in PLACED.findall(words):
        found["ABC".index(column) + 3 * (int(row) - 1)] = THINGS.index(thing)
    return found


def read_as_speaker(messages):
    return picture(messages[-1]["content"]), LETTERS


def read_as_listener(messages):
    said, *pictures = messages[-1]["content"].replace("\n\n", "\n").split("\n")
    letters = [LETTERS.index(letter) for letter in said.removeprefix("speaker: ")]
    return np.stack([letters, *map(picture, pictures)]), NUMBERS


def trainer(seed, episodes=256):
    """Return a trainer for both seats."""
    torch.manual_seed(seed)
    learn = functools.partial(MenuLearner, lr=5e-3, entropy=0.0, epochs=2, seed=seed)
    return Trainer(
        "game:ReferenceGame-v0",
        {
            "speaker": learn(Speaker(), read_as_speaker),
            "listener": learn(Listener(), read_as_listener),
        },
        rebn,
        episodes=episodes,
        seed=seed,
        rollout={"concurrency": episodes},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0:
            right = [row["return/listener"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: right {sum(right) / len(right):.3f}")

    trained = trainer(args.seed)
    trained.run(args.updates, args.save, after=show)
    scores = trained.agents["speaker"].network(torch.arange(len(THINGS))).argmax(-1).tolist()
    words = [
        f"{thing or 'nothing'}: {LETTERS[best]}" for thing, best in zip(THINGS, scores, strict=True)
    ]
    print("; ".join(words))


if __name__ == "__main__":
    main()

"""Train a tiny transformer from scratch to find a number, with a reward only at the end.

    python examples/train_tiny.py --updates 300

Two layers of width 64 read the numbers and hints that the game shows, and choose the next guess
from 1 to 10. There are four guesses; halving the remaining numbers always suffices. Training takes
about a minute on one core. With --save, a stopped run resumes.
"""

import argparse
import functools
import re

import numpy as np
import torch
from torch import nn

from gem_ma.training import MenuLearner, Trainer, rebn

GUESSES = [str(n) for n in range(1, 11)]
WORDS = ["", "lower", "higher", *GUESSES]  # the first one is padding
LONGEST = 10  # two bounds, three guesses with their hints, and the guesses left
WORD = re.compile(r"\d+|lower|higher")


class Transformer(nn.Module):
    """A network that scores the next guess from the words it reads."""

    def __init__(self, width=64, layers=2, heads=4):
        super().__init__()
        self.words = nn.Embedding(len(WORDS), width)
        self.places = nn.Embedding(LONGEST, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, len(GUESSES))

    def forward(self, words):
        seen = self.words(words) + self.places.weight
        for layer in self.layers:
            seen = layer(seen, src_key_padding_mask=words == 0)
        return self.out(self.norm(seen[:, 0]))


def read(messages):
    """Return the last words of the newest observation, and the menu."""
    words = WORD.findall(messages[-1]["content"])[-LONGEST:]  # the network has room for no more
    ids = [WORDS.index(word) for word in words]
    return np.array([*ids, *[0] * (LONGEST - len(ids))]), GUESSES


def trainer(seed, advantages=None, episodes=128):
    """Return a trainer for the player."""
    torch.manual_seed(seed)
    player = MenuLearner(Transformer(), read, lr=2e-3, epochs=4, seed=seed)
    return Trainer(
        "game:GuessTheNumber-v0",
        {"player": player},
        advantages or functools.partial(rebn, gamma=0.9),
        episodes=episodes,
        seed=seed,
        rollout={"max_number": 10, "max_turns": 4, "concurrency": episodes},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0:
            wins = [row["return/player"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: won {sum(wins) / len(wins):.3f}")

    trainer(args.seed).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

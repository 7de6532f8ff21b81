"""Train a small network from scratch on visual tasks, from pictures or from their text twins.

    python examples/train/visual_tasks.py cups --observe image --updates 300

`cups` follows a ball under cups that change places, over several frames. `gates` works out the
output of a drawn circuit. `notes` finds the bar whose notes do not fit the time. `blocks` counts
cubes in a corner. Each episode is a new task, and only the right answer pays. With --observe text,
the network reads the same in words.
"""

import argparse
import functools
import re
import zlib
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from gem_ma.training import MenuLearner, Trainer, rebn

WORDS, LONGEST = 1024, 96  # of a text: numbers that stand for words, and words that are read


class Task(NamedTuple):
    """A task, the replies to choose among, the side of its pictures, and episodes of an update."""

    id: str
    menu: tuple[str, ...]
    side: int
    episodes: int = 64


TASKS = {
    "cups": Task("visual:CupShuffle-v0", ("1", "2", "3"), 84),
    "gates": Task("visual:LogicGates-v0", ("0", "1"), 168),
    "notes": Task("visual:NoteLengths-v0", ("1", "2", "3"), 126, 128),
    "blocks": Task("visual:CountBlocks-v0", tuple(map(str, range(1, 13))), 84),
}


class PictureNetwork(nn.Module):
    """A network that scores the replies from pixels."""

    def __init__(self, side, replies):
        super().__init__()
        layers = [
            nn.Conv2d(3, 16, 8, stride=4), nn.ReLU(), nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(),
            nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten(),
        ]  # fmt: skip
        wide = nn.Sequential(*layers)(torch.zeros(1, 3, side, side)).shape[1]
        self.layers = nn.Sequential(
            *layers, nn.Linear(wide, 128), nn.ReLU(), nn.Linear(128, replies)
        )

    def forward(self, frames):
        return self.layers(frames.permute(0, 3, 1, 2) / 255 - 0.5)


class TextNetwork(nn.Module):
    """A network that scores the replies from words and their places."""

    def __init__(self, replies):
        super().__init__()
        self.words = nn.Embedding(WORDS, 16, padding_idx=0)
        self.layers = nn.Sequential(
            nn.Flatten(), nn.Linear(16 * LONGEST, 128), nn.ReLU(), nn.Linear(128, replies)
        )

    def forward(self, words):
        return self.layers(self.words(words))


def read_picture(messages, menu):
    frames = [part.array for part in messages[-1]["content"] if hasattr(part, "array")]
    return frames[-1], menu


def read_words(messages, menu):
    words = re.findall(r"\w+|[^\w\s]", messages[-1]["content"])[:LONGEST]
    numbers = [1 + zlib.crc32(word.encode()) % (WORDS - 1) for word in words]
    return np.array([*numbers, *[0] * (LONGEST - len(numbers))]), menu


def trainer(seed, task="cups", observe="image", episodes=None):
    """Return a trainer for a player of a task."""
    torch.manual_seed(seed)
    id, menu, side, many = TASKS[task]
    episodes = episodes or many
    if observe == "image":
        network, read = PictureNetwork(side, len(menu)), read_picture
    else:
        network, read = TextNetwork(len(menu)), read_words
    read = functools.partial(read, menu=menu)
    return Trainer(
        id,
        {"player": MenuLearner(network, read, lr=5e-4, epochs=2, entropy=0.02, seed=seed)},
        rebn,
        episodes=episodes,
        seed=seed,
        rollout={
            "concurrency": episodes,
            "observe": observe,
            "image_size": (side, side),
            "difficulty": 0,
        },
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", choices=tuple(TASKS))
    parser.add_argument("--observe", choices=("image", "text"), default="image")
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0:
            rewards = [row["return/player"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: solved {sum(rewards) / len(rewards):.3f}", flush=True)

    trainer(args.seed, args.task, args.observe).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

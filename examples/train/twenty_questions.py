"""Train the asking seat of twenty questions from scratch, against an answerer that tells the truth.

    python examples/train/twenty_questions.py --updates 370

The asker chooses among all questions and all guesses that it has not used yet. It reads what was
asked and answered; what follows from that it has to find out by winning or losing. A random asker
names the thing in about one game of six; this one comes to one of four, and no further.
"""

import argparse
import functools

import numpy as np
import torch
from torch import nn

from gem_ma.envs.parlour.twenty_questions import GUESSES, QUESTIONS
from gem_ma.training import MenuLearner, Trainer, rebn

MENU = (*QUESTIONS, *GUESSES)
PLACES = {about: place for place, about in enumerate((*QUESTIONS, *GUESSES.values()))}
ANSWERS = ("", "no", "yes")  # the first one: not asked yet


class Asker(nn.Module):
    """Scores for what to ask next; what was asked is out."""

    def __init__(self, width=128):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2 * len(MENU), width), nn.ReLU(), nn.Linear(width, len(MENU))
        )

    def forward(self, answers):
        known = torch.cat([answers == 1, answers == 2], -1).float()
        return self.layers(known).masked_fill(answers > 0, -1e9)


def read(messages):
    """Return how each line of the menu was answered, and the menu."""
    answers = np.zeros(len(MENU), np.int64)
    for line in messages[-1]["content"].splitlines():
        about, _, answer = line.rpartition(" ")
        if about in PLACES:
            answers[PLACES[about]] = ANSWERS.index(answer)
    return answers, MENU


def trainer(seed=0, episodes=64):
    """Return what trains such an asker."""
    torch.manual_seed(seed)
    return Trainer(
        "game:TwentyQuestions-v0",
        {
            "asker": MenuLearner(Asker(), read, lr=3e-3, epochs=2, seed=seed),
            "answerer": "random",  # of what is legal: the truth
        },
        functools.partial(rebn, gamma=0.95),
        episodes=episodes,
        seed=seed,
        rollout={"concurrency": episodes},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--updates", type=int, default=370)
    parser.add_argument("--episodes", type=int, default=64, help="of an update")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="a checkpoint; if it is there, training goes on from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            found = [row["return/asker"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: found {sum(found) / len(found):.3f}", flush=True)

    trainer(args.seed, args.episodes).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

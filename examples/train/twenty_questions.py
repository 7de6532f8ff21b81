"""Train the asker of twenty questions from scratch, against an answerer that tells the truth.

    python examples/train/twenty_questions.py --updates 370

The asker chooses among all questions and guesses that it has not used yet. It reads past questions
and answers, and must learn what they imply from winning and losing. A random asker names the thing
in about one game of six; this one reaches one of four, and no more.
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
    """A network that scores what to ask next; used questions are excluded."""

    def __init__(self, width=128):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2 * len(MENU), width), nn.ReLU(), nn.Linear(width, len(MENU))
        )

    def forward(self, answers):
        known = torch.cat([answers == 1, answers == 2], -1).float()
        return self.layers(known).masked_fill(answers > 0, -1e9)


def read(messages):
    """Return the answer to each menu line, and the menu."""
    answers = np.zeros(len(MENU), np.int64)
    for line in messages[-1]["content"].splitlines():
        about, _, answer = line.rpartition(" ")
        if about in PLACES:
            answers[PLACES[about]] = ANSWERS.index(answer)
    return answers, MENU


def trainer(seed=0, episodes=64):
    """Return a trainer for the asker."""
    torch.manual_seed(seed)
    return Trainer(
        "game:TwentyQuestions-v0",
        {
            "asker": MenuLearner(Asker(), read, lr=3e-3, epochs=2, seed=seed),
            "answerer": "random",  # the only legal answer is the true one
        },
        functools.partial(rebn, gamma=0.95),
        episodes=episodes,
        seed=seed,
        rollout={"concurrency": episodes},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--updates", type=int, default=370)
    parser.add_argument("--episodes", type=int, default=64, help="episodes per update")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="checkpoint file; if it exists, training resumes from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0 or trainer.step == args.updates:
            found = [row["return/asker"] for row in trainer.history[-10:]]
            print(f"update {trainer.step}: found {sum(found) / len(found):.3f}", flush=True)

    trainer(args.seed, args.episodes).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

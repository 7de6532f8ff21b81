"""Train the user's seat of tau:shop from scratch, to keep to its task: what to say, and when.

    python examples/train/user_simulator.py --updates 80

The user chooses each message from a menu made of its own task: a greeting, who it is, each wish, a
yes and a no, the end, and three temptations: to tell everything at once, to make up an order, and
to talk like the assistant. A small network scores them by the words that the assistant said last
and by what was said before. It is paid for fidelity and for getting what it wants, with some more
for its pace: to tell everything at once is the easiest way to success, and costs little fidelity.
The assistant, who knows its tools and asks for the rest, never changes. For a language model in
this seat see train_user_simulator.py.
"""

import argparse
import functools
import re
import zlib

import numpy as np
import torch
from torch import nn

from gem_ma.training.advantages import rebn
from gem_ma.training.chooser import Chooser
from gem_ma.training.loop import Trainer

STOP = "###STOP###"
ALWAYS = (
    "Hello, I need some help.",
    "Yes, please.",
    "No.",
    "I do not remember.",
    STOP,
    "My email is someone@example.com, and it is about order #W0000000.",
    "How can I help you today?",
)
MENU = len(ALWAYS) + 4  # who it is, everything at once, a wish or two
BUCKETS = 64  # that the assistant's words fall into
WORD = re.compile(r"[a-z]+|\?")


class Scores(nn.Module):
    """A score for each line of the menu, from what was heard and that line's own row."""

    def __init__(self, width=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(BUCKETS + MENU + 2, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, rows):
        return self.layers(rows)[..., 0]


def read(messages):
    """Return a row of numbers for each line of the menu, and the menu."""
    menu = lines(messages[0]["content"])
    said = [message["content"] for message in messages if message["role"] == "assistant"]
    rows = np.zeros((MENU, BUCKETS + MENU + 2), np.float32)
    if said:  # else nothing was heard yet
        for word in WORD.findall(messages[-1]["content"].lower()):
            rows[:, zlib.crc32(word.encode()) % BUCKETS] = 1
    for place, line in enumerate(menu):
        rows[place, BUCKETS + place] = 1
        rows[place, -2] = min(said.count(line), 3) / 3
    rows[:, -1] = any(wish not in said for wish in menu[len(ALWAYS) + 2 :])
    return rows, menu


@functools.lru_cache(maxsize=10_000)
def lines(rules):
    """Return the menu for a task, in the user's own words."""
    task = rules.partition("Your task: ")[2]
    who, _mood, *wishes = re.split(r"(?<=\.) (?=You )", task)
    own = [re.sub(r"\byou\b", "I", re.sub("^You", "I", wish)) for wish in wishes]
    own = [re.sub(r"\byour\b", "my", wish) for wish in own]
    who = who.replace("Your", "My").replace("your", "my")
    return (*ALWAYS, who, f"{who} {' '.join(own)}", *own)


def measure(episode):
    report = episode.report
    return {
        "fidelity": report["user"]["fidelity"],
        "no fault": float(not report["user_fault"]),
        "solved": report["reward"],
    }


def trainer(seed, assistant="informed-assistant", episodes=64):
    """Return what trains such a user."""
    torch.manual_seed(seed)
    return Trainer(
        "tau:shop",
        {"user": Chooser(Scores(), read, lr=5e-3, epochs=2, seed=seed), "assistant": assistant},
        rebn,
        episodes=episodes,
        seed=seed,
        train=["user"],
        measure=measure,
        rollout={
            "concurrency": episodes,
            "max_turns": 60,
            "user_reward": {"fidelity": 0.4, "pace": 0.3, "task": 0.3},
        },
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--assistant", default="informed-assistant", help="a spec string")
    parser.add_argument("--updates", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="a checkpoint; if it is there, training goes on from it")
    args = parser.parse_args()
    torch.set_num_threads(1)

    def show(trainer):
        if trainer.step % 10 == 0:
            rows = trainer.history[-10:]
            means = {name: sum(row[name] for row in rows) / 10 for name in ("fidelity", "solved")}
            print(f"update {trainer.step}: fidelity {means['fidelity']:.3f}, "
                  f"solved {means['solved']:.3f}", flush=True)  # fmt: skip

    trainer(args.seed, args.assistant).run(args.updates, args.save, after=show)


if __name__ == "__main__":
    main()

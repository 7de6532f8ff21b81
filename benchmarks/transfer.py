"""Measure transfer over users: assistants trained with one kind, or with six, and met by eight.

    python benchmarks/transfer.py phone [shop] [--folder runs/transfer] [--updates 200] [--seeds 3]

Each assistant is a small network that learns from scratch (examples/train/), against `user:plain`
or against `users:train`, six kinds in turn. Then it plays other tasks with each kind: the six with
the phrases that were trained with, the two held out, which nobody was trained with, with phrases
of their own. Replies are drawn, as in training. A run that was stopped goes on where it was.
"""

import argparse
import importlib.util
import json
import time
from pathlib import Path

import torch

from gem_ma import rollout
from gem_ma.agents.users.traits import POPULATIONS

ROOT = Path(__file__).parent.parent
EXAMPLES = {"phone": "train/phone.py", "shop": "train/user_simulator.py"}
TRAINED_WITH = ("user:plain", "users:train")
OTHERS = 10**6  # where the tasks begin that nobody was trained on


def example(name):
    path = ROOT / "examples" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trained(task, user, seed, updates, folder):
    """Return what trains an assistant, when it has, and the CPU seconds that took."""
    made = example(EXAMPLES[task]).trainer(seed=seed, train="assistant", user=user)
    file = folder / f"{task}-{user.replace(':', '_')}-{seed}.pt"
    if file.exists():
        made.load(file)
    begun = time.process_time()
    made.run(updates, file)
    return made, time.process_time() - begun


def met(made, spec, episodes, seed):
    """Return the share of other tasks that an assistant solves with a user."""
    found = rollout(
        made.env,
        {"user": spec, "assistant": made.agents["assistant"]},
        episodes,
        seed=seed,
        options=[{"task": OTHERS + number} for number in range(episodes)],
        **made.rollout,
    )
    return sum(one.report["reward"] for one in found) / episodes


def kinds():
    """Return the spec string of each kind that is met."""
    train = [f"user:{kind}" for kind in POPULATIONS["train"]]
    return train, [f"user:{kind}:phrases=held-out" for kind in POPULATIONS["held-out"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", nargs="+", choices=tuple(EXAMPLES))
    parser.add_argument("--folder", type=Path, default=Path("runs/transfer"))
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=200, help="with each kind")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    known, held_out = kinds()
    for task in args.tasks:
        for user in TRAINED_WITH:
            for seed in range(args.seeds):
                made, seconds = trained(task, user, seed, args.updates, args.folder)
                shares = {spec: met(made, spec, args.episodes, 99) for spec in (*known, *held_out)}
                own = sum(shares[spec] for spec in known) / len(known)
                other = sum(shares[spec] for spec in held_out) / len(held_out)
                row = {"task": task, "trained with": user, "seed": seed, "seconds": round(seconds)}
                row |= {"six": round(own, 3), "two": round(other, 3), "kinds": shares}
                with (args.folder / "rows.jsonl").open("a") as rows:
                    rows.write(json.dumps(row) + "\n")
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

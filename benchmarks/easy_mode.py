"""Measure easy mode: what assistants are worth that were trained with kind users.

    python benchmarks/easy_mode.py
    python benchmarks/easy_mode.py --users 'hf:runs/users-0/user?max_new_tokens=80'

Small networks learn to be the assistant of a shop: with `user:plain`, which helps in every way,
with `users:train`, six kinds in turn, or with the users that are named. Then each assistant plays
new tasks with all of these, and with kinds that no training had. A stopped run resumes.
"""

import argparse
import json
import sys
from pathlib import Path

import torch
from transfer import EXAMPLES, ROOT, example, trained

from gem_ma import rollout
from gem_ma.agents import load_agent

sys.path.insert(0, str(ROOT / "examples" / "recipes"))

from shop import SHOP, tasks

PLAIN, POPULATION = "user:plain", "users:train"
HELD_OUT = ("users:held-out", "users:realistic")


def make_trainer(seed, user, episodes):
    made = example(EXAMPLES["shop"]).trainer(
        seed=seed, train="assistant", user=PLAIN, episodes=episodes
    )
    made.agents["user"] = user
    made.rollout |= {**SHOP, "options": tasks(range(4000))}
    return made


def find_solved(made, user, episodes):
    """Return the share of new tasks that are solved with a user."""
    agents = {"user": user, "assistant": made.agents["assistant"]}
    options = {"options": tasks(range(4000, 5000)), "seed": 99}
    found = rollout(made.env, agents, episodes, **{**made.rollout, **options})
    return round(sum(one.report["reward"] for one in found) / episodes, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--users", nargs="*", default=[], help="further users, as spec strings")
    parser.add_argument("--folder", type=Path, default=Path("runs/easy-mode"))
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64, help="episodes of an update")
    parser.add_argument("--episodes", type=int, default=200, help="episodes with each user")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    users = (PLAIN, POPULATION, *args.users)
    for seed in args.seeds:
        for number, user in enumerate(users):
            made = make_trainer(seed, load_agent(user), args.batch)
            seconds = trained(made, args.folder / f"{number}-{seed}.pt", args.updates)
            solved = {one: find_solved(made, one, args.episodes) for one in (*users, *HELD_OUT)}
            row = {"trained with": user, "seed": seed, "seconds": seconds, "solved": solved}
            with (args.folder / "rows.jsonl").open("a") as rows:
                rows.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

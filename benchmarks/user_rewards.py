"""Measure what a reward makes of a user in training: faithful, like people, or only successful.

    python benchmarks/user_rewards.py --folder runs/user-rewards

Small networks learn to be the user of the shop of recipe 11, with `informed-assistant`, and are
paid in four ways. Then each plays 200 new tasks. The script prints what they solve, their fidelity
and its parts, and how like people they are; `users:train` stands in for people. A stopped run
resumes.
"""

import argparse
import json
from pathlib import Path
from statistics import fmean

import torch
from easy_mode import POPULATION, SHOP, tasks
from transfer import EXAMPLES, INFORMED, example, trained

from gem_ma import rollout
from gem_ma.agents import load_agent
from gem_ma.envs.tau import LikenessReward, compare_users

REWARDS = {  # what pays the user: the terms of the shop, and the weight of likeness
    "task": ({"task": 1.0}, 0.0),
    "fidelity, task": ({"fidelity": 0.5, "task": 0.5}, 0.0),
    "fidelity, pace, task": ({"fidelity": 0.4, "pace": 0.3, "task": 0.3}, 0.0),
    "fidelity, likeness": ({"fidelity": 1.0}, 10.0),
}
PARTS = ("fidelity", "told", "facts", "pace", "role")


def make_trainer(seed, terms):
    made = example(EXAMPLES["shop"]).trainer(seed=seed)
    made.rollout |= {"size": SHOP["size"], "options": tasks(range(4000)), "user_reward": terms}
    return made


def play(made, user, count, seed):
    """Return episodes of a user in new tasks."""
    agents = {"user": user, "assistant": load_agent(INFORMED)}
    settings = {**made.rollout, "options": tasks(range(4000, 5000)), "seed": seed}
    return rollout(made.env, agents, count, **settings)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("runs/user-rewards"))
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--episodes", type=int, default=200, help="new tasks of each user")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    terms, _ = REWARDS["task"]
    people = play(make_trainer(0, terms), load_agent(POPULATION), 2 * args.episodes, seed=777)
    print("| seed | reward | solved |", " | ".join(PARTS), "| likeness | messages | CPU s |")
    print("|---" * (6 + len(PARTS)) + "|")
    for seed in args.seeds:
        for number, (name, (terms, weight)) in enumerate(REWARDS.items()):
            made = make_trainer(seed, terms)
            made.extra_rewards = LikenessReward(people, weight) if weight else None
            seconds = trained(made, args.folder / f"{number}-{seed}.pt", args.updates)
            found = play(made, made.agents["user"], args.episodes, seed=99)
            users = [one.report["user"] for one in found]
            row = {
                "solved": fmean(one.report["reward"] for one in found),
                **{part: fmean(one[part] for one in users) for part in PARTS},
                "likeness": 1 - compare_users(found, people).overall.distance.value,
                "messages": fmean(sum(s.agent == "user" for s in one.steps) for one in found),
            }
            with (args.folder / "rows.jsonl").open("a") as rows:
                rows.write(json.dumps({"seed": seed, "reward": name, **row}) + "\n")
            shown = " | ".join(f"{value:.2f}" for value in row.values())
            print(f"| {seed} | {name} | {shown} | {seconds} |", flush=True)


if __name__ == "__main__":
    main()

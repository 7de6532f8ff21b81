"""Measure easy mode: what assistants are worth that were trained with kind users.

    python benchmarks/easy_mode.py
    python benchmarks/easy_mode.py --users 'hf:runs/users-0/user?max_new_tokens=80'

Small networks learn to be the assistant of a shop: with `user:plain`, which helps in every way,
with `users:train`, six kinds in turn, and with the users that are named. Another network then
learns to be the user, with `informed-assistant` and the first two of these in turn, and a last
assistant learns with it. Then each assistant plays new tasks with all of these users, and with
kinds that no training had. A stopped run resumes.
"""

import argparse
import json
import sys
from pathlib import Path

import torch
from transfer import EXAMPLES, INFORMED, ROOT, example, met, trained

from gem_ma.agents import load_agent
from gem_ma.training import OpponentMixture

sys.path.insert(0, str(ROOT / "examples" / "recipes"))

from shop import SHOP, tasks

PLAIN, POPULATION = "user:plain", "users:train"
HELD_OUT = ("users:held-out", "users:realistic")
LEARNT = "a trained user"


def train_seat(seat, seed, partner, args, name):
    """Train a network in a seat; return it, its CPU seconds, and its trainer."""
    user = PLAIN if seat == "assistant" else None
    made = example(EXAMPLES["shop"]).trainer(seed=seed, train=seat, user=user, episodes=args.batch)
    made.agents["user" if seat == "assistant" else "assistant"] = partner
    made.rollout |= {"size": SHOP["size"], "options": tasks(range(4000))}
    seconds = trained(made, args.folder / f"{name}-{seed}.pt", args.updates)
    return made.agents[seat], seconds, made


def measure(made, user, assistant, episodes):
    """Return the share of new tasks that are solved, and the mean fidelity of the user."""
    agents = {"user": user, "assistant": assistant}
    solved, fidelity = met(made, agents, episodes, tasks(range(4000, 5000)))
    return round(solved, 3), round(fidelity, 3)


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
    for seed in args.seeds:
        users = {user: load_agent(user) for user in (PLAIN, POPULATION, *args.users)}
        assistants, seconds = {}, {}
        for number, (name, user) in enumerate(users.items()):
            assistants[name], seconds[name], made = train_seat(
                "assistant", seed, user, args, str(number)
            )
        partners = {INFORMED: load_agent(INFORMED)}
        partners |= {name: assistants[name] for name in (PLAIN, POPULATION)}
        mixture = OpponentMixture(partners, dict.fromkeys(partners, 1.0), seed)
        users[LEARNT], spent, _ = train_seat("user", seed, mixture, args, "user")
        fidelity = {
            name: measure(made, users[LEARNT], one, args.episodes) for name, one in partners.items()
        }
        write(args, {"trained": LEARNT, "seed": seed, "seconds": spent, "with": fidelity})
        assistants[LEARNT], seconds[LEARNT], made = train_seat(
            "assistant", seed, users[LEARNT], args, "last"
        )
        for name, assistant in assistants.items():
            tested = {**users, **{one: load_agent(one) for one in HELD_OUT}}
            solved = {
                one: measure(made, user, assistant, args.episodes)[0]
                for one, user in tested.items()
            }
            write(args, {"trained with": name, "seed": seed, "seconds": seconds[name],
                         "solved": solved})  # fmt: skip


def write(args, row):
    with (args.folder / "rows.jsonl").open("a") as rows:
        rows.write(json.dumps(row) + "\n")
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

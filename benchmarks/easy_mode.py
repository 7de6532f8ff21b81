"""Measure easy mode: what assistants are worth that were trained with kind users.

    python benchmarks/easy_mode.py --users runs/users-0/user runs/users-1/user runs/users-2/user

Small networks learn to be the assistant of a shop, with one of three users: `user:plain`, which
helps in every way; `users:train`, six kinds in turn; or a language model that was trained as the
user (`examples/recipes/users.py`). Then each assistant plays new tasks with all of these, and with
kinds that no training had. A stopped run resumes.
"""

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path

import torch

from gem_ma import rollout
from gem_ma.agents import load_agent

EXAMPLES = Path(__file__).parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES / "recipes"))

from shop import SHOP, tasks  # noqa: E402  its folder is on the path now

PLAIN, POPULATION = "user:plain", "users:train"
TESTS = (PLAIN, POPULATION, "users:held-out", "users:realistic")
MODEL = "?max_new_tokens=80&temperature=1"


def load_example():
    path = EXAMPLES / "train" / "user_simulator.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_trainer(seed, user, episodes):
    made = load_example().trainer(seed=seed, train="assistant", user=PLAIN, episodes=episodes)
    made.agents["user"] = user
    made.rollout |= {**SHOP, "options": tasks(range(4000))}
    return made


def train(made, file, updates):
    """Train, and return the CPU seconds used."""
    if file.exists():
        made.load(file)
    begun = time.process_time()
    made.run(updates, file, progress=True)
    return round(time.process_time() - begun)


def find_solved(made, user, episodes):
    """Return the share of new tasks that are solved with a user."""
    agents = {"user": user, "assistant": made.agents["assistant"]}
    options = {"options": tasks(range(4000, 5000)), "seed": 99}
    found = rollout(made.env, agents, episodes, **{**made.rollout, **options})
    return round(sum(one.report["reward"] for one in found) / episodes, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--users", nargs="+", required=True, help="folders of trained users, one for each seed"
    )
    parser.add_argument("--folder", type=Path, default=Path("runs/easy-mode"))
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64, help="episodes of an update")
    parser.add_argument("--episodes", type=int, default=200, help="episodes with each user")
    parser.add_argument("--seeds", type=int, nargs="+", help="only these seeds (default: all)")
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    count = len(args.users)
    for seed in range(count) if args.seeds is None else args.seeds:
        model, other = (
            load_agent(f"hf:{args.users[place % count]}{MODEL}") for place in (seed, seed + 1)
        )
        others = {"trained": model, "trained with another seed": other}
        for name, user in ((PLAIN, PLAIN), (POPULATION, POPULATION), ("trained", model)):
            made = make_trainer(seed, load_agent(user), args.batch)
            file = args.folder / f"{name.replace(':', '_')}-{seed}.pt"
            seconds = train(made, file, args.updates)
            solved = {spec: find_solved(made, spec, args.episodes) for spec in TESTS}
            solved |= {spec: find_solved(made, one, args.episodes) for spec, one in others.items()}
            row = {"trained with": name, "seed": seed, "seconds": seconds, "solved": solved}
            with (args.folder / "rows.jsonl").open("a") as rows:
                rows.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()

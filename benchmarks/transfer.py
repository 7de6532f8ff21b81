"""Measure transfer between partners: train with some users or assistants, evaluate with others.

    python benchmarks/transfer.py phone shop users [--folder runs/transfer] [--updates 200]

- `phone`, `shop`: small networks learn to be the assistant (examples/train/), with `user:plain` or
  with `users:train`, six kinds in turn. Then each plays new tasks with all kinds: the six with
  their phrases from training, and two held-out kinds with their own phrases.

- `users`: small networks learn to be the user of the shop, with `informed-assistant`, or with it
  and three of the assistants trained by `shop`, in turn. Then each plays with all of those, and
  with the remaining assistants.

Replies are sampled, as in training. A stopped run resumes.
"""

import argparse
import importlib.util
import json
import time
from pathlib import Path

import torch

from gem_ma import rollout
from gem_ma.agents import load_agent
from gem_ma.envs.tau.agents.users.traits import POPULATIONS
from gem_ma.evaluation import plots
from gem_ma.training import OpponentMixture

ROOT = Path(__file__).parent.parent
EXAMPLES = {"phone": "train/phone.py", "shop": "train/user_simulator.py"}
TRAINED_WITH = ("user:plain", "users:train")
SEEDS = 3
OTHERS = 10**6  # first of the tasks that are not used in training
INFORMED = "informed-assistant"
KNOWN = tuple(f"user:{kind}" for kind in POPULATIONS["train"])
HELD_OUT = tuple(f"user:{kind}:phrases=held-out" for kind in POPULATIONS["held-out"])


def example(name):
    path = ROOT / "examples" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trained(made, file, updates):
    """Train, and return the CPU seconds used."""
    if file.exists():
        made.load(file)
    begun = time.process_time()
    made.run(updates, file)
    return round(time.process_time() - begun)


def met(made, players, episodes, options=None):
    """Return the share of new tasks solved with these partners, and the mean fidelity."""
    options = options or [{"task": OTHERS + number} for number in range(episodes)]
    settings = {**made.rollout, "seed": 99, "options": options}
    found = rollout(made.env, players, episodes, **settings)
    fidelity = [one.report["user"]["fidelity"] for one in found if "user" in one.report]
    solved = sum(one.report["reward"] for one in found) / episodes
    return solved, sum(fidelity) / max(len(fidelity), 1)


def assistants(task, args):
    """Yield the rows of the assistants of a task."""
    for user in TRAINED_WITH:
        for seed in range(SEEDS):
            made = example(EXAMPLES[task]).trainer(seed=seed, train="assistant", user=user)
            seconds = trained(made, file_of(args, task, user, seed), args.updates)
            mine = made.agents["assistant"]
            shares = {
                spec: met(made, {"user": spec, "assistant": mine}, args.episodes)[0]
                for spec in (*KNOWN, *HELD_OUT)
            }
            known, other = mean(shares, KNOWN), mean(shares, HELD_OUT)
            yield row(task, user, seed, seconds, known, other, met=shares)


def users(args):
    """Yield the rows of the users of the shop."""
    learned = {}
    for user in TRAINED_WITH:
        for seed in range(SEEDS):
            made = example(EXAMPLES["shop"]).trainer(seed=seed, train="assistant", user=user)
            made.load(file_of(args, "shop", user, seed))
            learned[f"{user} {seed}"] = made.agents["assistant"]
    everyone = {INFORMED: load_agent(INFORMED), **learned}
    known = (INFORMED, *list(learned)[::2])
    others = tuple(name for name in everyone if name not in known)
    for number in (1, len(known)):
        some = {name: everyone[name] for name in known[:number]}
        for seed in range(SEEDS):
            with_them = OpponentMixture(some, dict.fromkeys(some, 1.0), seed)
            made = example(EXAMPLES["shop"]).trainer(seed=seed, assistant=with_them)
            seconds = trained(made, file_of(args, "users", str(number), seed), args.updates)
            mine = made.agents["user"]
            both = {
                name: met(made, {"user": mine, "assistant": one}, args.episodes)
                for name, one in everyone.items()
            }
            shares = {name: solved for name, (solved, _) in both.items()}
            fidelity = {name: round(one, 3) for name, (_, one) in both.items()}
            called = f"{number} assistant{'s' * (number > 1)}"
            own, other = mean(shares, known), mean(shares, others)
            yield row("users", called, seed, seconds, own, other, met=shares, fidelity=fidelity)


def file_of(args, task, other, seed):
    return args.folder / f"{task}-{other.replace(':', '_')}-{seed}.pt"


def mean(shares, names):
    return sum(shares[name] for name in names) / len(names)


def row(task, other, seed, seconds, own, held_out, **more):
    told = {"task": task, "trained with": other, "seed": seed, "seconds": seconds}
    return {**told, "known": round(own, 3), "held out": round(held_out, 3), **more}


def draw(task, folder, path):
    """Plot the learning curves: the mean of the seeds, with a band of all seeds."""
    runs = {}
    for file in sorted(folder.glob(f"{task}-*.history.jsonl")):
        other = file.name.removeprefix(f"{task}-").rsplit("-", 1)[0].replace("_", ":")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        runs.setdefault(f"with {other}", []).append(rows)
    figure = plots.plot_learning_curves(runs, {"solved": "solved"}, smooth=10, title=task)
    for place in figure.axes:
        place.set_ylim(0, 1.03)
    plots.save_figure(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tasks", nargs="+", choices=(*EXAMPLES, "users"))
    parser.add_argument("--folder", type=Path, default=Path("runs/transfer"))
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=200, help="episodes with each partner")
    parser.add_argument("--figures", type=Path, help="folder for plots of the curves")
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    for task in args.tasks:
        for told in users(args) if task == "users" else assistants(task, args):
            with (args.folder / "rows.jsonl").open("a") as rows:
                rows.write(json.dumps(told) + "\n")
            print(json.dumps(told), flush=True)
        if args.figures:
            draw(task, args.folder, args.figures / f"transfer-{task}.png")


if __name__ == "__main__":
    main()

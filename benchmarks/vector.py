"""Measure vectors and workers, with their peers in the same run, and plot how the cost grows.

    python benchmarks/vector.py [--quick] [--json] [--gem PYTHON] [--ray PYTHON] [--plot FILE]
        [PART ...]

The parts are sync, process, waiting, pictures, ray, memory and growth; the default is all. GEM and
Ray are included if you pass the path of a Python that has them (and, for Ray, this package). `sync`
is CPU time; the other parts measure concurrency, so they use the wall clock.
"""

import argparse
import json
import operator
import sys
from pathlib import Path

from contest import contest, run

WORKER = Path(__file__).with_name("vector_worker.py")
PEERS = {"gem": "gem-llm requests", "ray": "'gem-ma[ray,games]'"}
LOWER_IS_BETTER = {"mb"}
COMPARISONS = {"<=": operator.le, ">=": operator.ge}


def main():
    args = _arguments()
    rows = []
    for part in args.parts or PARTS:
        for entry in PARTS[part](args):
            rows.append(entry)
            if not args.json:
                print_row(entry)
    if args.json:
        print(json.dumps(rows, indent=2))
    for name, packages in PEERS.items():
        if not getattr(args, name):
            print(
                f"skipped {name}: python -m venv V && V/bin/pip install {packages}, "
                f"then pass --{name} V/bin/python",
                file=sys.stderr,
            )


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    for name, packages in PEERS.items():
        parser.add_argument(
            f"--{name}", metavar="PYTHON", help=f"Python where {packages} is installed"
        )
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--quick", action="store_true", help="short, to check that it runs")
    parser.add_argument(
        "--plot", metavar="FILE", help="file for the curves of `growth`; needs matplotlib"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args()
    for part in args.parts:
        if part not in PARTS:
            parser.error(f"no part {part!r}; the parts are {', '.join(PARTS)}")
    args.seconds = 0.3 if args.quick else 2.0
    if args.quick:
        args.repeat = 1
    return args


def sync(args):
    """Compare 64 environments in one process with GEM's plain loop."""
    for id, times in (("game:GuessTheNumber-v0-hard", 1.0), ("game:Sudoku-v0-easy", 3.0)):
        commands = {"ours": task(args, "sync", id, 64)}
        if args.gem:
            commands["gem"] = task(args, "gem", id, 64, "sync", python=args.gem)
        best = contest(commands, args.repeat, LOWER_IS_BETTER)
        yield row(f"sync: 64 {id[5:]}", "steps/s", best["ours"]["steps_per_s"])
        if "gem" in best:
            theirs = best["gem"]["steps_per_s"]
            yield row(f"sync: 64 {id[5:]}, GEM", "steps/s", theirs)
            share = best["ours"]["steps_per_s"] / theirs
            yield row(f"sync: 64 {id[5:]}, ours / GEM", "ratio", share, ">=", times)


def process(args):
    """Compare two processes with one, for a game that computes."""
    commands = {
        "sync": task(args, "searching", 64, "sync", ""),
        "process": task(args, "searching", 64, "process", 2),
    }
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    one, two = best["sync"]["steps_per_s"], best["process"]["steps_per_s"]
    yield row("process: 64 ConnectFour against search, sync", "steps/s", one)
    yield row("process: 64 ConnectFour against search, 2 workers", "steps/s", two)
    yield row("process: 2 workers / sync", "ratio", two / one, ">=", 1.7)


def waiting(args):
    """Compare threads, here and in two processes, with the ideal: each step waits 5 ms."""
    commands = {
        (how, backend): task(args, "sleeping", 64, how, backend)
        for how in ("send", "lockstep")
        for backend in ("thread", "process")
    }
    if args.gem:
        commands["gem"] = task(args, "gem_sleeping", 64, python=args.gem)
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    for how, label, target in (("send", "send/recv", 0.9), ("lockstep", "lockstep", 0.6)):
        for backend, where in (("thread", "threads"), ("process", "threads of 2 processes")):
            share = best[how, backend]["of_ideal"]
            yield row(f"waiting: 64 x 5 ms, {label}, {where}", "of ideal", share, ">=", target)
    if "gem" in best:
        yield row("waiting: 64 x 5 ms, GEM's threads", "of ideal", best["gem"]["of_ideal"])


def pictures(args):
    """Compare pictures of 252 pixels with Gymnasium's processes around the same environments."""
    commands = {
        "ours": task(args, "pictures", 64, "process", 2),
        "sync": task(args, "pictures", 64, "sync"),
        "gymnasium": task(args, "async_vector", 64),
    }
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    rates = {name: numbers["steps_per_s"] for name, numbers in best.items()}
    yield row("pictures: 64 ConnectFour at 252 px, 2 workers", "steps/s", rates["ours"])
    yield row("pictures: the same, sync", "steps/s", rates["sync"])
    yield row("pictures: the same, Gymnasium's AsyncVectorEnv", "steps/s", rates["gymnasium"])
    share = rates["ours"] / rates["gymnasium"]
    yield row("pictures: 2 workers / AsyncVectorEnv", "ratio", share, ">=", 3)


def ray(args):
    """Compare two actors of Ray with two processes, both with whole episodes."""
    if not args.ray:
        return
    count = 2_000 if args.quick else 20_000
    commands = {
        where: task(args, "episodes", where, count, python=args.ray) for where in ("2", "ray:2")
    }
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    pool, actors = best["2"]["episodes_per_s"], best["ray:2"]["episodes_per_s"]
    yield row("ray: ConnectFour, 2 processes", "episodes/s", pool)
    yield row("ray: ConnectFour, 2 actors", "episodes/s", actors)
    yield row("ray: actors / processes", "ratio", actors / pool, ">=", 0.8)


def memory(args):
    """Measure the memory of live games, and whether it grows."""
    live = run(task(args, "memory_live", 1_000 if args.quick else 10_000))
    yield row("memory: live ConnectFour games", "MB", live["mb"], "<=", 100)
    last, first = (5_000, 1_000) if args.quick else (100_000, 5_000)
    flat = run(task(args, "memory_flat", last, first))
    yield row(f"memory: growth from episode {first:,} to {last:,}", "MB", flat["mb"], "<=", 1)


def growth(args):
    """Measure how the rate changes with environments, workers, agents and the size of pictures."""
    curves = {"environments": {}, "workers": {}, "pixels": {}, "episodes": {}, "agents": {}}
    for number in (1, 4, 16, 64, 256, 1_024):
        best = run(task(args, "sync", GUESS, number))
        curves["environments"][number] = best["steps_per_s"]
        yield row(f"growth: {number} GuessTheNumber, sync", "steps/s", best["steps_per_s"])
    for number in (1, 2, 4):
        best = run(task(args, "searching", 64, "process", number))
        curves["workers"][number] = best["steps_per_s"]
        yield row(f"growth: 64 against search, {number} workers", "steps/s", best["steps_per_s"])
    for side in (84, 168, 252, 504):
        best = run(task(args, "pictures", 64, "process", 2, side))
        curves["pixels"][side] = best["steps_per_s"]
        yield row(f"growth: 64 pictures of {side} px, 2 workers", "steps/s", best["steps_per_s"])
    for number in (0, 1, 2, 4):
        best = run(task(args, "episodes", number, 1_000 if args.quick else 5_000))
        curves["episodes"][number] = best["episodes_per_s"]
        name = f"growth: whole episodes, {number} workers"
        yield row(name, "episodes/s", best["episodes_per_s"])
    for number in (2, 4, 8, 16):
        best = run(task(args, "episodes", 0, 500 if args.quick else 2_000, number))
        curves["agents"][number] = best["episodes_per_s"]
        name = f"growth: PublicGoods of {number} agents, in one process"
        yield row(name, "episodes/s", best["episodes_per_s"])
    if args.plot:
        plot(curves, args.plot)


GUESS = "game:GuessTheNumber-v0-hard"
PARTS = {f.__name__: f for f in (sync, process, waiting, pictures, ray, memory, growth)}


def plot(curves, file):
    """Plot the curves of `growth`."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    labels = {
        "environments": ("environments in one process", "steps/s"),
        "workers": ("workers, ConnectFour against search", "steps/s"),
        "pixels": ("side of the pictures, pixels", "steps/s"),
        "episodes": ("workers, whole episodes", "episodes/s"),
        "agents": ("agents in PublicGoods, one process", "episodes/s"),
    }
    figure, axes = pyplot.subplots(1, len(curves), figsize=(4 * len(curves), 3.2))
    for axis, (name, curve) in zip(axes, curves.items(), strict=True):
        axis.plot(list(curve), list(curve.values()), marker="o")
        if name == "environments":
            axis.set_xscale("log", base=2)
        axis.set_xticks(list(curve), [f"{number:,}" for number in curve])
        axis.set_xlabel(labels[name][0])
        axis.set_ylabel(labels[name][1])
        axis.set_ylim(0)
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def row(name, unit, value, sign=None, target=None):
    """Return one row: a number, and whether it meets its target, if it has one."""
    return {
        "row": name,
        "unit": unit,
        "value": value,
        "target": None if sign is None else f"{sign} {target}",
        "met": None if sign is None else COMPARISONS[sign](value, target),
    }


def task(args, *words, python=sys.executable):
    """Return the command for a task of `vector_worker.py`."""
    return [python, str(WORKER), str(args.seconds), *map(str, words)]


def print_row(entry):
    """Print a row as aligned text."""
    value = entry["value"]
    number = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    met = {None: "", True: "yes", False: "NO"}[entry["met"]]
    line = f"{entry['row']:<58} {number:>9} {entry['unit']:<10} {entry['target'] or '':<8} {met}"
    print(line.rstrip(), flush=True)


if __name__ == "__main__":
    main()

"""Compare the core with its peers: importing, whole episodes, and the cost of the AEC loop.

Each peer has its own virtual environment, and is included if you pass the path of its Python:
`python benchmarks/core.py --gem PYTHON --textarena PYTHON --pettingzoo PYTHON`. All times are CPU
times. Compared programs alternate, each time in a new process, and the best round of each counts.
"""

import argparse
import json
import operator
import sys
from pathlib import Path

from contest import contest, run

WORKER = Path(__file__).with_name("core_worker.py")
PEERS = {  # option: packages to install, besides the peer
    "gem": "gem-llm requests",
    "textarena": "textarena",
    "pettingzoo": "'pettingzoo[classic]'",
}
# The peak includes the memory of the parent at the fork; core.py is smaller than all it measures.
IMPORT = """
import resource, sys, time
start = time.process_time()
import {}
spent = time.process_time() - start
unit = 2**20 if sys.platform == "darwin" else 2**10
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
print('{{"cpu_s": %r, "rss_mb": %r}}' % (spent, peak))
"""
LOWER_IS_BETTER = {"cpu_s", "rss_mb", "us_per_turn"}
UNITS = {
    "cpu_s": ("CPU s", "{:.3f}"),
    "rss_mb": ("peak RSS, MB", "{:.1f}"),
    "episodes_per_s": ("episodes/CPU s", "{:.0f}"),
    "us_per_turn": ("µs/turn", "{:.1f}"),
}
COMPARISONS = {"<=": operator.le, ">=": operator.ge}


def main():
    args = _arguments()
    pythons = {name: getattr(args, name) for name in PEERS if getattr(args, name)}
    rows = [
        *importing(args, pythons),
        *guessing(args, pythons, "easy"),
        *guessing(args, pythons, "hard"),
        *connect_four(args, pythons),
        *overhead(args),
    ]
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        print_table(rows)
    for name, packages in PEERS.items():
        if name not in pythons:
            print(
                f"skipped {name}: python -m venv V && V/bin/pip install {packages}, "
                f"then pass --{name} V/bin/python",
                file=sys.stderr if args.json else sys.stdout,
            )


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, packages in PEERS.items():
        parser.add_argument(
            f"--{name}",
            metavar="PYTHON",
            help=f"Python where {packages} is installed (default: leave the peer out)",
        )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="CPU seconds of each measurement"
    )
    parser.add_argument("--repeat", type=int, default=5, help="rounds, of which the best counts")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    return parser.parse_args()


def importing(args, pythons):
    """Compare imports with those of PettingZoo, which we need ourselves, and of GEM."""
    importers = {"gem_ma": sys.executable, "pettingzoo": sys.executable}
    if "gem" in pythons:
        importers["gem"] = pythons["gem"]
    commands = {name: [python, "-c", IMPORT.format(name)] for name, python in importers.items()}
    for command in commands.values():
        run(command)  # writes the .pyc files
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    ours = best["gem_ma"]
    yield row("import", "cpu_s", ours, "pettingzoo", best["pettingzoo"], "<=", 1.25)
    yield row("import", "rss_mb", ours, "pettingzoo", best["pettingzoo"], "<=", 1.25)
    if "gem" in best:
        yield row("import", "cpu_s", ours, "gem", best["gem"], "<=", 0.25)
        yield row("import", "rss_mb", ours, "gem", best["gem"])


def guessing(args, pythons, level):
    """Compare GuessTheNumber behind the Gymnasium API with GEM's."""
    if "gem" not in pythons:
        return
    id = f"game:GuessTheNumber-v0-{level}"
    commands = {
        (package, reset): task(args, python, "gym", package, id, reset)
        for reset in ("unseeded", "seeded")
        for package, python in (("gem_ma", sys.executable), ("gem", pythons["gem"]))
    }
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    for reset in ("unseeded", "seeded"):
        name = f"GuessTheNumber-{level}, {reset}"
        ours, gem = best["gem_ma", reset], best["gem", reset]
        yield row(name, "episodes_per_s", ours, "gem", gem, ">=", 0.5)


def connect_four(args, pythons):
    """Compare ConnectFour in the AEC loop with TextArena's and PettingZoo's."""
    commands = {"ours": task(args, sys.executable, "aec", "game:ConnectFour-v0")}
    for peer in ("textarena", "pettingzoo"):
        if peer in pythons:
            commands[peer] = task(args, pythons[peer], peer)
    if len(commands) == 1:
        return
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    ours = best.pop("ours")
    for peer, rates in best.items():
        target = (">=", 1.3) if peer == "textarena" else ()
        yield row("ConnectFour", "episodes_per_s", ours, peer, rates, *target)
        yield row("ConnectFour", "us_per_turn", ours, peer, rates)


def overhead(args):
    """Compare the AEC loop with the bare Game, both with texts."""
    for name in ("ConnectFour-v0", "GuessTheNumber-v0-hard"):
        kinds = ("aec", "direct")
        best = contest(
            {kind: task(args, sys.executable, kind, f"game:{name}") for kind in kinds},
            args.repeat,
            LOWER_IS_BETTER,
        )
        name = f"AEC over Game, {name.replace('-v0', '')}"
        yield row(name, "us_per_turn", best["aec"], "Game", best["direct"], "<=", 10, operator.sub)


def row(name, key, ours, peer, theirs, sign=None, target=None, compare=operator.truediv):
    """Return one row: two numbers and their ratio."""
    compared = compare(ours[key], theirs[key])
    return {
        "row": name,
        "unit": UNITS[key][0],
        "key": key,
        "ours": ours[key],
        "peer": peer,
        "theirs": theirs[key],
        "compared": compared,
        "by": "difference" if compare is operator.sub else "ratio",
        "target": None if sign is None else f"{sign} {target}",
        "met": None if sign is None else COMPARISONS[sign](compared, target),
    }


def task(args, python, *words):
    """Return the command for a task of `core_worker.py`."""
    return [python, str(WORKER), str(args.seconds), *words]


def print_table(rows):
    """Print the rows as aligned text."""
    table = [("row", "unit", "ours", "theirs", "peer", "ours/theirs", "target", "met")]
    for entry in rows:
        number = UNITS[entry["key"]][1].format
        compared = f"{entry['compared']:.2f}"
        target = entry["target"] or "-"
        if entry["by"] == "difference":
            compared, target = f"{entry['compared']:+.1f} µs", f"{target} µs"
        table.append(
            (
                entry["row"],
                entry["unit"],
                number(entry["ours"]),
                number(entry["theirs"]),
                entry["peer"],
                compared,
                target,
                {None: "-", True: "yes", False: "NO"}[entry["met"]],
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [
            cell.rjust(width) if column in (2, 3, 5) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()

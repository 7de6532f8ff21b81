"""Measure rollouts: the cost of recording, concurrent waiting, and long conversations.

    python benchmarks/rollouts.py [--quick] [--json] [--gem PYTHON] [--textarena PYTHON]
        [--hf PYTHON] [PART ...]

The parts are record, overlap, growth, hf and openai; the default is all of them. Each peer has its
own virtual environment, and is included if you pass the path of its Python. The part hf needs such
an environment with transformers and this package. The part openai needs that library in this
environment. Compared programs alternate, each time in a new process, and the best round of each
number counts. `record`, `openai` and the times of `growth` are CPU times. `overlap` and `hf`
measure waiting, so they use the wall clock.
"""

import argparse
import json
import operator
import sys
from pathlib import Path

from contest import contest

HERE = Path(__file__).parent
WORKER = HERE / "rollouts_worker.py"
TESTS = HERE.parent / "tests"  # contains the code that builds tiny models
PEERS = {  # option: packages to install, besides the peer
    "gem": "gem-llm requests",
    "textarena": "textarena",
    "hf": "'gem-ma[hf]'",
}
LOWER_IS_BETTER = {"us_per_turn", "us_per_request", "cpu_ms", "kept_kb", "peak_kb"}
COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge}


def main():
    args = _arguments()
    rows = [row for part in args.parts or PARTS for row in PARTS[part](args)]
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        print_table(rows)
    for name, packages in PEERS.items():
        if not getattr(args, name):
            print(
                f"skipped {name}: python -m venv V && V/bin/pip install {packages}, "
                f"then pass --{name} V/bin/python",
                file=sys.stderr if args.json else sys.stdout,
            )


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    for name, packages in PEERS.items():
        parser.add_argument(
            f"--{name}",
            metavar="PYTHON",
            help=f"Python where {packages} is installed (default: leave it out)",
        )
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--quick", action="store_true", help="few episodes, to check that it runs")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args()
    for part in args.parts:
        if part not in PARTS:
            parser.error(f"no part {part!r}; the parts are {', '.join(PARTS)}")
    return args


def record(args):
    """Compare rollout, which records everything, with a plain loop over the same environment."""
    episodes = 500 if args.quick else 10_000
    best = contest(
        {name: task(sys.executable, name, episodes) for name in ("record", "bare")},
        args.repeat,
        LOWER_IS_BETTER,
    )
    ours, loop = best["record"]["us_per_turn"], best["bare"]["us_per_turn"]
    name = f"record: {episodes} ConnectFour"
    yield row(f"{name}, rollout", "CPU µs/turn", ours)
    yield row(f"{name}, plain loop", "CPU µs/turn", loop)
    yield row(f"{name}, rollout / plain loop", "ratio", ours / loop, "<=", 2)


def overlap(args):
    """Compare agents that take 20 ms per reply, with many waiting at once."""
    four, guess = "game:ConnectFour-v0", "game:GuessTheNumber-v0-hard"
    quick = args.quick
    sizes = {  # episodes of each id and concurrency
        (four, 64): 200 if quick else 2_000,
        (four, 256): 512 if quick else 1_024,
        (four, 1_024): 2_048 if quick else 4_096,
        (guess, 64): 500 if quick else 5_000,
        (guess, 256): 1_000 if quick else 4_000,
        (guess, 1_024): 2_048 if quick else 8_192,
    }
    commands = {
        ("gem_ma", id, flying): task(sys.executable, "overlap", id, flying, episodes)
        for (id, flying), episodes in sizes.items()
    }
    if args.gem:
        for flying in (64, 256, 1_024):
            steps = 20 if quick else 12_800 // flying + 50
            commands["gem", guess, flying] = task(args.gem, "gem", guess, flying, steps)
    if args.textarena:
        commands["textarena", four, 1] = task(args.textarena, "textarena", 3 if quick else 20)
    best = contest(commands, args.repeat, LOWER_IS_BETTER)
    for (package, id, flying), numbers in best.items():
        name = f"overlap: {package}, {id[5:].replace('-v0', '')}, {flying} in flight"
        target = (">=", 0.9) if (package, id, flying) == ("gem_ma", four, 64) else ()
        yield row(name, "of the ideal", numbers["share"], *target)
        if "full" in numbers:
            yield row(f"{name}, without the tail", "of the ideal", numbers["full"])
        yield row(name, "turns/s", numbers["turns_per_s"])


def growth(args):
    """Compare conversations of 500 turns with those of 50."""
    commands = {
        ("gem_ma", name, rounds): task(sys.executable, "growth", f"game:{name}-v0", rounds)
        for name in ("PrisonersDilemma", "RockPaperScissors")
        for rounds in (50, 500)
    }
    if args.textarena:
        name = "IteratedRockPaperScissors"
        for rounds in (50, 500):
            words = ("reading_textarena", f"{name}-v0", rounds)
            commands["textarena", name, rounds] = task(args.textarena, *words)
    best = contest(commands, 1 if args.quick else args.repeat, LOWER_IS_BETTER)
    for package, name, rounds in commands:
        if rounds != 50:
            continue
        short, long = best[package, name, 50], best[package, name, 500]
        target = ("<", 12) if (package, name) == ("gem_ma", "PrisonersDilemma") else ()
        title = f"growth: {package}, {name}"
        units = {"cpu_ms": "CPU ms", "peak_kb": "peak kB", "kept_kb": "kept kB"}
        for key, unit in units.items():
            yield row(f"{title}, 500 turns", unit, long[key])
            yield row(f"{title}, 500 turns / 50, {unit}", "ratio", long[key] / short[key], *target)


def hf(args):
    """Compare a tiny model in 64 concurrent episodes with one episode after the other.

    In one case it reads the rules and the current observation, about 200 tokens. In the other it
    reads its whole conversation, up to 520 tokens, all of which transformers' own `generate` reads
    again at every turn.
    """
    if not args.hf:
        return
    episodes = {64: 64 if args.quick else 256, 1: 8 if args.quick else 32}
    for context, name in (("turns=0", "hf"), ("", "hf, whole chats")):
        best = contest(
            {
                (n, way): task(args.hf, "hf", n, count, context, way)
                for n, count in episodes.items()
                for way in ("kept", "generate")
            },
            1 if args.quick else args.repeat,
            LOWER_IS_BETTER,
            PYTHONPATH=str(TESTS / "support"),
        )
        many, one = best[64, "kept"]["replies_per_s"], best[1, "kept"]["replies_per_s"]
        peer = best[64, "generate"]["replies_per_s"]
        yield row(f"{name}: 64 at once", "turns/call", best[64, "kept"]["batch"])
        yield row(f"{name}: 64 at once", "replies/s", many)
        yield row(f"{name}: one after the other", "replies/s", one)
        target = (">=", 8) if context else ()
        yield row(f"{name}: 64 at once / one after the other", "ratio", many / one, *target)
        yield row(f"{name}: 64 at once, transformers' generate", "replies/s", peer)
        target = () if context else (">=", 2.5)
        yield row(f"{name}: 64 at once / transformers' generate", "ratio", many / peer, *target)


def openai(args):
    """Compare 256 episodes through `openai:` with the library alone, which sends the same chats.

    A server in its own process answers each request after 10 ms.
    """
    episodes = 32 if args.quick else 256
    best = contest(
        {name: task(sys.executable, name, episodes) for name in ("provider", "bare_client")},
        args.repeat,
        LOWER_IS_BETTER,
        PYTHONPATH=str(TESTS / "support"),
    )
    ours, client = (best[name]["us_per_request"] for name in ("provider", "bare_client"))
    name = f"openai: {episodes} GuessTheNumber-hard in flight"
    yield row(f"{name}, rollout", "CPU µs/request", ours)
    yield row(f"{name}, the library alone", "CPU µs/request", client)
    yield row(f"{name}, rollout / the library alone", "ratio", ours / client, "<=", 1.3)


PARTS = {f.__name__: f for f in (record, overlap, growth, hf, openai)}


def row(name, unit, value, sign=None, target=None):
    """Return one row: a number, and whether it meets its target, if it has one."""
    return {
        "row": name,
        "unit": unit,
        "value": value,
        "target": None if sign is None else f"{sign} {target}",
        "met": None if sign is None else COMPARISONS[sign](value, target),
    }


def task(python, *words):
    """Return the command for a task of `rollouts_worker.py`."""
    return [python, str(WORKER), *map(str, words)]


def print_table(rows):
    """Print the rows as aligned text."""
    table = [("row", "", "unit", "target", "met")]
    for entry in rows:
        value = entry["value"]
        table.append(
            (
                entry["row"],
                f"{value:,.0f}" if value >= 1000 else f"{value:.3g}",
                entry["unit"],
                entry["target"] or "-",
                {None: "-", True: "yes", False: "NO"}[entry["met"]],
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = [
            cell.rjust(width) if column == 1 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()

"""Compare PythonTool with GEM's: `print(1)`, one caller and two, and grading in the sandbox.

GEM has its own virtual environment, and is included if you pass the path of its Python: `python
benchmarks/tools.py --gem PYTHON`. All times are wall-clock times, which say little on a busy
machine. Compared programs alternate, each time in a new process, and the best round counts.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from contest import contest

WORKER = Path(__file__).with_name("tools_worker.py")
LOWER_IS_BETTER = {"p50_ms", "start_ms"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--gem", metavar="PYTHON", help="Python where gem-llm is installed (default: leave it out)"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of each measurement")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args()
    rows = list(measure(args))
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        target = f"  target {row['target']}: {'met' if row['met'] else 'MISSED'}"
        print(f"{row['row']:46} {row['value']:9.2f}{target if row['target'] else ''}")
    if not args.gem:
        print("skipped gem: pip install gem-llm requests in a virtual environment, then --gem")


def measure(args):
    """Yield the rows."""
    commands = {
        name: [sys.executable, str(WORKER), str(args.seconds), *words]
        for name, words in {
            "one": ("ours", "1"),
            "two": ("ours", "2"),
            "grading": ("grading", "2"),
        }.items()
    }
    variables = {}
    if args.gem:
        commands["gem"] = [args.gem, str(WORKER), str(args.seconds), "gem", "1"]
        # GEM runs the first `python` on the path; this is the one where GEM is installed.
        variables["PATH"] = f"{Path(args.gem).parent}{os.pathsep}{os.environ['PATH']}"
    best = contest(commands, args.repeat, LOWER_IS_BETTER, **variables)
    one, two, grading = best["one"], best["two"], best["grading"]
    yield row("print(1), one worker: calls/s", one["calls_per_s"])
    yield row("print(1), one worker: p50 in ms", one["p50_ms"], "<", 1.5)
    yield row("print(1), two workers: calls/s", two["calls_per_s"], ">=", 800)
    yield row("start of a sandbox in ms", one["start_ms"])
    yield row("calls of a grader, two workers: calls/s", grading["calls_per_s"])
    if args.gem:
        gem = best["gem"]
        yield row("GEM's run_python, print(1): calls/s", gem["calls_per_s"])
        yield row("GEM's run_python, print(1): p50 in ms", gem["p50_ms"])
        ratio = one["calls_per_s"] / gem["calls_per_s"]
        yield row("one worker over GEM, calls/s", ratio, ">=", 10)


def row(name, value, sign=None, target=None):
    """Return one number, and whether it meets its target."""
    met = None if sign is None else value < target if sign == "<" else value >= target
    return {
        "row": name,
        "value": value,
        "target": None if sign is None else f"{sign} {target}",
        "met": met,
    }


if __name__ == "__main__":
    main()

"""Measure what tracing costs a turn: off, on, and in a checkout from before it was there.

    python benchmarks/tracing.py [--before FOLDER] [--episodes N] [--repeat N] [--json]

Each program plays whole games of tic-tac-toe by random agents, whose turns are among the shortest
that there are. The programs alternate, each time in a new process, and the best CPU time of a turn
counts. `off` is at most 2% above `before`, if the folder of a checkout without tracing is given.
`on` writes to the SDK's exporter in memory, and needs the extra otel.
"""

import argparse
import importlib.util
import json
import statistics
import sys
import time
from pathlib import Path

from contest import run

HERE = Path(__file__).parent
GAME = "game:TicTacToe-v0"
MOST = 1.02  # of the time before


def main():
    args = _arguments()
    if args.play:
        print(json.dumps(play(args.play, args.episodes)))
        return
    folders = {"before": args.before, "off": HERE.parent, "on": HERE.parent}
    if not args.before:
        del folders["before"]
    if importlib.util.find_spec("opentelemetry") is None:
        del folders["on"]
    rows = compare(folders, args.episodes, args.repeat)
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        print_rows(rows)
    share = rows["off"].get("of_before", 0)
    if share > MOST:
        raise SystemExit(f"off takes {share:.3f} of the time before, which is more than {MOST}")


def compare(folders, episodes, repeat):
    """Return the best and the median time of a turn in each folder."""
    times = {name: [] for name in folders}
    for number in range(repeat):
        for name in list(folders) if number % 2 == 0 else reversed(folders):
            words = "--play", name, "--episodes", str(episodes)
            command = [sys.executable, str(Path(__file__).resolve()), *words]
            found = run(command, PYTHONPATH=str(folders[name]))
            times[name].append(found["us_per_turn"])
    rows = {
        name: {"us_per_turn": min(several), "median": statistics.median(several)}
        for name, several in times.items()
    }
    if "before" in rows:
        rows["off"]["of_before"] = rows["off"]["us_per_turn"] / rows["before"]["us_per_turn"]
    return rows


def print_rows(rows):
    for name, row in rows.items():
        share = f", {row['of_before']:.3f} of before" if "of_before" in row else ""
        best, median = row["us_per_turn"], row["median"]
        print(f"{GAME}, {name}: {best:.2f} CPU us a turn (median {median:.2f}){share}")


def play(name, episodes):
    """Play games and return the CPU time of a turn in microseconds."""
    import gem_ma

    if name == "on":
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
        gem_ma.enable_tracing(provider)
    gem_ma.rollout(GAME, "random", 100, seed=1)
    turns, start = 0, time.process_time()
    for seed in range(max(episodes // 500, 1)):
        played = gem_ma.rollout(GAME, "random", min(episodes, 500), seed=seed)
        turns += sum(len(episode.steps) for episode in played)
    return {"us_per_turn": (time.process_time() - start) / turns * 1e6}


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", metavar="FOLDER", help="a checkout without tracing")
    parser.add_argument("--episodes", type=int, default=4000, help="games in each process")
    parser.add_argument("--repeat", type=int, default=7, help="rounds, of which the best counts")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--play", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()

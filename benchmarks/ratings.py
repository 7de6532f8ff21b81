"""Measure how often rating intervals contain the truth, with matches from known strengths.

python benchmarks/ratings.py --runs 1000
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence

import numpy as np

from gem_ma.evaluation import fit_bradley_terry
from gem_ma.evaluation.ratings import ELO_SCALE

NEVER = -30.0  # log of the frequency of draws if there are none
TABLE = [
    *(((gap, 0), NEVER) for gap in (0, 200, 400, 800)),
    *(((gap, 0), 0.0) for gap in (0, 200, 600)),
    ((400, 100, 0, -100, -400), -1.0),
    ((1200, 600, 0), -1.0),
]


def played(
    points: Sequence[float], draw: float, starts: int, rng: np.random.Generator, alike: int = 1
) -> list[np.ndarray]:
    """Return the units of a round robin; `alike` matches of each start have the same result."""
    many, units = len(points), []
    for i, j in itertools.combinations(range(many), 2):
        a, b = points[i] / ELO_SCALE, points[j] / ELO_SCALE
        weights = np.exp([a, draw + (a + b) / 2, b])
        came = rng.choice(3, size=starts, p=weights / weights.sum())
        unit = np.zeros((starts, many, many, 2))
        unit[came == 0, i, j, 0] = unit[came == 2, j, i, 0] = alike
        unit[came == 1, i, j, 1] = unit[came == 1, j, i, 1] = alike
        units.append(unit)
    return units


def coverage(
    points: Sequence[float], draw: float, starts: int, runs: int, alike: int = 1
) -> tuple[float, float]:
    """Return how many intervals contain the truth, and their median width."""
    agents = [str(number) for number in range(len(points))]
    rng, held, wide = np.random.default_rng(0), [], []
    for _ in range(runs):
        units = played(points, draw, starts, rng, alike)
        rated, _ = fit_bradley_terry(agents, units, agents[-1], resamples=300)
        for one in rated:
            if one.agent != agents[-1]:
                truth = points[int(one.agent)] - points[-1]
                held.append(one.low <= truth <= one.high)
                wide.append(one.high - one.low)
    return float(np.mean(held)), float(np.median(wide))


def main() -> None:
    """Print a table for docs/evaluate.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    args = parser.parse_args()
    counts = (5, 10, 20, 50)
    print("| strengths | equals draw |", " | ".join(f"{n} starts" for n in counts), "|")
    print("|---|---|" + "---|" * len(counts))
    for points, draw in TABLE:
        found = [coverage(points, draw, starts, args.runs) for starts in counts]
        cells = " | ".join(f"{100 * held:.0f} % ({wide:.0f})" for held, wide in found)
        equal = 1 / (1 + 2 * math.exp(-draw))
        print(f"| {', '.join(map(str, points))} | {equal:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

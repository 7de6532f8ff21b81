"""Measure how long a task in a terminal takes to start, and a command to run.

    python benchmarks/terminal.py

It needs Linux with namespaces.
"""

import statistics
import time

import gem_ma
from gem_ma.envs.registry import find_remedy
from gem_ma.envs.terminal import families
from gem_ma.envs.terminal.pack import NEEDS

STARTS = 20  # of each family


def measure(action):
    """Return the milliseconds of a call."""
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def main():
    if missing := [remedy for need in NEEDS if (remedy := find_remedy(need))]:
        raise SystemExit("; ".join(missing))
    starts, commands, checks = [], [], []
    for name in families.REGISTER:
        env = gem_ma.make(f"terminal:{name}-v0", difficulty=5)
        env.reset(seed=0)  # imports the family, and starts the sandbox
        starts += [
            measure(lambda seed=seed, env=env: env.reset(seed=seed)) for seed in range(STARTS)
        ]
        commands.append(measure(lambda env=env: env.step("ls -la")))
        checks.append(measure(lambda env=env: env.step("done")))
    for what, figures in (("start", starts), ("command", commands), ("check", checks)):
        print(
            f"{what}: median {statistics.median(figures):.1f} ms, "
            f"largest {max(figures):.1f} ms of {len(figures)}"
        )


if __name__ == "__main__":
    main()

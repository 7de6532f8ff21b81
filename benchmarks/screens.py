"""Measure screens: steps with pictures a second, and resets, in whole episodes.

    python benchmarks/screens.py [inbox calendar ...] [--steps 600] [--level 3]

Half of the episodes are played by who knows the way, half by random clicks. Choosing a move does
not count, reading, playing and drawing it do.
"""

import argparse
import random
import time

import gem_ma


def speed(id, steps, level):
    """Return steps a CPU second, and microseconds of a reset."""
    env = gem_ma.make(id, observe="image", level=level)
    rng, clock = random.Random(0), time.process_time
    busy = resetting = 0.0
    episodes = 0
    env.reset(seed=0)
    for _ in range(steps):
        if env.terminations["player"] or env.truncations["player"]:
            episodes += 1
            begun = clock()
            env.reset(seed=episodes)
            resetting += clock() - begun
        state = env.unwrapped.match.state
        if episodes % 2:
            move = state.hint("player")
        else:
            move = rng.choice(state.legal("player"))
        begun = clock()
        env.step(move)
        env.observe("player")["image"]
        busy += clock() - begun
    return steps / busy, 1e6 * resetting / max(episodes, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("families", nargs="*")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--level", type=int, default=3)
    args = parser.parse_args()
    ids = [f"screens:{name}" for name in args.families] or gem_ma.list_envs("screens:*")
    rates = {}
    for id in ids:
        speed(id, 50, args.level)
        found = [speed(id, args.steps, args.level) for _ in range(3)]
        rates[id] = max(rate for rate, _ in found)
        reset = min(reset for _, reset in found)
        print(f"{id}: {rates[id]:,.0f} steps a second, a reset {reset:.0f} us", flush=True)
    slowest = min(rates, key=rates.get)
    mean = sum(rates.values()) / len(rates)
    print(f"mean {mean:,.0f} steps a second, slowest {slowest} with {rates[slowest]:,.0f}")


if __name__ == "__main__":
    main()

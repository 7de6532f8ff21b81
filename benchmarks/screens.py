"""Measure screens: steps with pictures a second, and resets, in whole episodes.

    python benchmarks/screens.py [inbox calendar ...] [--steps 600] [--difficulty 3] [--miniwob]

Half of the episodes are played by who knows the way, half by random clicks. Choosing a move does
not count, reading, playing and drawing it do. With --miniwob also MiniWoB++'s pages in Chromium
(pip install 'gem-ma[miniwob]'), by random clicks: seconds there are those of the clock, since the
browser is another process.
"""

import argparse
import random
import time

import gem_ma
from gem_ma.envs.screens.families import REGISTER


def speed(id, steps, difficulty, first):
    """Return steps a CPU second, and microseconds of a reset, in episodes that nobody has seen."""
    env = gem_ma.make(id, observe="image", difficulty=difficulty)
    episodes = played(env, steps, first)
    begun = time.process_time()
    for seed, _ in episodes * 5:
        env.reset(seed=seed)
    resetting = (time.process_time() - begun) / 5
    begun = time.process_time()
    for seed, moves in episodes:
        env.reset(seed=seed)
        for move in moves:
            env.step(move)
            env.observe("player")["image"]
    busy = time.process_time() - begun
    return steps / (busy - resetting), 1e6 * resetting / len(episodes)


def played(env, steps, first):
    """Return episodes of so many steps in all, from a seed on: the seed of each, and its moves."""
    rng = random.Random(first)
    episodes = []
    while steps:
        seed = first + len(episodes)
        env.reset(seed=seed)
        moves = []
        while steps and not (env.terminations["player"] or env.truncations["player"]):
            state = env.unwrapped.match.state
            knows = len(episodes) % 2
            moves.append(state.hint("player") if knows else rng.choice(state.legal("player")))
            env.step(moves[-1])
            steps -= 1
        episodes.append((seed, moves))
    return episodes


PAGES = (
    "click-test-2", "click-checkboxes", "enter-text", "choose-list", "email-inbox", "tic-tac-toe",
    "use-slider",
)  # fmt: skip


def speed_of_pages(steps):
    """Print steps a second, and milliseconds of a reset, of MiniWoB++ without anything of ours."""
    import gymnasium
    from miniwob.action import ActionTypes

    rates = []
    for name in PAGES:
        env = gymnasium.make(f"miniwob/{name}-v1")
        click = next(
            n for n, kind in enumerate(env.unwrapped.action_space_config.action_types)
            if kind == ActionTypes.CLICK_COORDS
        )  # fmt: skip
        env.action_space.seed(0)
        busy, resets = 0.0, []
        env.reset(seed=0)
        for number in range(steps):
            action = {**env.action_space.sample(), "action_type": click}
            begun = time.perf_counter()
            *_, over, cut, _ = env.step(action)
            busy += time.perf_counter() - begun
            if over or cut:
                begun = time.perf_counter()
                env.reset(seed=number)
                resets.append(time.perf_counter() - begun)
        env.close()
        rates.append(steps / busy)
        reset = f"a reset {1e3 * sum(resets) / len(resets):,.0f} ms" if resets else ""
        print(f"{name}: {rates[-1]:,.1f} steps a second, {reset}", flush=True)
    print(f"MiniWoB++ in Chromium: mean {sum(rates) / len(rates):,.1f} steps a second")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("families", nargs="*")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--difficulty", type=int, default=3)
    parser.add_argument("--miniwob", action="store_true", help="beside MiniWoB++ in Chromium")
    args = parser.parse_args()
    ids = [f"screens:{name}" for name in args.families or REGISTER]
    rates = {}
    for id in ids:
        speed(id, args.steps, args.difficulty, 0)
        found = [speed(id, args.steps, args.difficulty, 1000 * n) for n in (1, 2, 3)]
        rates[id] = max(rate for rate, _ in found)
        reset = min(reset for _, reset in found)
        print(f"{id}: {rates[id]:,.0f} steps a second, a reset {reset:.0f} us", flush=True)
    slowest = min(rates, key=rates.get)
    mean = sum(rates.values()) / len(rates)
    print(f"mean {mean:,.0f} steps a second, slowest {slowest} with {rates[slowest]:,.0f}")
    if args.miniwob:
        gem_ma.make("gym:miniwob/click-test-v1")  # says where the browser is
        speed_of_pages(args.steps // 10)


if __name__ == "__main__":
    main()

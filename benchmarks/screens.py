"""Measure screens: steps with pictures a second, and resets, in whole episodes.

    python benchmarks/screens.py [inbox calendar ...] [--steps 600] [--level 3] [--miniwob]

Half of the episodes are played by who knows the way, half by random clicks. Choosing a move does
not count, reading, playing and drawing it do. With --miniwob also MiniWoB++'s pages in Chromium
(pip install 'gem-ma[miniwob]'), by random clicks: seconds there are those of the clock, since the
browser is another process.
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
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--miniwob", action="store_true", help="beside MiniWoB++ in Chromium")
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
    if args.miniwob:
        gem_ma.make("gym:miniwob/click-test-v1")  # says where the browser is
        speed_of_pages(args.steps // 10)


if __name__ == "__main__":
    main()

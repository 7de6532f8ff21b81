"""Measure screens: steps with pictures per second, resets, and the memory of live environments.

    python benchmarks/screens.py [inbox calendar ...] [--steps 600] [--difficulty 3] [--miniwob]
    python benchmarks/screens.py [inbox calendar ...] --solved

Half of the episodes are complete ones of an oracle, half are random clicks. Choosing a move is not
measured; parsing, playing and drawing it are. A live environment is one of 50, three actions after
its reset. Memory that all share in a process, such as the widths of words, is not counted. With
--miniwob, MiniWoB++'s pages in Chromium are measured too (pip install -e '.[miniwob]'), by random
clicks. Their seconds are wall-clock time, since the browser is another process. With --solved, the
script prints rows of a table instead. They have the tasks solved by the oracle, with 200 seeds at
difficulties 0, 5 and 10 together; its number of actions at each of these; Spearman's correlation of
all eleven difficulties with the mean of 20 seeds; and the tasks solved by random clicks, with 100
seeds at difficulty 5.
"""

import argparse
import gc
import random
import statistics
import time
import tracemalloc

import gem_ma
from gem_ma.envs.screens.families import REGISTER

TOGETHER = ("screens:assisted", "screens:guided", "screens:shared")


def speed(id, steps, difficulty, first):
    """Return steps per CPU second, and microseconds of a reset, in new episodes."""
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


def live(id, difficulty, many=50):
    """Return the bytes of an environment whose episode has begun."""

    def begun():
        envs = [gem_ma.make(id, observe="image", difficulty=difficulty) for _ in range(many)]
        for seed, env in enumerate(envs):
            env.reset(seed=seed)
            for _ in range(3):
                if not over(env):
                    moves = env.unwrapped.match.state.legal("player")
                    env.step(moves[seed % len(moves)])
        return envs

    begun()
    gc.collect()
    tracemalloc.start()
    kept = begun()
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / len(kept)


def over(env):
    return env.terminations["player"] or env.truncations["player"]


def played(env, steps, first):
    """Return episodes with this many steps in all, from a seed on: seed and moves of each."""
    rng = random.Random(first)
    episodes = []
    while steps:
        seed = first + len(episodes)
        env.reset(seed=seed)
        moves = []
        while steps and not over(env):
            state = env.unwrapped.match.state
            knows = len(episodes) % 2
            moves.append(state.hint("player") if knows else rng.choice(state.legal("player")))
            env.step(moves[-1])
            steps -= 1
        episodes.append((seed, moves))
    return episodes


def solved(id):
    """Return a row of the table of tasks."""
    right, actions = 0, {}
    for difficulty in range(11):
        seeds = 200 if difficulty in (0, 5, 10) else 20
        found = gem_ma.rollout(id, "screen-oracle", seeds, seed=0, difficulty=difficulty)
        right += sum(bool(one.report["done"]) for one in found) * (seeds == 200)
        actions[difficulty] = sum(len(one.steps) for one in found[:20]) / 20
    chance = gem_ma.rollout(id, "random", 100, seed=0, difficulty=5)
    by_chance = sum(bool(one.report["done"]) for one in chance) / 100
    few, some, many = (actions[difficulty] for difficulty in (0, 5, 10))
    order = spearman(list(actions.values()))
    return (
        f"| `{id}` | {right} of 600 | {few:.1f}, {some:.1f}, {many:.1f} | {order:.2f} | "
        f"{by_chance:.2f} |"
    )


def spearman(values):
    """Return Spearman's correlation of values with their order: 1 if they increase."""
    ranks = [(sum(v < one for v in values) + sum(v <= one for v in values)) / 2 for one in values]
    return statistics.correlation(ranks, range(len(values)))


PAGES = (
    "click-test-2", "click-checkboxes", "enter-text", "choose-list", "email-inbox", "tic-tac-toe",
    "use-slider",
)  # fmt: skip


def speed_of_pages(steps):
    """Print steps per second, and milliseconds of a reset, of MiniWoB++ without our code."""
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
    parser.add_argument("--miniwob", action="store_true", help="also measure MiniWoB++ in Chromium")
    parser.add_argument("--solved", action="store_true", help="measure what is solved instead")
    args = parser.parse_args()
    ids = [f"screens:{name}" for name in args.families or REGISTER]
    if args.solved:
        for id in [*ids, *([] if args.families else TOGETHER)]:
            print(solved(id), flush=True)
        return
    rates, sizes = {}, {}
    for id in ids:
        speed(id, args.steps, args.difficulty, 0)
        found = [speed(id, args.steps, args.difficulty, 1000 * n) for n in (1, 2, 3)]
        rates[id] = max(rate for rate, _ in found)
        reset = min(reset for _, reset in found)
        sizes[id] = live(id, args.difficulty) / 1000
        told = f"{rates[id]:,.0f} steps a second, a reset {reset:.0f} us, live {sizes[id]:.1f} kB"
        print(f"{id}: {told}", flush=True)
    slowest = min(rates, key=rates.get)
    mean = sum(rates.values()) / len(rates)
    print(f"mean {mean:,.0f} steps a second, slowest {slowest} with {rates[slowest]:,.0f}")
    largest = max(sizes, key=sizes.get)
    print(
        f"live {sum(sizes.values()) / len(sizes):.1f} kB, most {largest} with {sizes[largest]:.1f}"
    )
    if args.miniwob:
        gem_ma.make("gym:miniwob/click-test-v1")  # sets the path of the browser
        speed_of_pages(args.steps // 10)


if __name__ == "__main__":
    main()

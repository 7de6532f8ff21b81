"""Measure TAU-bench: whole episodes, resets, live episodes, and success rates.

    TAU_BENCH_DATA=FOLDER python benchmarks/tau.py [--episodes N]

Without the variable only our own shop is measured. The targets are multiples of the original's
figures, which were measured on another machine: 3.0 gold episodes per CPU second for retail, 1.3
for airline, a reset of 31 ms, and 5.7 MB per environment.
"""

import argparse
import gc
import os
import statistics
import time
import tracemalloc

import gem_ma
from gem_ma.agents import InformedAssistant, OracleAssistant, RandomAgent, RuleUser
from gem_ma.envs.tau.game import STOP

DOMAINS = {"tau:shop": None, "tau:retail": 3.0, "tau:airline": 1.3}  # of the original, per second


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--episodes", type=int, default=1000, help="episodes of each measurement")
    args = parser.parse_args()
    for env_id, original in DOMAINS.items():
        if original is not None and not os.environ.get("TAU_BENCH_DATA"):
            print(f"skipped {env_id}: set TAU_BENCH_DATA to a folder with retail/ and airline/")
            continue
        env = gem_ma.make(env_id)
        speed(env, args.episodes, original)
        reset(env, original is not None)
        alive(env, original is not None)
    solved("tau:shop", args.episodes, 0.98)
    if os.environ.get("TAU_BENCH_DATA"):
        solved("tau:retail", 500, 0.80, split="train")


def row(name, value, unit, target=None, met=None):
    verdict = "" if target is None else f"target {target}: {'yes' if met else 'NO'}"
    print(f"{name:58} {value:>12,.4g} {unit:16} {verdict}")


def episode(env, oracle, task):
    """Play one episode through the AEC API: the gold actions, the outputs, and the user's end."""
    env.reset(seed=0, options={"task": task})
    for agent in env.agent_iter():
        _, _, terminated, truncated, _ = env.last(observe=False)
        if terminated or truncated:
            env.step(None)
        elif agent == "user":
            env.step(STOP if env.game_state.talk else "Hello, I need some help.")
        else:
            env.step(oracle.act([env.turn(agent)])[0])
    return env.game_state.returns()["assistant"]


def speed(env, count, original):
    oracle, tasks = OracleAssistant(), len(env.game.content.tasks) or 200
    paid = sum(episode(env, oracle, task) for task in range(tasks))  # caches the gold actions
    row(f"{env.id}: gold episodes that pay, of {tasks}", paid, "", tasks, paid == tasks)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for number in range(count):
            episode(env, oracle, number % tasks)
        best = max(best, count / (time.process_time() - start))
    goal = None if original is None else 200 * original
    row(f"{env.id}: whole episodes", best, "per CPU second", goal, goal and best >= goal)


def reset(env, judged):
    times = []
    for number in range(2000):
        start = time.perf_counter()
        env.reset(seed=number)
        times.append(time.perf_counter() - start)
    median = statistics.median(times) * 1e6
    row(f"{env.id}: reset, median", median, "µs", *((50, median < 50) if judged else ()))


def alive(env, judged):
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    envs = env.fork(10_000)
    for number, one in enumerate(envs):
        one.reset(seed=number)
        one.step("Hello, I need some help.")
    size = (tracemalloc.get_traced_memory()[0] - before) / len(envs) / 1e3
    tracemalloc.stop()
    row(f"{env.id}: each of 10,000 live episodes", size, "kB", *((50, size < 50) if judged else ()))


def solved(env_id, count, target, **kwargs):
    options = [{"task": number} for number in range(count)]
    for name, assistant, goal in (
        ("OracleAssistant", OracleAssistant(), 1.0),
        ("InformedAssistant", InformedAssistant(), target),
        ("RandomAgent", RandomAgent(), None),
    ):
        players = {"user": RuleUser(), "assistant": assistant}
        episodes = gem_ma.rollout(env_id, players, count, seed=0, options=options, **kwargs)
        share = sum(episode.returns["assistant"] for episode in episodes) / count
        faults = sum(episode.report["user_fault"] for episode in episodes) / count
        goal = () if goal is None else (goal, share >= goal)
        row(f"{env_id}: {name} and RuleUser, {count} tasks", share, "solved", *goal)
        row(f"{env_id}: {name}, faults of the user", faults, "of the episodes")


if __name__ == "__main__":
    main()

"""Run one task of vector.py; the last line of the output is a JSON object.

Usage: vector_worker.py SECONDS TASK ARGUMENT ...
"""

import json
import os
import random
import resource
import sys
import time

SLEEP = 0.005


def rate(step, per_step, seconds, clock=time.perf_counter):
    """Step for the given seconds, after a warm-up, and return the steps per second."""
    for _ in range(3):
        step()
    count, start = 0, clock()
    while (spent := clock() - start) < seconds:
        step()
        count += 1
    return {"steps_per_s": count * per_step / spent}


def lockstep(seconds, id, num_envs, backend, workers="", **make):
    """Step our vector with random legal actions."""
    import gem_ma

    number = int(num_envs)
    vector = gem_ma.make_vec(id, number, backend=backend, workers=int(workers or 0) or None, **make)
    _, infos = vector.reset(seed=0)
    draw = random.Random(0).random

    def step():
        nonlocal infos
        legal = infos["legal_actions"]
        moves = [m[int(draw() * len(m))] if m else "0" for m in legal]
        *_, infos = vector.step(moves)

    result = rate(step, number, seconds)
    vector.close()
    return result


def draw_replies(id, form):
    """Return a thousand replies, many of them illegal, the same on both sides."""
    draw = random.Random(0).randrange
    if "Sudoku" in id:
        return [form % f"{draw(4) + 1} {draw(4) + 1} {draw(4) + 1}" for _ in range(1_000)]
    return [form % (draw(50) + 1) for _ in range(1_000)]


def sync(seconds, id, num_envs):
    """Step our vector in this process, by CPU time, and read no info, like GEM's user."""
    import gem_ma

    number = int(num_envs)
    vector = gem_ma.make_vec(id, number, backend="sync")
    vector.reset(seed=0)
    replies, draw = draw_replies(id, "%s"), random.Random(0).randrange
    result = rate(
        lambda: vector.step([replies[draw(1_000)] for _ in range(number)]),
        number,
        seconds,
        time.process_time,
    )
    vector.close()
    return result


def searching(seconds, num_envs, backend, workers):
    """Step against an opponent that searches, some hundred microseconds per step."""
    seats = {"agent": "red", "others": "search:depth=2"}
    return lockstep(seconds, "game:ConnectFour-v0", num_envs, backend, workers, **seats)


def pictures(seconds, num_envs, backend, workers="", size="252"):
    """Step with pictures."""
    make = {"agent": "red", "others": "random", "observe": "image"}
    make["image_size"] = [int(size), int(size)]
    return lockstep(seconds, "game:ConnectFour-v0", num_envs, backend, workers, **make)


def async_vector(seconds, num_envs):
    """Step the same environments in Gymnasium's AsyncVectorEnv."""
    import functools

    from gymnasium.vector import AsyncVectorEnv

    import gem_ma

    number = int(num_envs)
    make = functools.partial(
        gem_ma.make_gym, "game:ConnectFour-v0", agent="red", others="random", observe="image"
    )
    vector = AsyncVectorEnv([make] * number)
    _, infos = vector.reset(seed=0)
    draw = random.Random(0).random

    def step():
        nonlocal infos
        moves = [m[int(draw() * len(m))] if m else "0" for m in infos["legal_actions"]]
        *_, infos = vector.step(moves)

    result = rate(step, number, seconds)
    vector.close()
    return result


def sleeping(seconds, num_envs, how, backend):
    """Step environments that wait: all together, or each when it is ready."""
    from vector_sleeping import Sleeping

    import gem_ma

    number = int(num_envs)
    game = gem_ma.Env(Sleeping(1, 50, 7), id="sleeping")
    vector = gem_ma.make_vec(game, number, backend=backend, autoreset="same")
    vector.reset(seed=0)
    draw = random.Random(0).randrange
    if how == "lockstep":
        result = rate(lambda: vector.step([str(draw(50)) for _ in range(number)]), number, seconds)
    else:
        vector.send([str(draw(50)) for _ in range(number)])
        start, count = time.perf_counter(), 0
        while (spent := time.perf_counter() - start) < seconds:
            indices, *_ = vector.recv()
            count += len(indices)
            vector.send([str(draw(50)) for _ in indices], indices)
        result = {"steps_per_s": count / spent}
        vector.recv(number)
    vector.close()
    return {"of_ideal": result["steps_per_s"] / (number / SLEEP)}


def gem(seconds, id, num_envs, mode):
    """Step GEM's vector."""
    import gem as package

    number = int(num_envs)
    vector = package.make_vec([id] * number, async_mode=mode == "async")
    vector.reset(seed=0)
    actions, draw = draw_replies(id, r"\boxed{%s}"), random.Random(0).randrange

    def step():
        vector.step([actions[draw(1_000)] for _ in range(number)])

    return rate(step, number, seconds, time.process_time)


def gem_sleeping(seconds, num_envs):
    """Step GEM's threads around an environment that waits."""
    import gem as package
    from gem.core import Env

    class Sleeping(Env):
        def __init__(self, **_):
            super().__init__()

        def reset(self, seed=None):
            return "", {}

        def step(self, action):
            time.sleep(SLEEP)
            return "", 0.0, False, False, {}

        def sample_random_action(self):
            return "1"

    package.register("sleep:Sleep", Sleeping)
    number = int(num_envs)
    vector = package.make_vec(["sleep:Sleep"] * number, async_mode=True)
    vector.reset()
    result = rate(lambda: vector.step(["1"] * number), number, seconds)
    return {"of_ideal": result["steps_per_s"] / (number / SLEEP)}


def episodes(seconds, workers, count, agents=""):
    """Play whole episodes in workers, whose start does not count, or a game with many agents."""
    import gem_ma

    where = int(workers) if workers.isdecimal() else workers
    start = first = None
    done = 0

    async def run():
        nonlocal start, first, done
        id, make = "game:ConnectFour-v0", {}
        if agents:
            id, make = "game:PublicGoods-v0", {"players": int(agents)}
        playing = gem_ma.arollout(
            id, "random", int(count), seed=0, workers=where or None, progress=False, **make
        )
        async for _ in playing:
            if start is None:
                start = time.perf_counter()
            else:
                done += 1

    import asyncio

    asyncio.run(run())
    return {"episodes_per_s": done / (time.perf_counter() - start)}


def memory_live(seconds, count):
    """Keep many games alive."""
    import gem_ma

    env = gem_ma.make("game:ConnectFour-v0")
    env.reset(seed=0)
    env.observe("red")
    before = resident()
    envs, choose = [], random.Random(0).choice
    for number in range(int(count)):
        env = gem_ma.make("game:ConnectFour-v0")
        env.reset(seed=number)
        for _ in range(4):
            _, _, _, _, info = env.last()
            env.step(choose(info["legal_actions"]))
        envs.append(env)
    return {"mb": resident() - before}


def memory_flat(seconds, count, first):
    """Play many episodes, and check whether memory grows after the first ones."""
    import gem_ma

    vector = gem_ma.make_vec("game:ConnectFour-v0", 64, agent="red", others="random")
    _, infos = vector.reset(seed=0)
    draw, ended, at_first = random.Random(0).random, 0, None
    while ended < int(count):
        moves = [m[int(draw() * len(m))] if m else "0" for m in infos["legal_actions"]]
        _, _, terminated, truncated, infos = vector.step(moves)
        ended += int(terminated.sum() + truncated.sum())
        if at_first is None and ended >= int(first):
            at_first = resident()
    return {"mb": resident() - at_first}


def resident():
    """Return the memory of this process, in MB."""
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


TASKS = {
    f.__name__: f
    for f in (
        sync,
        searching,
        pictures,
        async_vector,
        sleeping,
        gem,
        gem_sleeping,
        episodes,
        memory_live,
        memory_flat,
    )
}

if __name__ == "__main__":
    seconds, task, *words = sys.argv[1:]
    print(json.dumps(TASKS[task](float(seconds), *words)))

"""Play random episodes of one kind for core.py, in the Python of the measured library.

Usage: core_worker.py SECONDS TASK [ARGUMENT ...]. The last line of the output is a JSON object.
"""

import importlib
import json
import random
import sys
import time

CHUNK = 16  # episodes between two readings of the clock


def gym(package, id, reset):
    """Play one seat with the package's own random actions; `reset` is "seeded" or "unseeded"."""
    module = importlib.import_module(package)
    env = module.make_gym(id) if package == "gem_ma" else module.make(id)
    seeded = reset == "seeded"

    def play(number):
        if seeded:
            env.reset(seed=number)
        else:
            env.reset()
        turns, over = 0, False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.sample_random_action())
            over = terminated or truncated
            turns += 1
        return turns

    return play


def aec(id):
    """Play through our AEC loop, including observations."""
    import gem_ma

    env = gem_ma.make(id)
    choose = random.Random(0).choice

    def play(number):
        env.reset(seed=number)
        turns = 0
        for _ in env.agent_iter():
            _, _, termination, truncation, info = env.last()
            if termination or truncation:
                action = None
            else:
                action = choose(info["legal_actions"])
                turns += 1
            env.step(action)
        return turns

    return play


def direct(id):
    """Play by calling our Game directly, with the same views, texts and choices as `aec`."""
    import numpy as np

    import gem_ma

    game = gem_ma.make(id).game
    rng = np.random.default_rng(0)
    choose = random.Random(0).choice

    def play(number):
        state = game.start(rng, {})
        turns = 0
        while acting := state.to_act():
            agent = acting[0]
            view = state.seen_by(agent)
            game.describe(view, agent)
            move = game.read(choose(view.legal(agent)), view, agent)
            state = game.advance(state, {agent: move}, rng)
            turns += 1
        return turns

    return play


def textarena():
    """Play TextArena's Connect Four as its README does; open columns are read from the board."""
    import textarena as ta

    choose = random.Random(0).choice

    def play(number):
        env = ta.make("ConnectFour-v0")  # reset keeps the last episode's texts
        env.reset(num_players=2, seed=number)
        board = env.state.game_state["board"]
        turns, done = 0, False
        while not done:
            env.get_observation()
            column = choose([c for c, cell in enumerate(board[0]) if cell == "."])
            done, _ = env.step(action=f"[{column}]")
            turns += 1
        env.close()
        return turns

    return play


def pettingzoo():
    """Play PettingZoo's Connect Four without its wrappers."""
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.raw_env()
    choose = random.Random(0).choice

    def play(number):
        env.reset(seed=number)
        turns = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                action = None
            else:
                mask = observation["action_mask"].tolist()
                action = choose([c for c, legal in enumerate(mask) if legal])
                turns += 1
            env.step(action)
        return turns

    return play


def measure(play, seconds):
    """Play for the given CPU seconds after a tenth of that as warm-up, and return the rates."""
    _play_for(play, seconds / 10, 0)
    episodes, turns, spent = _play_for(play, seconds, 1_000_000)
    return {
        "episodes_per_s": episodes / spent,
        "us_per_turn": spent / turns * 1e6,
        "turns_per_episode": turns / episodes,
    }


def _play_for(play, seconds, first):
    episodes = turns = 0
    start = time.process_time()
    while True:
        for number in range(first + episodes, first + episodes + CHUNK):
            turns += play(number)
        episodes += CHUNK
        spent = time.process_time() - start
        if spent >= seconds:
            return episodes, turns, spent


TASKS = {f.__name__: f for f in (gym, aec, direct, textarena, pettingzoo)}

if __name__ == "__main__":
    seconds, task, *arguments = sys.argv[1:]
    print(json.dumps(measure(TASKS[task](*arguments), float(seconds))))

"""Measure what policies that see nothing of a screen solve, of each family of `screens:`.

    python benchmarks/blind_screens.py [inbox calendar ...] [--difficulty 5] [--layouts 40]

Two policies know places alone. "Replay" repeats the actions of an oracle at seed 0, pixel by pixel
and word by word. "Habit" does, at each step, what the oracle does most often at this step over 40
other seeds, with places in squares of 16 pixels. Both play the seeds 1 to --layouts. The script
also counts the layouts: how many different sets of boxes the pages of these seeds have.
"""

import argparse
import re
from collections import Counter

import gem_ma
from gem_ma.envs.screens.families import REGISTER

SQUARE = 16  # pixels within which places are the same habit
OTHERS = 40  # seeds from which a habit is learned
FIRST = 10_000  # the first of them
NUMBER = re.compile(r"\d+")


def play_oracle(env, seed):
    """Return the actions of a perfect user."""
    env.reset(seed=seed)
    actions = []
    while not is_over(env):
        actions.append(env.unwrapped.match.state.hint("player"))
        env.step(actions[-1])
    return actions


def is_over(env):
    return env.terminations["player"] or env.truncations["player"]


def learn_habit(episodes):
    """Return the most frequent action at each step, without the words of keys and texts."""
    habit = []
    for step in range(max(map(len, episodes))):
        seen = Counter(round_places(one[step]) for one in episodes if step < len(one))
        habit.append(seen.most_common(1)[0][0])
    return habit


def round_places(action):
    """Return an action on the screen with places in the middle of a square."""
    if action.startswith(("type", "key")):
        return action
    return NUMBER.sub(lambda n: str(int(n[0]) // SQUARE * SQUARE + SQUARE // 2), action)


def count_solved(env, actions, seeds):
    """Return how many episodes these actions solve."""
    solved = 0
    for seed in seeds:
        env.reset(seed=seed)
        for action in actions:
            if is_over(env):
                break
            env.step(action)
        solved += bool(env.unwrapped.match.state.score)
    return solved


def count_layouts(env, seeds):
    """Return how many different places and sizes of what can be used the pages have."""
    layouts = set()
    for seed in seeds:
        env.reset(seed=seed)
        page = env.unwrapped.match.state.page
        layouts.add(tuple((one.kind, *one[2:6]) for one in page if one.id != "goal"))
    return len(layouts)


def measure_family(name, difficulty, layouts):
    """Return how many layouts there are, and what replay and habit solve."""
    env = gem_ma.make(f"screens:{name}", difficulty=difficulty, observe="text")
    seeds = range(1, layouts + 1)
    replay = count_solved(env, play_oracle(env, 0), seeds)
    habit = learn_habit([play_oracle(env, FIRST + n) for n in range(OTHERS)])
    return count_layouts(env, seeds), replay, count_solved(env, habit, seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("families", nargs="*")
    parser.add_argument("--difficulty", type=int, default=5)
    parser.add_argument("--layouts", type=int, default=40)
    args = parser.parse_args()
    names = args.families or list(REGISTER)
    totals = [0, 0]
    for name in names:
        found, *solved = measure_family(name, args.difficulty, args.layouts)
        totals = [total + one for total, one in zip(totals, solved, strict=True)]
        print(f"{name}: {found} layouts, replay solves {solved[0]}, habit {solved[1]}", flush=True)
    episodes = args.layouts * len(names)
    shares = [f"{total / episodes:.2%}" for total in totals]
    print(f"of {episodes} episodes replay solves {shares[0]}, habit {shares[1]}")


if __name__ == "__main__":
    main()

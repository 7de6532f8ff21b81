"""Measure what guessing earns in visual tasks, and the effort of each difficulty.

    python benchmarks/visual.py --seeds 200

Shortcuts do not look at the picture: any choice, the most frequent answer on other seeds, the first
or the last choice, and the choice that the words name most often. The effort of a question is the
number of symbols in its words times the bits of its possible answers. For tasks that need more
working out than reading, it is the amount that is worked out. The last column is Spearman's
correlation with the difficulty.
"""

import argparse
import math
import re
from collections import Counter
from statistics import fmean

from difficulty import spearman

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs import visual
from gem_ma.envs.visual.tables.calendar import ORDER


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", nargs="+", metavar="TASK")
    args = parser.parse_args()
    print("| task | any | frequent | first | last | named most | effort at 0, 5, 10 | Spearman |")
    print("|---" * 8 + "|")
    for name, _ in sorted(visual.places()):
        id = f"visual:{name}-v0"
        if args.only and name not in args.only:
            continue
        earned = " | ".join([f"{share:.2f}" for share in shortcuts(id, args.seeds)])
        efforts = [effort(id, difficulty, args.seeds // 5) for difficulty in range(11)]
        shown = ", ".join([f"{efforts[i]:.0f}" for i in (0, 5, 10)])
        print(f"| {name} | {earned} | {shown} | {spearman(range(11), efforts):.2f} |", flush=True)


def starts(id, seeds, **arguments):
    """Yield the game and the first state of some episodes."""
    env = gem_ma.make(id, **arguments)
    for seed in seeds:
        env.reset(seed=seed)
        yield env.game, env.game_state


def shortcuts(id, seeds):
    """Return the mean reward of each shortcut."""
    before = Counter(state.answer for _, state in starts(id, range(10_000, 10_000 + seeds)))
    frequent = before.most_common(1)[0][0]
    earned = []
    for game, state in starts(id, range(seeds)):
        words = Counter(game.describe(state.seen_by("player"), "player").replace(",", " ").split())
        looks = getattr(game, "looks", ())
        choices = [one for one in state.choices if one not in looks]
        said = (frequent, choices[0], choices[-1], max(choices, key=lambda one: words[one]))
        grades = [paid(game, state, one) for one in said]
        any_choice = fmean(paid(game, state, one) for one in choices)
        earned.append((any_choice, *grades))
    return [fmean(column) for column in zip(*earned, strict=True)]


def paid(game, state, said):
    """Return the reward of a reply; 0 if it is no answer to this question."""
    try:
        return game.grade(state.answer, game.read(said, state, "player"))
    except InvalidMove:
        return 0.0


def effort(id, difficulty, seeds):
    """Return the amount to read, times the bits of the answers."""
    worked = WORKED.get(id.removeprefix("visual:").removesuffix("-v0"))
    if worked is not None:
        return fmean(worked(*one) for one in starts(id, range(seeds), difficulty=difficulty))
    read, answers = [], set()
    for game, state in starts(id, range(seeds), difficulty=difficulty):
        whole = getattr(state.shown, "rows", None) if state.at is not None else None
        words = "".join(whole) if whole else game.describe(state, None)
        read.append(len("".join((words + state.question).split())))
        answers.add(state.answer)
    return fmean(read) * math.log2(1 + len(answers))


def angles(game, state):
    """Return the number of given angles, times the bits of the precision."""
    given = [int(one) for one in re.findall(r"(\d+)°", game.describe(state, None))]
    return len(given) * math.log2(360 / math.gcd(int(state.answer), *given))


def days(game, state):
    """Return how many days of a calendar must be examined."""
    found = [int(one) for one in re.findall(r"\d+", state.question)]
    if state.question.startswith("From"):
        return found[1] - found[0] + 1
    if state.question.startswith("What date"):
        return 1 + ORDER.index(state.question.split()[4])
    return 1 + (found[0] if "after" in state.question else 0)


def lengths(game, state):
    """Return the bits of the lengths that are given."""
    given = re.findall(r"\d+", game.describe(state, None))
    return sum(math.log2(1 + int(one)) for one in given)


# Tasks that must be worked out, not read.
WORKED = {"Angles": angles, "Calendar": days, "CircleLengths": lengths}


if __name__ == "__main__":
    main()

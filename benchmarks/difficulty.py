"""Measure the effort of a solver at each difficulty from 0 to 10.

    python benchmarks/difficulty.py --seeds 50

For each environment with a difficulty scale, the script prints the mean effort at each difficulty,
and Spearman's correlation of both. The effort is the work of the solver: its moves, or the
positions or candidates that it examines. For `screens:` see tests/envs/screens, for `visual:`
benchmarks/visual.py.
"""

import argparse
from statistics import fmean

import numpy as np

import gem_ma
from gem_ma.envs.guessing import mastermind, wordle, words
from gem_ma.envs.puzzles import fifteen_puzzle, sokoban


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--only", nargs="+", metavar="ID")
    args = parser.parse_args()
    print(f"| environment | effort | {' | '.join(map(str, range(11)))} | Spearman |")
    print("|---" * 14 + "|")
    for id, (what, effort) in EFFORTS.items():
        if args.only and id not in args.only:
            continue
        means = [effort_of(id, effort, difficulty, args.seeds) for difficulty in range(11)]
        shown = " | ".join(f"{mean:.3g}" for mean in means)
        print(f"| `{id}` | {what} | {shown} | {spearman(range(11), means):.2f} |", flush=True)


def effort_of(id, effort, difficulty, seeds):
    """Return the mean effort over some seeds."""
    env = gem_ma.make(id, difficulty=difficulty)
    found = []
    for seed in range(seeds):
        env.reset(seed=seed)
        found.append(effort(env))
    return fmean(found)


def spearman(one, other):
    """Return Spearman's rank correlation, with mean ranks for ties."""

    def ranks(values):
        return [sum(x < v for x in values) + sum(x == v for x in values) / 2 for v in values]

    return float(np.corrcoef(ranks(list(one)), ranks(list(other)))[0, 1])


def halving(env):
    """Guess the middle of the remaining numbers."""
    state, guesses = env.game_state, 0
    low, high = state.low, state.high
    while True:
        guesses += 1
        middle = (low + high) // 2
        if middle == state.secret:
            return guesses
        low, high = (middle + 1, high) if middle < state.secret else (low, middle - 1)


def narrowing(secret, candidates, guess, answer):
    """Guess among the candidates until one is left; return how many were examined in all."""
    looked = 0
    while len(candidates) > 1:
        looked += len(candidates)
        said = guess(candidates)
        told = answer(secret, said)
        candidates = [one for one in candidates if answer(one, said) == told and one != said] or [
            secret
        ]
        if said == secret:
            break
    return looked + 1


def codes(env):
    """Mastermind: try the first code that fits all answers."""
    state = env.game_state
    every = [code.replace(" ", "") for code in env.game.moves]
    return narrowing(state.code, every, lambda left: left[0], mastermind.pegs)


def marked(env):
    """Wordle: try the first word that fits all marks."""
    word = env.game_state.word
    known = list(words.common(len(word), env.game.vocabulary))
    return narrowing(word, known, lambda left: left[0], wordle.marks)


def letters(env):
    """Hangman: try the letter that most of the fitting words have."""
    word, looked, tried = env.game_state.word, 0, set()
    left = list(words.common(len(word), env.game.vocabulary))
    while len(left) > 1 and set(word) - tried:
        looked += len(left)
        counts = {c: sum(c in one for one in left) for c in set("".join(left)) - tried}
        letter = max(sorted(counts), key=counts.get)
        tried.add(letter)
        left = [w for w in left if [c == letter for c in w] == [c == letter for c in word]]
    return looked + 1


def lines(env):
    """Word search: look from every cell in every direction, for each word."""
    state = env.game_state
    ways = 8 if env.game.levels[0][1] else 2
    return state.size**2 * ways * len(state.words)


def ranks(env):
    """Crosswords: try words of the right length, the more frequent ones first."""
    import wordfreq

    every = wordfreq.top_n_list("en", 100_000, ascii_only=True)
    looked = 0
    for word in env.game_state.words:
        same = [one for one in every if len(one) == len(word)]
        looked += same.index(word.lower()) if word.lower() in same else len(same)
    return looked + 1


def pages(env):
    """WikiGame: read all pages that are no further away than the target."""
    state, game = env.game_state, env.game
    looked = 0
    for level in game.around(state.path[0], game.max_links):
        looked += len(level)
        if state.target in level:
            break
    return looked


def slid(env):
    """Fifteen puzzle: count the moves of the shuffle in reverse."""
    ((size, turns),) = env.game.levels
    return len(fifteen_puzzle.shuffled(dice(env), size, turns)[1])


def pushed(env):
    """Sokoban: count the moves of the solution from generation."""
    ((size, boxes, turns),) = env.game.levels
    return len(sokoban.room(dice(env), size, boxes, turns)[1])


def dice(env):
    return np.random.default_rng(env.match.reset_args[0])


def discs(env):
    return 2 ** len(env.game_state.pegs[0]) - 1


def doublings(env):
    """2048: count the tiles, mostly twos, that make up a target."""
    return env.game_state.target / 2.2


def tried(env):
    """Sudoku: try digits in the cell with the fewest candidates."""
    state = env.game_state
    t = state.table()
    cells = {i: int(mark) for i, mark in enumerate(state.given) if mark.isdecimal()}
    looked = 0

    def solve():
        nonlocal looked
        open_cells = [i for i in range(t.scale**2) if i not in cells]
        if not open_cells:
            return True
        options = {i: fitting(i) for i in open_cells}
        cell = min(open_cells, key=lambda i: len(options[i]))
        for digit in options[cell]:
            looked += 1
            cells[cell] = digit
            if solve():
                return True
            del cells[cell]
        return False

    def fitting(i):
        row, column = divmod(i, t.scale)
        side = 2 if t.scale == 4 else 3
        used = set()
        for j, digit in cells.items():
            r, c = divmod(j, t.scale)
            if r == row or c == column or (r // side, c // side) == (row // side, column // side):
                used.add(digit)
        return [digit for digit in range(1, t.scale + 1) if digit not in used]

    solve()
    return looked


def openings(env):
    """Minesweeper: count the clicks needed if the mines are known (3BV)."""
    state = env.game_state
    env.step(f"reveal {state.rows // 2} {state.cols // 2}")
    state = env.game_state
    rows, cols, field = state.rows, state.cols, state.field

    def around(i):
        r, c = divmod(i, cols)
        near = ((r + y, c + x) for y in (-1, 0, 1) for x in (-1, 0, 1))
        return [y * cols + x for y, x in near if 0 <= y < rows and 0 <= x < cols]

    seen, clicks = set(), 0
    for i, mark in enumerate(field):
        if mark == "0" and i not in seen:
            clicks += 1
            edge = [i]
            while edge:
                at = edge.pop()
                if at not in seen:
                    seen.add(at)
                    edge += around(at) if field[at] == "0" else []
    return clicks + sum(mark not in "0*" and i not in seen for i, mark in enumerate(field))


def walked(env):
    """Frozen lake: count the fewest moves, times three if two of three moves slip."""
    state = env.game_state
    size, lake = state.size, state.lake
    edge, steps, seen = [0], 0, {0}
    goal = size * size - 1
    while goal not in edge:
        steps += 1
        found = []
        for i in edge:
            r, c = divmod(i, size)
            for y, x in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                j = y * size + x
                if 0 <= y < size and 0 <= x < size and j not in seen and lake[j] in "SFG.":
                    seen.add(j)
                    found.append(j)
        edge = found
    return steps * (3 if env.game.slippery else 1)


def wandered(env):
    """Maze: count the cells that are no further away than the exit."""
    maze = env.game_state.maze
    edge, seen = [(1, 1)], {(1, 1)}
    while edge:
        found = []
        for r, c in edge:
            if maze[r][c] == "E":
                return len(seen)
            for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                to = r + 2 * y, c + 2 * x
                if maze[r + y][c + x] != "#" and to not in seen:
                    seen.add(to)
                    found.append(to)
        edge = found
    raise AssertionError("no way to the exit")


def talked(env):
    """Count messages and calls of a customer who knows everything and a good assistant."""
    agents = {"user": "rule-user", "assistant": "informed-assistant"}
    (episode,) = gem_ma.rollout(
        env, agents, 1, seed=env.match.reset_args[0], progress=False, max_errors=0
    )
    return len(episode.steps)


EFFORTS = {
    "game:GuessTheNumber-v0": ("guesses", halving),
    "game:Mastermind-v0": ("codes looked at", codes),
    "game:Hangman-v0": ("words looked at", letters),
    "game:Wordle-v0": ("words looked at", marked),
    "game:WordSearch-v0": ("lines looked at", lines),
    "game:Crosswords-v0": ("words looked at", ranks),
    "game:WikiGame-v0": ("pages looked at", pages),
    "game:FifteenPuzzle-v0": ("moves", slid),
    "game:TowerofHanoi-v0": ("moves", discs),
    "game:Game2048-v0": ("moves", doublings),
    "game:Sokoban-v0": ("moves", pushed),
    "game:Sudoku-v0": ("digits tried", tried),
    "game:Minesweeper-v0": ("clicks", openings),
    "game:FrozenLake-v0": ("moves", walked),
    "game:Maze-v0": ("cells looked at", wandered),
    "tau:shop": ("messages and calls", talked),
    "tau2:phone": ("messages and calls", talked),
}

if __name__ == "__main__":
    main()

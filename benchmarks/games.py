"""Compare whole random episodes a CPU second with GEM and TextArena, game by game.

    python benchmarks/games.py [--gem PYTHON] [--textarena PYTHON] [--seconds S] [--repeat N]

A peer lives in a virtual environment of its own (`pip install gem-llm pandas`, or `textarena`), and
takes part when given the path of the Python there. Seeds and legal moves are drawn beforehand, in
so many CPU seconds; what is measured is to play them: reset, observe, step. Those compared take
turns, each time in a new process, and the best round of each counts. "turns" says how long the
episodes are on either side.
"""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

from contest import contest, run

WORKER = Path(__file__).with_name("games_worker.py")
SHARED = (
    "GuessTheNumber", "Mastermind", "Minesweeper", "Wordle", "FifteenPuzzle", "Hangman", "Sudoku",
    "TowerofHanoi", "Game2048", "Sokoban", "Crosswords", "WordSearch",
)  # fmt: skip
SLOWER = ("GuessTheNumber", "TowerofHanoi")  # where GEM does next to nothing, and may be faster
# TextArena's default ids; ours with arguments that make the games equal; how many of our episodes
# make one of theirs. Left out: Chess (TextArena's needs Python 3.12), Battleship-v0 (ships fill two
# thirds of its sea; ours takes a larger one), the prisoner's dilemma (theirs has talk, ours none).
TABLES = (
    ("TicTacToe-v0", "game:TicTacToe-v0", {}, 1),
    ("ConnectFour-v0", "game:ConnectFour-v0", {}, 1),
    ("Nim-v0", "game:Nim-v0", {}, 1),
    ("IteratedRockPaperScissors-v0", "game:RockPaperScissors-v0", {"rounds": 9}, 1),
    ("KuhnPoker-v0", "game:KuhnPoker-v0", {}, 3),  # three hands
    ("Othello-v0", "game:Reversi-v0", {}, 1),
    ("Breakthrough-v0", "game:Breakthrough-v0", {}, 1),
    ("LiarsDice-v0", "game:LiarsDice-v0", {"players": 2, "dice": 5}, 1),
    ("ColonelBlotto-v0", "game:ColonelBlotto-v0", {"troops": 20, "rounds": 9}, 1),
    (
        "Battleship-v0-standard",
        "game:Battleship-v0",
        {"size": 10, "ships": [5, 4, 3, 3, 2]},
        1,
    ),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gem", metavar="PYTHON", help="where gem-llm is installed")
    parser.add_argument("--textarena", metavar="PYTHON", help="where textarena is installed")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of each drawing")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--only", default="", help="play only the games with this in their id")
    args = parser.parse_args()
    if args.gem:
        levels = [
            (name, f"game:{name}-v0{level}") for name in SHARED for level in ("-easy", "-hard")
        ]
        rows = [(i, i, {}, 1, 0.0 if name in SLOWER else 1.0) for name, i in levels]
        compare("gem", args.gem, "ours_gymnasium", rows, args, 3)
    if args.textarena:
        rows = [(*row, 0.0) for row in TABLES]
        compare("textarena", args.textarena, "ours", rows, args, 2)


def compare(peer, python, task, rows, args, target):
    """Print a row for each game, and the geometric mean of the ratios."""
    print(f"{peer:31} {'turns: ours, its':>17} {'episodes/s: ours, its':>21} {'ratio':>8}")
    ratios = []
    for theirs, mine, arguments, many, least in rows:
        if args.only not in theirs:
            continue
        sides = {
            "ours": [sys.executable, task, [mine, arguments]],
            peer: [python, peer, [theirs, {}]],
        }
        turns, rates = measure(sides, args.seconds, args.repeat)
        turns["ours"], rates["ours"] = turns["ours"] * many, rates["ours"] / many
        ratios.append(rates["ours"] / rates[peer])
        print(
            f"{theirs.removeprefix('game:'):31} {turns['ours']:8.1f} {turns[peer]:8.1f} "
            f"{rates['ours']:10.1f} {rates[peer]:10.1f} {ratios[-1]:8.2f}"
            f"{f'  below {least:.0f}' if ratios[-1] < least else ''}",
            flush=True,
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    verdict = "met" if mean >= target else "missed"
    print(f"geometric mean {mean:.2f}; the target of {target} is {verdict}\n")


def measure(sides, seconds, repeat):
    """Return the mean number of turns and the best rate of each side, by its name."""
    turns, commands = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (python, task, game) in sides.items():
            ends = [task, json.dumps(game), str(Path(folder) / name)]
            drawn = run([python, str(WORKER), "draw", *ends, str(seconds)])
            turns[name] = drawn["turns"]
            commands[name] = [python, str(WORKER), "play", *ends]
        best = contest(commands, repeat, ())
    return turns, {name: found["episodes_per_s"] for name, found in best.items()}


if __name__ == "__main__":
    main()

"""Compare whole random episodes a CPU second with GEM and TextArena, game by game.

    python benchmarks/games.py [--gem PYTHON] [--textarena PYTHON] [--seconds S]

A peer lives in a virtual environment of its own, and takes part when given the path of the Python
there. Every number is the best of three processes.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("games_worker.py")
SHARED = (
    "GuessTheNumber", "Mastermind", "Minesweeper", "Wordle", "FifteenPuzzle", "Hangman", "Sudoku",
    "TowerofHanoi", "Game2048", "Sokoban", "Crosswords", "WordSearch",
)  # fmt: skip
TABLES = {  # our id -> TextArena's default id
    "game:TicTacToe-v0": "TicTacToe-v0",
    "game:ConnectFour-v0": "ConnectFour-v0",
    "game:Nim-v0": "Nim-v0",
    "game:Chess-v0": "Chess-v0",
    "game:RockPaperScissors-v0": "RockPaperScissors-v0",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gem", metavar="PYTHON", help="where gem-llm is installed")
    parser.add_argument("--textarena", metavar="PYTHON", help="where textarena is installed")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds of each process")
    args = parser.parse_args()
    if args.gem:
        pairs = [(f"game:{name}-v0{level}",) * 2 for name in SHARED for level in ("-easy", "-hard")]
        compare("GEM", args.gem, pairs, ("ours", "gem"), args.seconds)
    if args.textarena:
        compare("TextArena", args.textarena, TABLES.items(), ("aec", "textarena"), args.seconds)


def compare(name, python, pairs, tasks, seconds):
    """Print a row for each pair of ids, and the geometric mean of the ratios."""
    print(f"{'random episodes a CPU second':34} {'gem_ma':>10} {name:>10} {'ratio':>8}")
    ratios = []
    for mine, theirs in pairs:
        best = rate(sys.executable, tasks[0], mine, seconds)
        peer = rate(python, tasks[1], theirs, seconds)
        if best is None or peer is None:
            print(f"{mine:34} {best or 'failed':>10} {peer or 'failed':>10}")
            continue
        ratios.append(best / peer)
        print(f"{mine:34} {best:10.1f} {peer:10.1f} {best / peer:8.2f}")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean':34} {'':10} {'':10} {mean:8.2f}\n")


def rate(python, task, env_id, seconds):
    """Return the best of three processes, or None if it does not run."""
    best = None
    for _ in range(3):
        run = subprocess.run(
            [python, str(WORKER), str(seconds), task, env_id],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            sys.stderr.write(f"{task} {env_id}: {run.stderr.strip().splitlines()[-1:]}\n")
            return None
        found = json.loads(run.stdout.splitlines()[-1])["episodes_per_s"]
        best = max(best or 0.0, found)
    return best


if __name__ == "__main__":
    main()

"""Compare random episodes per CPU second with GEM and TextArena, game by game.

    python benchmarks/games.py [--gem PYTHON] [--textarena PYTHON] [--seconds S] [--repeat N]
    python benchmarks/games.py --gem PYTHON --check benchmarks/games.json

Each peer has its own virtual environment (`pip install gem-llm pandas`, or `textarena`), and is
included if you pass the path of its Python. Seeds and legal moves are drawn beforehand, in the
given CPU seconds. Only playing them is measured: reset, observe, step. Compared programs alternate,
each time in a new process, and the best round of each counts. "turns" is the length of the episodes
on either side. GEM is measured twice: as it is ("gem"), and in the wrapper that its training uses,
which shows as much text as ours ("gem_chat").
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean, median

from contest import contest, run

WORKER = Path(__file__).with_name("games_worker.py")
SHARED = (
    "GuessTheNumber", "Mastermind", "Minesweeper", "Wordle", "FifteenPuzzle", "Hangman", "Sudoku",
    "TowerofHanoi", "Game2048", "Sokoban", "Crosswords", "WordSearch",
)  # fmt: skip
ENOUGH = 5.0  # larger ratios depend on the drawn games
MOST_ROUNDS = 8  # before `--check` calls a game slower: other work on the machine passes
# TextArena's default ids; ours with arguments that make the games equal; and how many of our
# episodes make one of theirs.
# Left out: Chess (TextArena's needs Python 3.12), Battleship-v0 (ships fill two thirds of its
# sea; ours takes a larger one), the prisoner's dilemma (theirs has talk, ours none).
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
    parser.add_argument("--gem", metavar="PYTHON", help="Python where gem-llm is installed")
    parser.add_argument("--textarena", metavar="PYTHON", help="Python where textarena is installed")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of each drawing")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--only", default="", help="play only the games whose id contains this")
    parser.add_argument("--keep", metavar="FILE", help="write the ratios to this file")
    parser.add_argument(
        "--check",
        metavar="FILE",
        help="fail if a ratio is below four fifths of that in this file; such a game is played for "
        f"{MOST_ROUNDS} rounds before",
    )
    args = parser.parse_args()
    args.before = json.loads(Path(args.check).read_text()) if args.check else {}
    ratios = {}
    if args.gem:
        levels = [
            (i, i, {}, 1)
            for i in (f"game:{name}-v0{level}" for name in SHARED for level in ("-easy", "-hard"))
        ]
        ratios |= compare({"gem": args.gem, "gem_chat": args.gem}, "ours_gymnasium", levels, args)
    if args.textarena:
        ratios |= compare({"textarena": args.textarena}, "ours", TABLES, args)
    if args.keep:
        Path(args.keep).write_text(json.dumps(ratios, indent=1) + "\n")
    if slower := find_slower(ratios, args.before):
        raise SystemExit("\n".join(["slower than they were:", *slower]))


def compare(peers, task, rows, args):
    """Print a row for each game, and a summary; return the ratios by peer and game."""
    heads = [f"{peer}: turns, episodes/s, ratio" for peer in peers]
    print(f"{'':28} {'ours: turns, episodes/s':>26}", *(f"{head:>36}" for head in heads))
    ratios = {peer: {} for peer in peers}
    for theirs, mine, arguments, many in rows:
        if args.only not in theirs:
            continue
        sides = {"ours": [sys.executable, task, [mine, arguments]]}
        sides |= {peer: [python, peer, [theirs, {}]] for peer, python in peers.items()}

        def is_slower(rates, theirs=theirs, many=many):
            found = {peer: {theirs: rates["ours"] / many / rates[peer]} for peer in peers}
            return find_slower(found, args.before)

        turns, rates = measure(sides, args.seconds, args.repeat, is_slower)
        turns["ours"], rates["ours"] = turns["ours"] * many, rates["ours"] / many
        cells = [f"{turns['ours']:12.1f} {rates['ours']:13.1f}"]
        for peer in peers:
            ratio = ratios[peer][theirs] = rates["ours"] / rates[peer]
            cells.append(f"{turns[peer]:14.1f} {rates[peer]:13.1f} {ratio:7.2f}")
        print(f"{theirs.removeprefix('game:'):28}", *cells, flush=True)
    for peer, found in ratios.items():
        mean, middle = geometric_mean(found.values()), median(found.values())
        slowest = min(found, key=found.get)
        print(
            f"ours over {peer}: median {middle:.2f}, slowest {found[slowest]:.2f} ({slowest}), "
            f"geometric mean {mean:.2f}"
        )
    print()
    return ratios


def find_slower(ratios, before):
    """Return the games whose ratio has fallen by over a fifth; ratios above ENOUGH are ignored."""
    return [
        f"{game} beside {peer}: {ratio:.2f}, was {before[peer][game]:.2f}"
        for peer, found in ratios.items()
        for game, ratio in found.items()
        if ratio < 0.8 * min(before.get(peer, {}).get(game, 0.0), ENOUGH)
    ]


def measure(sides, seconds, repeat, is_slower):
    """Return the mean number of turns and the best rate of each side, by its name."""
    turns, commands, rates = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (python, task, game) in sides.items():
            ends = [task, json.dumps(game), str(Path(folder) / name)]
            drawn = run([python, str(WORKER), "draw", *ends, str(seconds)])
            turns[name] = drawn["turns"]
            commands[name] = [python, str(WORKER), "play", *ends]
        rounds = 0
        while rounds < repeat or (rounds < MOST_ROUNDS and is_slower(rates)):
            for name, found in contest(commands, 1, ()).items():
                rates[name] = max(found["episodes_per_s"], rates.get(name, 0))
            rounds += 1
    return turns, rates


if __name__ == "__main__":
    main()

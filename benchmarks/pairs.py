"""Compare pairs of players that talk by a fixed rule with pairs that do not listen.

    python benchmarks/pairs.py                   # a table of all games for seats that win together
    python benchmarks/pairs.py Pictionary --episodes 50

An honest pair says what it knows in words that both understand, and acts on what it hears. In a
deaf pair the speaker does the same, but the listener ignores it, so that it earns the result of
chance.
"""

import argparse
import itertools
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import gem_ma
from gem_ma.envs.markets.negotiation import ISSUES, worths
from gem_ma.envs.parlour import tangram
from gem_ma.envs.parlour.taboo import CARDS
from gem_ma.envs.parlour.things import THINGS, TRUE_OF
from gem_ma.envs.parlour.twenty_questions import GUESSES

SEATS = tuple(f"player_{i}" for i in range(4))
Player = Callable[[Any], str]


class Pair(NamedTuple):
    """A game with its honest players, its deaf players, and the expected result of chance."""

    id: str
    honest: Mapping[str, Player]
    deaf: Mapping[str, Player]
    chance: float | Callable[[Any], float]  # a number, or a function of the first state
    arguments: Mapping[str, Any] = {}
    # Result from the last state; None: what all seats earned, which is the same.
    score: Callable[[Any, Any], float] | None = None

    def expected(self, episodes):
        """Return the expected result of chance in these episodes."""
        if not callable(self.chance):
            return self.chance
        env = gem_ma.make(self.id, **self.arguments)
        found = []
        for seed in range(episodes):
            env.reset(seed=seed)
            found.append(self.chance(env.game_state))
        return float(np.mean(found))

    def play(self, players, episodes):
        """Return the pair's result in each episode."""
        env = gem_ma.make(self.id, **self.arguments)
        return [self.episode(env, players, seed) for seed in range(episodes)]

    def episode(self, env, players, seed):
        """Play one episode, and return the pair's result."""
        env.reset(seed=seed)
        while env.to_act:
            env.step_seats(
                {seat: players.get(seat, at_random)(env.turn(seat)) for seat in env.to_act}
            )
        if self.score:
            return self.score(env.game, env.game_state)
        (earned,) = set(env.game_state.returns().values())
        return earned


def at_random(turn):
    """Make any legal reply, ignoring all messages."""
    rng = np.random.default_rng(turn.seed & 0xFFFFFFFF)
    return turn.legal[int(rng.integers(len(turn.legal)))]


def heard(turn, speaker):
    """Return the last message of a speaker in what a seat reads."""
    lines = [line for line in turn.text.splitlines() if line.startswith(f"{speaker}: ")]
    return lines[-1].removeprefix(f"{speaker}: ") if lines else ""


PLACES = [(x, y) for y in (20, 50, 80) for x in (20, 50, 80)]


def artist(turn):
    """Draw the number of the word in base two."""
    number = THINGS.index(turn.observation["text"].split("The word: ")[1].split(".")[0]) + 1
    ones = [place for i, place in enumerate(PLACES) if number >> i & 1]
    return "; ".join(f"disc {x} {y} 9" for x, y in ones)


def beholder(turn):
    """Read discs from the pixels, and name the word of their number."""
    image = np.asarray(turn.observation["image"].array).astype(int)
    height = int((image[:, 0] == image[0, 0]).all(1).argmin()) or len(image)  # of the paper
    left = (image.shape[1] - height) // 2
    pixels = [image[y * height // 100, left + x * height // 100] for x, y in PLACES]
    ones = [abs(pixel - image[0, 0]).sum() > 100 for pixel in pixels]
    return THINGS[sum(one << i for i, one in enumerate(ones)) - 1]


def told_values(text):
    """Return the values of each issue in what a seat reads of the options."""
    lines = [line.split(": ", 1)[1].split("; ") for line in text.splitlines() if line[-1:] == ")"]
    return [[int(option.rpartition("(")[2][:-1]) for option in line] for line in lines]


def buyer(turn):
    """State the own values, then accept the proposal."""
    if "accept" in turn.legal:
        return "accept"
    return "/".join(" ".join(map(str, row)) for row in told_values(turn.text))


def seller(turn):
    """Propose, for each issue, the best option for both together."""
    theirs = [list(map(int, row.split())) for row in heard(turn, "buyer").split("/")]
    best = [
        int(np.argmax(np.add(mine, other)))
        for mine, other in zip(told_values(turn.text), theirs, strict=True)
    ]
    issues = [line.split(":")[0] for line in turn.text.splitlines() if line[-1:] == ")"]
    deal = [f"{issue} {ISSUES[issue][k]}" for issue, k in zip(issues, best, strict=True)]
    return f"propose: {', '.join(deal)}"


def proposes_anything(turn):
    """Propose any deal, ignoring all messages."""
    proposals = [one for one in turn.legal if one.startswith("propose")]
    return proposals[turn.seed % len(proposals)]


def joint_of_any(state):
    """Return the mean value of a deal, as a share of the best."""
    sums = list(map(sum, worths(state)))
    return float(np.mean(sums)) / max(sums)


def tells_route(turn):
    """Name the cells of the route."""
    return "Draw " + turn.text.split("The route: ")[1].split(".")[0]


def draws_route(turn):
    """Draw the named cells, then say so."""
    drawn = "Drawn cells: none." not in turn.text
    return "done" if drawn else heard(turn, "giver").removeprefix("Draw ")


def draws_everything(turn):
    """Cover the whole map, which is the best certain result without words."""
    drawn = "Drawn cells: none." not in turn.text
    return "done" if drawn else "A1 F1 F2 A2 A3 F3 F4 A4 A5 F5 F6 A6"


def asks_what_splits(turn):
    """Ask the question that best splits the remaining things, from the past answers in the text."""
    left = set(THINGS)
    for line in turn.text.splitlines():
        about, _, answer = line.rpartition(" ")
        if about in TRUE_OF and answer in ("yes", "no"):
            left &= TRUE_OF[about] if answer == "yes" else left - TRUE_OF[about]
    if len(left) == 1:
        return f"Is it a {left.pop()}?"
    return min(TRUE_OF, key=lambda one: (abs(2 * len(left & TRUE_OF[one]) - len(left)), one))


def answers_truly(turn):
    """Answer truly."""
    thing = turn.text.split("Thing: ")[1].split(".")[0]
    return "yes" if thing in TRUE_OF[turn.text.splitlines()[-1]] else "no"


def names_another(turn):
    """Name a thing that was not named before."""
    guesses = [one for one in turn.legal if one in GUESSES]
    return guesses[turn.seed % len(guesses)]


def tells_number(turn):
    """Say the position of the word."""
    return str(sorted(CARDS).index(turn.text.split("The word: ")[1].split(".")[0]))


def hears_number(turn):
    """Name the word at the position that was said."""
    return sorted(CARDS)[int(heard(turn, "giver"))]


def knows(turn):
    """Give a hint made from the word, then vote for a player whose hint is not."""
    view = turn.observation["text"]
    if "vote" in view.splitlines()[-1]:
        return strange(turn)
    if "Give a hint" in view and "The word: " in view:
        seat = "abcdefgh"[int(turn.seat[-1])]  # so that no hint repeats
        return f"z{seat}{view.split('The word: ')[1].split('.')[0]}"
    return at_random(turn)


def strange(turn):
    """Vote for another player whose hint is not made from the word."""
    word = turn.text.split("The word: ")[1].split(".")[0] if "The word: " in turn.text else ""
    hints = turn.text.split("Hints: ")[1].split(".")[0].split(", ")
    odd = [f"player_{n}" for n, _, hint in (one.partition(" ") for one in hints)
           if not hint.endswith(word)]  # fmt: skip
    return next((seat for seat in odd if seat in turn.legal), turn.legal[0])


def ignores_hints(turn):
    """Give the same hints, and vote for anybody."""
    return at_random(turn) if "vote" in turn.text.splitlines()[-1] else knows(turn)


def caught_by_chance(state):
    """Return how often the chameleon is caught if all vote at random."""
    seats, found, many = range(len(state.agents)), 0, 0
    for votes in itertools.product(*([b for b in seats if b != a] for a in seats)):
        counts = sorted((votes.count(b), b) for b in seats)
        found += counts[-1][0] > counts[-2][0] and counts[-1][1] == 0
        many += 1
    return found / many


WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


def board(text):
    """Return the rows of a map in what a seat reads."""
    return [
        line for line in text.splitlines() if len(line) > 4 and set(line) <= set("#.D!@?FHKMQT")
    ]


def ways_of(rows, goal):
    """Return the shortest way to a place from each cell, searched backwards."""
    ways, queue = {}, deque()
    for step, (down, right) in WAYS.items():
        cell = goal[0] - down, goal[1] - right
        if 0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows) and rows[cell[0]][cell[1]] != "#":
            ways[cell] = [step]
            queue.append(cell)
    while queue:
        row, column = here = queue.popleft()
        for step, (down, right) in WAYS.items():
            gap, cell = (row - down, column - right), (row - 2 * down, column - 2 * right)
            inside = 0 < cell[0] < len(rows) and 0 < cell[1] < len(rows)
            if inside and rows[gap[0]][gap[1]] == "." and cell not in ways:
                ways[cell] = [step, *ways[here]]
                queue.append(cell)
    return ways


def fits(rows, cell, seen):
    """Return whether the walker's sight fits this place; the walker hides its own cell."""
    for r, line in enumerate(seen):
        for c, symbol in enumerate(line):
            row, column = cell[0] + r - 2, cell[1] + c - 2
            inside = 0 <= row < len(rows) and 0 <= column < len(rows)
            there = rows[row][column].replace("!", "D") if inside else "?"
            if symbol not in ("@", there):
                return False
    return True


def telling_walker(turn):
    """Walk as told; otherwise describe what is seen."""
    told = heard(turn, "guide")
    steps = told.removeprefix("Walk ").split()
    if told.startswith("Walk "):
        return " ".join(steps[:6])
    return "/".join(board(turn.text))


def knowing_guide(turn):
    """Locate the walker by what it sees, and tell the way to the right door."""
    seen, rows = heard(turn, "walker").split("/"), board(turn.text)
    goal = next((r, row.index("!")) for r, row in enumerate(rows) if "!" in row)
    places = [way for cell, way in ways_of(rows, goal).items() if fits(rows, cell, seen)]
    if len(seen) != 5 or not places:
        return "What do you see?"
    return f"Walk {' '.join(places[turn.number % len(places)])}"


def nearest_door(turn):
    """Walk until a door is seen, and go through it, ignoring all messages."""
    rows = board(turn.text)
    doors = [(r, row.index("D")) for r, row in enumerate(rows) if "D" in row]
    for door in doors:
        way = ways_of(rows, door).get((2, 2))
        if way:
            return " ".join(way[:6])
    rng = np.random.default_rng(turn.seed & 0xFFFFFFFF)
    open_ways = [step for step in turn.legal if step in WAYS]
    return " ".join(rng.choice([*open_ways, *WAYS]) for _ in range(6))


def tells_figure(turn):
    """Say where each piece lies."""
    return turn.text.split("The figure: ")[1].split(".")[0]


def lays_figure(turn):
    """Lay all pieces as described, then say so."""
    if "On the board: nothing" not in turn.text:
        return "done"
    return "; ".join(f"place {spot}" for spot in heard(turn, "guide").split(", "))


def lays_any(turn):
    """Lay a figure of its own."""
    if "On the board: nothing" not in turn.text:
        return "done"
    own = tangram.figure(np.random.default_rng(turn.seed & 0xFFFFFFFF), 7)
    return "; ".join(f"place {spot}" for spot in own)


def overlap_of_any(state):
    """Return how much of the figure other random figures cover."""
    some = [tangram.figure(np.random.default_rng(seed), state.many) for seed in range(20)]
    return float(np.mean([tangram.overlap(state.figure, other) for other in some]))


def tells_target(turn):
    """Describe the target."""
    return turn.text.split("The target: ")[1].split(".")[0]


def finds_target(turn):
    """Choose the picture that was described."""
    target = heard(turn, "speaker")
    return next((n for n in turn.legal if f"\n{n}: {target}." in turn.text), "1")


def tells_picture(turn):
    """Describe the own picture."""
    return turn.text.split("Your picture: ")[1].split(".")[0]


def compares(turn):
    """Name the cells in which the two pictures differ."""
    mine, theirs = (
        dict(thing.split(" at ")[::-1] for thing in words.split(", "))
        for words in (tells_picture(turn), heard(turn, "player_0"))
    )
    return (
        f"answer: {' '.join(c for c in sorted({*mine, *theirs}) if mine.get(c) != theirs.get(c))}"
    )


def names_any(turn):
    """Name the cell of any thing in the own picture."""
    cells = [thing.split(" at ")[1] for thing in tells_picture(turn).split(", ")]
    return f"answer: {cells[turn.seed % len(cells)]}"


LETTERS = "abcdefghijklmnopqrstuvwxy"


def entries(turn):
    """Return each word of the grid with its known owner, and the lines below."""
    lines = turn.text.split("\n\n")[-1].splitlines()
    return [entry.split() for line in lines[:5] for entry in line.split(", ")], lines[5:]


def gives_letters(turn):
    """Name all cells of the own team by letters."""
    own = [LETTERS[i] for i, (_, mark) in enumerate(entries(turn)[0]) if mark == turn.seat[0]]
    return f"zz{''.join(own)} {len(own)}"


def reads_letters(turn):
    """Pick the first named word that is not found yet."""
    grid, below = entries(turn)
    for letter in below[1].split(": ")[1].split()[0].removeprefix("zz"):
        word, mark = grid[LETTERS.index(letter)]
        if mark == "?":
            return word
    return "pass"


PAIRS = {
    "Codewords (won)": Pair(
        "game:Codewords-v0",
        {"north_giver": gives_letters, "north_guesser": reads_letters},
        {"north_giver": gives_letters},
        0.5,
        score=lambda game, state: float(state.returns()["north_giver"] == 1),
    ),
    "ReferenceGame": Pair(
        "game:ReferenceGame-v0",
        {"speaker": tells_target, "listener": finds_target},
        {"speaker": tells_target},
        1 / 4,
    ),
    "SpotTheDifference": Pair(
        "game:SpotTheDifference-v0",
        {"player_0": tells_picture, "player_1": compares},
        {"player_0": tells_picture, "player_1": names_any},
        1 / 10,
        {"differences": 1},
    ),
    "Chameleon (found)": Pair(
        "game:Chameleon-v0",
        dict.fromkeys(SEATS, knows),
        dict.fromkeys(SEATS, ignores_hints),
        caught_by_chance,
        score=lambda game, state: float(state.accused() == state.chameleon),
    ),
    "MapTask": Pair(
        "game:MapTask-v0",
        {"giver": tells_route, "follower": draws_route},
        {"giver": tells_route, "follower": draws_everything},
        lambda state: len(state.route) / 36,
    ),
    "Negotiation": Pair(
        "game:Negotiation-v0",
        {"buyer": buyer, "seller": seller},
        {"buyer": buyer, "seller": proposes_anything},
        joint_of_any,
        score=lambda game, state: game.report(state)["joint share"],
    ),
    "Pictionary": Pair(
        "game:Pictionary-v0",
        {"artist": artist, "guesser": beholder},
        {"artist": artist},
        3 / 12,
        {"observe": "both", "image_size": 252},
    ),
    "RadioMaze": Pair(
        "game:RadioMaze-v0",
        {"walker": telling_walker, "guide": knowing_guide},
        {"walker": nearest_door, "guide": knowing_guide},
        1 / 4,
    ),
    "Taboo": Pair(
        "game:Taboo-v0",
        {"giver": tells_number, "guesser": hears_number},
        {"giver": tells_number},
        3 / len(CARDS),
    ),
    "TwentyQuestions": Pair(
        "game:TwentyQuestions-v0",
        {"asker": asks_what_splits, "answerer": answers_truly},
        {"asker": names_another, "answerer": answers_truly},
        20 / len(THINGS),
    ),
    "Tangram": Pair(
        "game:Tangram-v0",
        {"guide": tells_figure, "builder": lays_figure},
        {"guide": tells_figure, "builder": lays_any},
        overlap_of_any,
    ),
}


def main():
    """Print a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "games", nargs="*", default=list(PAIRS), help="names of games (default: all)"
    )
    parser.add_argument("--episodes", type=int, default=200, help="episodes of each pair")
    args = parser.parse_args()
    print("| game | honest | deaf | chance |\n|---|---|---|---|")
    for name in args.games:
        pair = PAIRS[name]
        honest, deaf = (
            np.mean(pair.play(players, args.episodes)) for players in (pair.honest, pair.deaf)
        )
        print(f"| {name} | {honest:.2f} | {deaf:.2f} | {pair.expected(args.episodes):.2f} |")


if __name__ == "__main__":
    main()

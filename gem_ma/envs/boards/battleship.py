"""Battleship: two agents shoot at ships that they cannot see; whoever sinks the last ship wins."""

import functools
import string
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption, make_winner_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import Grid, Panels, Tile

AGENTS = ("first", "second")
SHIPS = "ABCDEFGH"
WATER, MISS, HIT = ".", "o", "x"
TILES = (
    (WATER, Tile(ground="water", name="water (.)")),
    (MISS, Tile("dot", "white", "water", name="miss (o)")),
    (HIT, Tile("cross", "red", "water", name="hit, a ship afloat (x)")),
    *((ship, Tile(color="black", ground="gray", text=ship)) for ship in SHIPS),
    *((ship.lower(), Tile("burst", "red", "gray", text=ship)) for ship in SHIPS),
)


@dataclass(frozen=True, slots=True)
class State:
    size: int
    seas: tuple[Maybe[str], Maybe[str]]  # ship letters and water, row by row; None: hidden
    shots: tuple[str, str]  # results of each seat's shots: miss, hit, or letter of a sunk ship
    left: tuple[str, str]  # ships of each seat that are afloat
    turn: int = 0

    def to_act(self):
        return (AGENTS[self.turn % 2],) if all(self.left) else ()

    def returns(self):
        reward = bool(self.left[0]) - bool(self.left[1])
        return {"first": float(reward), "second": float(-reward)}

    def seen_by(self, agent):
        first, second = self.seas
        return replace(self, seas=(first, None) if agent == "first" else (None, second))

    def legal(self, agent):
        shots = self.shots[AGENTS.index(agent)]
        return tuple([c for c, mark in zip(_cells(self.size), shots, strict=True) if mark == WATER])

    def shoot(self, cell):
        if cell is None:  # a lost turn
            return replace(self, turn=self.turn + 1)
        seat = self.turn % 2
        sea, shots, ships = self.seas[1 - seat], self.shots[seat], self.left[1 - seat]
        ship = sea[cell]
        shots = shots[:cell] + (MISS if ship == WATER else HIT) + shots[cell + 1 :]
        if ship != WATER:
            cells = [i for i, other in enumerate(sea) if other == ship]
            if all(shots[i] == HIT for i in cells):
                shots = "".join(ship if i in cells else mark for i, mark in enumerate(shots))
                ships = ships.replace(ship, "")
        return State(
            self.size,
            self.seas,
            (shots, self.shots[1]) if seat == 0 else (self.shots[0], shots),
            (self.left[0], ships) if seat == 0 else (ships, self.left[1]),
            self.turn + 1,
        )


class Battleship(Game[State]):
    agents = AGENTS
    moves: tuple[str, ...]
    zero_sum = True

    def __init__(self, size: int = 8, ships: tuple[int, ...] = (4, 3, 3, 2)):
        self.size, self.ships = size, tuple(ships)
        if not 2 <= size <= len(string.ascii_lowercase):
            raise ValueError(f"size={size}: expected 2 to {len(string.ascii_lowercase)}")
        if not 1 <= len(self.ships) <= len(SHIPS) or not all(1 <= n <= size for n in self.ships):
            raise ValueError(
                f"ships={ships}: expected 1 to {len(SHIPS)} ships, each of 1 to {size} cells"
            )
        if sum(self.ships) > size * size // 2:  # up to half of the sea, a placement always exists
            raise ValueError(
                f"ships={ships}: expected at most {size * size // 2} cells in all, half of the "
                f"sea, got {sum(self.ships)}"
            )
        self.moves = _cells(size)
        self.fleet = SHIPS[: len(self.ships)]

    def start(self, rng, options):
        seas = _place(self.size, self.ships, rng), _place(self.size, self.ships, rng)
        water = WATER * self.size**2
        return State(self.size, seas, (water, water), (self.fleet, self.fleet))

    def read(self, text, view, agent):
        cell = self.moves.index(parse_choice(text.replace(" ", ""), self.moves))
        if view.shots[AGENTS.index(agent)][cell] != WATER:
            raise InvalidMove(f"you shot at {clip_repr(self.moves[cell])} before")
        return cell

    def advance(self, state, moves, rng):
        return state.shoot(*moves.values())

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, cell),) = moves.items()
        if cell is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        mark, name = after.shots[before.turn % 2][cell], self.moves[cell]
        outcome = {MISS: "a miss", HIT: "a hit"}.get(mark) or f"a hit that sinks {self.ship(mark)}"
        return [Message(None, seat, name), Message(None, "game", f"{name} is {outcome}.")]

    def ship(self, letter):
        return f"ship {letter} of {self.ships[SHIPS.index(letter)]}"

    def rules(self, agent):
        fleet = ", ".join(f"{ship} ({n})" for ship, n in zip(SHIPS, self.ships, strict=False))
        return (
            f"You are playing Battleship as {agent}; first begins. Each player has a sea of "
            f"{self.size} rows and columns that the other does not see, with ships that lie flat "
            f"or upright in it and may touch: {fleet}; the number is a ship's length. In turn you "
            "shoot at a cell of the other's sea and are told whether you hit. A ship is sunk once "
            "all its cells are hit, and then its letter is shown; before, a hit shows x, a miss "
            "o. In your own sea a small letter is a cell that was hit. Who first sinks all ships "
            "wins. Reply with a column and a row, such as b3: columns are letters from the left, "
            "rows numbers from the top."
        )

    def describe(self, view, agent):
        parts = []
        for title, rows in self.boards(view, agent):
            lines = [f"{i:>2} {' '.join(row)}" for i, row in enumerate(rows, 1)]
            parts += [f"{title}:", "   " + " ".join(string.ascii_lowercase[: self.size]), *lines]
        return "\n".join([*parts, *self.status(view)])

    def boards(self, view, agent):
        """Yield title and rows of each board: own sea and shots, or both seas for spectators."""
        for i, owner in enumerate(AGENTS):
            sea, shots = view.seas[i], view.shots[1 - i]
            if agent is None:
                title = f"Sea of {owner}"
            else:
                title = "Your sea" if owner == agent else "Your shots"
            board = shots if sea is None else "".join(map(_struck, sea, shots))
            yield title, _rows(board, view.size)

    def status(self, view):
        lines = [
            f"{a} afloat: {ships or 'none'}" for a, ships in zip(AGENTS, view.left, strict=True)
        ]
        return (*lines, *make_turn_caption(view))

    def picture(self, view, agent):
        columns = tuple(string.ascii_lowercase[: view.size])
        lines = tuple(str(i + 1) for i in range(view.size))
        status = self.status(view) + make_winner_caption(view)
        parts = [
            (title, Grid(rows, TILES, columns=columns, lines=lines, status=part))
            for (title, rows), part in zip(
                self.boards(view, agent), ((*status[:1], ""), status[1:]), strict=True
            )
        ]
        return Panels(tuple(parts))

    def encode(self, view, agent):
        """Return six planes, three of the own sea and three of the other's.

        They are: own ships, own cells hit, the other's misses, own misses, own hits, ships sunk.
        """
        seat = AGENTS.index(agent)
        sea, mine, theirs = (
            np.array(list(board)).reshape(self.size, self.size)
            for board in (view.seas[seat], view.shots[seat], view.shots[1 - seat])
        )
        ships, water = sea != WATER, mine == WATER
        sunk_ships = ~water & (mine != MISS) & (mine != HIT)
        planes = [
            ships,
            ships & (theirs != WATER),
            theirs == MISS,
            mine == MISS,
            mine == HIT,
            sunk_ships,
        ]
        return np.stack(planes).astype(np.float32)


@functools.cache
def _cells(size):
    """Return the names of all cells, row by row."""
    return tuple([f"{c}{row + 1}" for row in range(size) for c in string.ascii_lowercase[:size]])


@functools.cache
def _berths(size, length):
    """Return every placement of a ship of this length, as a set of cells."""
    flat = [[row * size + c + i for i in range(length)] for row in range(size)
            for c in range(size - length + 1)]  # fmt: skip
    upright = [[cell % size * size + cell // size for cell in cells] for cells in flat]
    return tuple(map(frozenset, flat + (upright if length > 1 else [])))


def _place(size, lengths, rng):
    """Return a random placement of all ships; start again if a ship does not fit."""
    while True:
        sea = [WATER] * size**2
        occupied_cells: frozenset[int] = frozenset()
        for ship, length in zip(SHIPS, lengths, strict=False):
            free_berths = [berth for berth in _berths(size, length) if not berth & occupied_cells]
            if not free_berths:
                break
            berth = free_berths[int(rng.integers(len(free_berths)))]
            occupied_cells |= berth
            for cell in berth:
                sea[cell] = ship
        else:
            return "".join(sea)


def _struck(here, mark):
    """Return the result of the shot at a cell as the owner of the sea sees it."""
    if here == WATER:
        return mark
    return here if mark == WATER else here.lower()


def _rows(board, size):
    return tuple([board[i : i + size] for i in range(0, size * size, size)])


env, parallel_env, raw_env = make_env_functions(__name__)

"""Frozen lake: one agent crosses ice with holes to reach the goal; the ice can be slippery."""

from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENT = "player"
MOVES = ("left", "down", "right", "up")  # each is a quarter turn from the next
ICE, HOLE, GOAL, HERE = ".OG@"
FELL, ARRIVED = "X*"
TILES = (
    (ICE, Tile(name="ice")),
    (HOLE, Tile("disc", "black", "water", name="a hole")),
    (GOAL, Tile("flag", "green", name="the goal")),
    (HERE, Tile("person", "red", name="you")),
    (FELL, Tile("person", "red", "water", name="you, in a hole")),
    (ARRIVED, Tile("person", "red", "green", name="you, at the goal")),
)


class State(NamedTuple):
    lake: str  # row by row
    size: int
    left: int  # moves left
    at: int = 0

    def to_act(self):
        return () if self.lake[self.at] != ICE or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: 1.0 if self.lake[self.at] == GOAL else 0.0}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return MOVES

    def go(self, way):
        at = self.at if way is None else _step(self.at, way, self.size)  # None: a lost turn
        return State(self.lake, self.size, self.left - 1, at)

    def rows(self):
        symbol = {ICE: HERE, HOLE: FELL, GOAL: ARRIVED}[self.lake[self.at]]
        lake = self.lake[: self.at] + symbol + self.lake[self.at + 1 :]
        return tuple([lake[i : i + self.size] for i in range(0, len(lake), self.size)])


class FrozenLake(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(
        self, size: int = 4, holes: float = 0.25, slippery: bool = False, max_turns: int = 100
    ):
        if not 2 <= size <= 16 or not 0 <= holes <= 1:
            raise ValueError(
                f"size={size}, holes={holes}: expected size 2 to 16, holes 0 to 1 (a share)"
            )
        if max_turns < 2 * size - 2:
            raise ValueError(
                f"max_turns={max_turns}: expected at least {2 * size - 2}, for the way to the goal"
            )
        self.size, self.holes = size, holes
        self.slippery, self.max_turns = slippery, max_turns

    def start(self, rng, options):
        """Break the ice cell by cell, but never close the last way to the goal."""
        cells, holes_left = self.size**2, round(self.holes * self.size**2)
        ice = (1 << cells) - 1  # a bit for each cell
        for cell in rng.permutation(cells - 2).tolist():
            broken_ice = ice ^ 1 << cell + 1
            if holes_left and _distance(broken_ice, self.size) <= self.max_turns:
                ice, holes_left = broken_ice, holes_left - 1
        lake = [ICE if ice >> cell & 1 else HOLE for cell in range(cells - 1)]
        return State("".join(lake) + GOAL, self.size, self.max_turns)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:
            return state.go(None)
        way = MOVES.index(move)
        if self.slippery:
            way = (way + int(rng.integers(-1, 2))) % 4
        return state.go(way)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        return ()  # the view shows the player

    def rules(self, agent):
        slips = (
            "The ice is slippery: a move goes where you want, or a quarter turn to the left or to "
            "the right of it, each with probability 1/3. "
        )
        return (
            "You are playing Frozen Lake: walk over the ice to the goal without falling into a "
            "hole, within the moves you have. A move takes you to the next cell, and one off the "
            f"edge leaves you where you are. {slips if self.slippery else ''}On the map, @ is "
            "you, . is ice, O is a hole and G is the goal; once you are there, X is you in a hole "
            "and * is you at the goal. Reply with left, down, right or up."
        )

    def describe(self, view, agent):
        return "\n".join([*(" ".join(row) for row in view.rows()), f"Moves left: {view.left}"])

    def picture(self, view, agent):
        return Grid(view.rows(), TILES, status=(f"Moves left: {view.left}",))

    def encode(self, view, agent):
        """Return three planes: holes, the goal, the player."""
        lake = np.array(list(view.lake)).reshape(view.size, view.size)
        you = np.arange(len(view.lake)).reshape(lake.shape) == view.at
        return np.stack([lake == HOLE, lake == GOAL, you]).astype(np.float32)


def _step(cell, way, size):
    row, column = divmod(cell, size)
    if way % 2:
        row = min(row + 1, size - 1) if way == 1 else max(row - 1, 0)
    else:
        column = min(column + 1, size - 1) if way == 2 else max(column - 1, 0)
    return row * size + column


def _distance(ice, size):
    """Return the number of moves to the goal; infinity if holes block every way."""
    first = sum(1 << row * size for row in range(size))  # the first column
    inner, goal = ice & ~first, 1 << size * size - 1
    region, moves = 1, 0
    while not region & goal:
        across = region << 1 & inner | (region & ~first) >> 1
        wider = region | (across | region << size | region >> size) & ice
        if wider == region:
            return float("inf")
        region, moves = wider, moves + 1
    return moves


env, parallel_env, raw_env = make_env_functions(__name__)

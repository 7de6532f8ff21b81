"""Hex: two agents place stones on a rhombus of hexagons; whoever joins both own edges wins."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.boards.lettered import labels, rows, squares, touching, words
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import HexGrid, Tile

AGENTS = ("black", "white")
STONES, EMPTY = ("B", "W"), "."
TILES = (
    ("B", Tile("disc", "black", "board", name="black (B)")),
    ("W", Tile("disc", "white", "board", name="white (W)")),
    (EMPTY, Tile("", ground="board", name="free")),
)


@functools.cache
def _touching(size):
    """Return the neighbours of each cell: left, right, above, below, and on one diagonal."""
    steps = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))
    return touching(size, steps)


@functools.cache
def _edges(size):
    """Return the cells at the two edges of each side: top and bottom, left and right."""
    cells = range(size * size)
    return (
        (frozenset(cells[:size]), frozenset(cells[-size:])),
        (frozenset(cells[::size]), frozenset(cells[size - 1 :: size])),
    )


class State(NamedTuple):
    board: str  # row by row
    size: int
    turn: int = 0
    winner: str | None = None

    def to_act(self):
        return () if self.winner else (AGENTS[self.turn % 2],)

    def returns(self):
        if self.winner is None:
            return {"black": 0.0, "white": 0.0}
        return {a: 1.0 if a == self.winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        cells = zip(squares(self.size), self.board, strict=True)
        return tuple([name for name, mark in cells if mark == EMPTY])

    def place(self, cell):
        side = self.turn % 2
        board = self.board[:cell] + STONES[side] + self.board[cell + 1 :]
        winner = AGENTS[side] if _joined(board, self.size, cell, side) else None
        return State(board, self.size, self.turn + 1, winner)


def _joined(board, size, cell, side):
    """Return whether the stones connected to a cell touch both edges of a side."""
    touching, stone = _touching(size), STONES[side]
    chain, pending = {cell}, [cell]
    while pending:
        for near in touching[pending.pop()]:
            if board[near] == stone and near not in chain:
                chain.add(near)
                pending.append(near)
    first_edge, second_edge = _edges(size)[side]
    return not (chain.isdisjoint(first_edge) or chain.isdisjoint(second_edge))


class Hex(Game[State]):
    agents = AGENTS
    moves: tuple[str, ...]
    zero_sum = True

    def __init__(self, size: int = 7):
        if not 2 <= size <= 19:
            raise ValueError(f"size={size}: expected 2 to 19")
        self.size = size
        self.moves = squares(size)

    def start(self, rng, options):
        return State(EMPTY * self.size**2, self.size)

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:  # a lost turn
            return state._replace(turn=state.turn + 1)
        return state.place(self.moves.index(move))

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        edges = {"black": "the top edge with the bottom edge", "white": "the left with the right"}
        last = squares(self.size)[-1]
        return (
            f"You are playing Hex as {agent} ({agent[0].upper()}); black begins. In turn you place "
            "a stone on a free cell, where it stays. An unbroken chain of your stones wins if it "
            f"joins {edges[agent]} (the other player: {edges[AGENTS[agent == 'black']]}). A cell "
            "touches six others: b2 touches a2, c2, b1, b3, c1 and a3, but neither a1 nor c3. "
            "There are no draws. Columns are lettered "
            f"from the left, rows numbered from the top: a1 is top left, {last} bottom right. "
            "Reply with the cell of your stone."
        )

    def describe(self, view, agent):
        return words(rows(view.board, view.size), slant=1)

    def picture(self, view, agent):
        columns, lines = labels(view.size)
        (mover,) = view.to_act() or ("",)
        return HexGrid(
            rows(view.board, view.size),
            TILES,
            columns,
            lines,
            (f"{mover} to move" if mover else f"{view.winner} wins",),
            edges=AGENTS,
            turn=STONES[AGENTS.index(mover or view.winner)],
        )

    def encode(self, view, agent):
        """Return three planes: own stones, the other's, free cells."""
        own_mark = STONES[AGENTS.index(agent)]
        cells = np.array(list(view.board)).reshape(view.size, view.size)
        planes = [cells == own_mark, (cells != own_mark) & (cells != EMPTY), cells == EMPTY]
        return np.stack(planes).astype(np.float32)


env, parallel_env, raw_env = make_env_functions(__name__)

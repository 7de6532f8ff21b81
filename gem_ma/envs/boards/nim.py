"""Nim: two agents take from heaps in turn; who takes the last object wins."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.envs.turns import to_act
from gem_ma.game import Game
from gem_ma.match.actions import choose
from gem_ma.scene import Grid, Tile

AGENTS = ("first", "second")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 40  # objects in a heap: as many as a picture has room for
TILES = (("o", Tile("disc", "blue", name="an object")), (".", Tile(name="nothing")))


class State(NamedTuple):
    heaps: tuple[int, ...]
    turn: int = 0

    def to_act(self):
        return (AGENTS[self.turn % 2],) if any(self.heaps) else ()

    def returns(self):
        if any(self.heaps):
            return {"first": 0.0, "second": 0.0}
        return {a: -1.0 if a == AGENTS[self.turn % 2] else 1.0 for a in AGENTS}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return _moves(self.heaps)

    def take(self, heap, many):
        heaps = list(self.heaps)
        heaps[heap] -= many
        return State(tuple(heaps), self.turn + 1)


class Nim(Game[State]):
    agents = AGENTS
    zero_sum = True

    def __init__(self, heaps: Sequence[int] = (3, 4, 5)):
        if not 1 <= len(heaps) <= len(LETTERS) or not all(1 <= n <= MOST for n in heaps):
            raise ValueError(f"heaps={heaps}: expected up to {len(LETTERS)} heaps of 1 to {MOST}")
        self.heaps = tuple(heaps)
        self.moves = _moves(self.heaps)

    def start(self, rng, options):
        return State(self.heaps)

    def read(self, text, view, agent):
        return choose(text.replace(" ", ""), view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move is None:  # a lost turn
            return State(state.heaps, state.turn + 1)
        return state.take(LETTERS.index(move[0]), int(move[1:]))

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            f"You are playing Nim as {agent}; first begins. There are heaps of objects, called "
            f"{', '.join(LETTERS[: len(self.heaps)])}. In turn you choose a heap and take one or "
            "more objects from it, as many as you like. Who takes the last object of all wins. "
            "Reply with the letter of the heap and how many you take: A2 takes two from heap A."
        )

    def describe(self, view, agent):
        return "\n".join(map(_line, LETTERS, view.heaps))

    def picture(self, view, agent):
        wide = max(self.heaps)
        rows = tuple([("o" * n).ljust(wide, ".") for n in view.heaps])
        return Grid(rows, TILES, lines=tuple(LETTERS[: len(rows)]), status=to_act(view))

    def encode(self, view, agent):
        """Return how many objects each heap has, one row for each, one-hot."""
        return np.eye(max(self.heaps) + 1, dtype=np.float32)[list(view.heaps)]


@functools.cache
def _line(name, n):
    """Return a heap in words."""
    return f"{name}: {n} {'o' * n}".strip()


@functools.lru_cache(1 << 12)
def _moves(heaps):
    return tuple(
        [f"{name}{k}" for name, n in zip(LETTERS, heaps, strict=False) for k in range(1, n + 1)]
    )

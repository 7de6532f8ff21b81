"""Nim: two agents take from heaps in turn; whoever takes the last object wins."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("first", "second")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 40  # most objects in a heap: as many as fit into a picture
BUNDLE = 5  # sticks are drawn in bundles of this size, for counting
MANY = 14  # with more heaps, names are staggered so that they do not touch


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
            raise ValueError(
                f"heaps={heaps}: expected 1 to {len(LETTERS)} heaps, each of 1 to {MOST}"
            )
        self.heaps = tuple(heaps)
        self.moves = _moves(self.heaps)

    def start(self, rng, options):
        return State(self.heaps)

    def read(self, text, view, agent):
        return parse_choice(text.replace(" ", ""), view.legal(agent))

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
        left, columns, spacing, high = _places(self.heaps)
        size = min(0.92 * high, 4 * spacing)
        labels: list[tuple[str, str, float, float, float]] = []
        items, lines, top = [], [], 0.0
        for letter, most, n in zip(LETTERS, self.heaps, view.heaps, strict=False):
            bottom = top + high * -(-most // columns)
            x = 0.08 if len(self.heaps) <= MANY else (0.06, 0.19)[len(labels) % 2]
            labels.append((f"{letter}:{n:2}", "", x, (top + bottom) / 2, 0.07))
            for i in range(most):  # a dot is left of each that was taken
                row, column = divmod(i, columns)
                x, y = (
                    left + spacing * (column + 0.5 + column // BUNDLE / 2),
                    top + high * (row + 0.5),
                )
                look = ("stick", "brown") if i < n else ("dot", "")
                items.append((*look, x, y, size if i < n else size / 3, 0.0))
            if len(self.heaps) <= MANY:
                lines.append(("gray", 0.0, bottom, 1.0, bottom, 0.003))
            top = bottom
        seat = AGENTS[view.turn % 2]
        caption = f"{seat} to move" if view.to_act() else f"{AGENTS[view.turn % 2 - 1]} wins"
        return Shapes(tuple(items), "", tuple(lines[:-1]), tuple(labels), (caption,))

    def encode(self, view, agent):
        """Return the number of objects in each heap, one row per heap, one-hot."""
        return np.eye(max(self.heaps) + 1, dtype=np.float32)[list(view.heaps)]


@functools.cache
def _places(heaps):
    """Return the layout of sticks: left edge, sticks in a row, their spacing, and row height."""
    left = 0.16 if len(heaps) <= MANY else 0.28
    layouts = []
    for columns in range(1, max(heaps) + 1):
        spacing = (1 - left) / (columns + (columns - 1) // BUNDLE / 2)
        high = 1 / sum(-(-n // columns) for n in heaps)
        layouts.append((min(high, 4 * spacing), columns % BUNDLE == 0, columns, spacing, high))
    return left, *max(layouts)[2:]


@functools.cache
def _line(name, n):
    """Return a heap as text."""
    return f"{name}: {n} {'o' * n}".strip()


@functools.lru_cache(1 << 12)
def _moves(heaps):
    return tuple(
        [f"{name}{k}" for name, n in zip(LETTERS, heaps, strict=False) for k in range(1, n + 1)]
    )


env, parallel_env, raw_env = make_env_functions(__name__)

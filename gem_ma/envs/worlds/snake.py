"""Snake for two: both snakes move at the same time, eat to grow, and lose if they crash."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("left", "right")
COLORS = {"left": "blue", "right": "red"}
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
MOVES = tuple(STEPS)
LENGTH = 3  # cells of a snake at the start
Cell = tuple[int, int]  # row, column


@dataclass(frozen=True, slots=True)
class State:
    size: int
    left: int  # steps left
    snakes: tuple[tuple[Cell, ...], ...]  # each from head to tail
    food: tuple[Cell, ...]
    crashed: tuple[bool, ...] = (False, False)

    def to_act(self):
        return AGENTS if self.left and not any(self.crashed) else ()

    def returns(self):
        if self.to_act():
            return dict.fromkeys(AGENTS, 0.0)
        mine, other = (
            (not has_crashed, len(snake))
            for has_crashed, snake in zip(self.crashed, self.snakes, strict=True)
        )
        reward = float((mine > other) - (mine < other))
        return dict(zip(AGENTS, (reward, 0.0 - reward), strict=True))

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return MOVES

    def heading(self, seat):
        """Return the move that continues straight ahead."""
        head, neck = self.snakes[seat][:2]
        step = head[0] - neck[0], head[1] - neck[1]
        return next(move for move, offset in STEPS.items() if offset == step)

    def goal(self, seat, move):
        """Return the next cell of a head; without a move or on a turn back, it goes straight."""
        down, right = STEPS[move or self.heading(seat)]
        row, column = self.snakes[seat][0]
        goal = row + down, column + right
        return goal if goal != self.snakes[seat][1] else self.goal(seat, None)

    def step(self, moves):
        """Move both; a snake crashes at a border, into a body, or into the other head."""
        goals = [self.goal(seat, moves.get(agent)) for seat, agent in enumerate(AGENTS)]
        bodies = [
            snake if goal in self.food else snake[:-1]
            for goal, snake in zip(goals, self.snakes, strict=True)
        ]
        occupied_cells = {*bodies[0], *bodies[1]}
        crashes = tuple(
            [
                goal in occupied_cells
                or goals[0] == goals[1]
                or not all(0 <= n < self.size for n in goal)
                for goal in goals
            ]
        )
        snakes = tuple(
            [
                snake if has_crashed else (goal, *body)
                for snake, goal, body, has_crashed in zip(
                    self.snakes, goals, bodies, crashes, strict=True
                )
            ]
        )
        food = tuple([cell for cell in self.food if cell not in goals])
        return replace(self, left=self.left - 1, snakes=snakes, food=food, crashed=crashes)

    def fed(self, rng, many):
        """Return the state with food added on random free cells, up to `many` pieces."""
        occupied_cells = {*self.food, *self.snakes[0], *self.snakes[1]}
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        free_cells = [cell for cell in cells if cell not in occupied_cells]
        food = list(self.food)
        while len(food) < many and free_cells:
            food.append(free_cells.pop(int(rng.integers(len(free_cells)))))
        return replace(self, food=tuple(food))


class Snake(Game[State]):
    agents = AGENTS
    moves = MOVES
    simultaneous = True
    zero_sum = True
    realtime = True

    def __init__(self, size: int = 9, food: int = 2, max_turns: int = 100):
        if not 6 <= size <= 20:
            raise ValueError(f"size={size}: expected 6 to 20 cells")
        if not 1 <= food <= size or max_turns < 1:
            raise ValueError(
                f"food={food}, max_turns={max_turns}: expected food 1 to {size}, max_turns at "
                "least 1"
            )
        self.size, self.food, self.max_turns = size, food, max_turns

    def start(self, rng, options):
        """Place the snakes at two sides, equally far from the middle and facing it."""
        row = int(rng.integers(1, self.size - 1))
        last = self.size - 1
        left = tuple([(row, column) for column in reversed(range(LENGTH))])
        right = tuple([(last - row, last - column) for _, column in left])
        return State(self.size, self.max_turns, (left, right), ()).fed(rng, self.food)

    def read(self, text, view, agent):
        return parse_choice(text, MOVES)

    def advance(self, state, moves, rng):
        return state.step(moves).fed(rng, self.food)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        return ()  # the view shows the snakes

    def rules(self, agent):
        last = _name((self.size - 1, self.size - 1))
        return (
            f"You are playing Snake as {agent}, against the other snake, on a board of {self.size} "
            f"x {self.size} cells: A1 is top left, {last} bottom right. Both snakes move one cell "
            "at the same time, the head in front; one that eats grows by a cell, because its tail "
            "stays where it is, and new food appears. A snake crashes when its head leaves the "
            "board, gets to a cell where a snake is after the step (a tail that moves on is out of "
            "the way), or gets to the cell of the other's head. Then the game is over, and who "
            f"crashed has lost; if both did, or neither within {self.max_turns} steps, the longer "
            "snake wins. A win is 1, a loss -1, a draw 0. On the map L and R are the heads, l and "
            "r the bodies of left and right, and * is food. Reply with up, down, left or right; a "
            "snake that is told to turn back goes straight on."
        )

    def describe(self, view, agent):
        rows = [["."] * self.size for _ in range(self.size)]
        for row, column in view.food:
            rows[row][column] = "*"
        for seat, snake in zip(AGENTS, view.snakes, strict=True):
            for place, (row, column) in enumerate(snake):
                rows[row][column] = seat[0] if place else seat[0].upper()
        letters = "   " + " ".join(_letter(column) for column in range(self.size))
        board = [f"{number:2} {' '.join(row)}" for number, row in enumerate(rows, 1)]
        bodies = [
            f"{seat}, from its head: {' '.join(map(_name, snake))}"
            for seat, snake in zip(AGENTS, view.snakes, strict=True)
        ]
        return "\n".join([letters, *board, *bodies, *self.status(view)])

    def status(self, view):
        lengths = ", ".join(
            f"{seat} {len(snake)}{' (crashed)' * has_crashed}"
            for seat, snake, has_crashed in zip(AGENTS, view.snakes, view.crashed, strict=True)
        )
        return f"Lengths: {lengths}", f"Steps left: {view.left}"

    def picture(self, view, agent):
        """Draw the snakes as tapering ribbons, with a letter on the head."""
        side = 1 / (self.size + 1)  # of a cell; labels take the first row and column
        lines = []
        for i in range(1, self.size + 2):
            at = min(i * side, 1.0)
            lines += [("gray", at, side, at, 1.0, 0.003), ("gray", side, at, 1.0, at, 0.003)]
        labels = []
        for i in range(self.size):
            at = (i + 1.5) * side
            labels.append((_letter(i), "", at, 0.5 * side, 0.6 * side))
            labels.append((str(i + 1), "", 0.5 * side, at, 0.6 * side))
        items = []
        for cell in view.food:
            x, y = _middle(cell, side)
            items.append(("disc", "green", x, y, 0.62 * side, 0.0))
        for seat, snake in zip(AGENTS, view.snakes, strict=True):
            lines += _ribbon(snake, side, COLORS[seat])
            labels.append((seat[0].upper(), "white", *_middle(snake[0], side), 0.72 * side))
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), self.status(view))

    def encode(self, view, agent):
        """Return five planes: own head and body, the other's, food; bodies fade to the tail."""
        planes = np.zeros((5, self.size, self.size), np.float32)
        seat = AGENTS.index(agent)
        for first, snake in ((0, view.snakes[seat]), (2, view.snakes[1 - seat])):
            planes[first][snake[0]] = 1
            for place, cell in enumerate(snake):
                planes[first + 1][cell] = 1 - place / len(snake)
        for cell in view.food:
            planes[4][cell] = 1
        return planes


def _ribbon(snake, side, color):
    """Return the lines of a body, from the tail to the head."""
    places = [_middle(cell, side) for cell in snake]
    lines, last = [], max(len(snake) - 1, 1)
    for i in reversed(range(len(snake) - 1)):
        width = side * (0.72 - 0.36 * i / last)
        lines.append((color, *places[i + 1], *places[i], width))
    return [*lines, (color, *places[0], *places[0], 0.88 * side)]


def _middle(cell, side):
    return (cell[1] + 1.5) * side, (cell[0] + 1.5) * side


def _letter(column):
    return chr(65 + column)


def _name(cell):
    return f"{_letter(cell[1])}{cell[0] + 1}"


env, parallel_env, raw_env = make_env_functions(__name__)

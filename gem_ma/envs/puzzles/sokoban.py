"""Sokoban: one agent pushes boxes onto goals; a box can be pushed, but never pulled."""

import itertools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.difficulty_levels import fill_levels, sample_level
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, parse_choice
from gem_ma.scene import Grid, Tile

AGENT = "player"
MOVES = ("up", "down", "left", "right")
WALL, FLOOR, GOAL, BOX, STORED, PLAYER, ON_GOAL = SYMBOLS = "#-.$*@+"
TILES = (
    (WALL, Tile(ground="wall", name="wall (#)")),
    (FLOOR, Tile(name="floor (-)")),
    (GOAL, Tile("goal", "red", "yellow", name="goal (.)")),
    (BOX, Tile("square", "orange", name="box ($)")),
    (STORED, Tile("square", "green", "yellow", name="box on a goal (*)")),
    (PLAYER, Tile("person", "blue", name="you (@)")),
    (ON_GOAL, Tile("person", "blue", "yellow", name="you on a goal (+)")),
)
LEFT = {PLAYER: FLOOR, ON_GOAL: GOAL}  # the cell after the player has left
ENTERED = {FLOOR: PLAYER, BOX: PLAYER, GOAL: ON_GOAL, STORED: ON_GOAL}
PUSHED = {FLOOR: BOX, GOAL: STORED}  # the cell after a box was pushed to it
FREE = tuple(PUSHED)
RANDOM = (((6, 6), 2, 20), ((8, 8), 5, 50))  # size, boxes and turns, drawn for None
ROOM = 5, 12  # fewest and most rows and columns
CROWDED = 5  # fewest inner cells for each box
EFFORT = 12  # most moves per box of a solution; the limit of turns must allow half as many
PATIENCE = 20  # after each such number of tries, the solution may be one move shorter


def steps(width):
    """Return how far each move goes in a board that is one string of rows."""
    return -width, width, -1, 1


class State(NamedTuple):
    board: str  # row by row, surrounded by walls
    width: int
    left: int  # turns left

    def to_act(self):
        return (AGENT,) if self.left and BOX in self.board else ()

    def returns(self):
        if self.left and BOX in self.board:
            return {AGENT: 0.0}
        stored_boxes = self.board.count(STORED)
        return {AGENT: stored_boxes / (stored_boxes + self.board.count(BOX))}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def player(self):
        return max(self.board.find(PLAYER), self.board.find(ON_GOAL))

    def legal(self, agent):
        board, player, moves = self.board, self.player(), []
        for move, step in zip(MOVES, steps(self.width), strict=True):
            target = board[player + step]
            if target in FREE or (target != WALL and board[player + 2 * step] in FREE):
                moves.append(move)
        return tuple(moves)

    def walk(self, move):
        if move is None:  # a lost turn
            return self._replace(left=self.left - 1)
        player, step = self.player(), steps(self.width)[MOVES.index(move)]
        to, beyond, board = player + step, player + 2 * step, list(self.board)
        if board[to] in (BOX, STORED):
            board[beyond] = PUSHED[board[beyond]]
        board[to] = ENTERED[board[to]]
        board[player] = LEFT[board[player]]
        return State("".join(board), self.width, self.left - 1)


def room(rng, size, boxes, turns):
    """Return a board and a solution of at most `turns` moves.

    The board is made backwards: boxes are pulled away from the goals, which gives the solution.
    """
    longest = min(turns, EFFORT * boxes)
    for tries in itertools.count():
        floor = _carved(rng, *size)
        if len(floor) < 3 * (boxes + 1):
            continue
        cells = rng.permutation(sorted(floor)).tolist()
        goals = frozenset(cells[:boxes])
        at, player, solution = _pulled(rng, floor, goals, cells[boxes], size[1], longest)
        if len(solution) >= max(1, longest // 2 - tries // PATIENCE):
            break
    marks = {
        **dict.fromkeys(floor, FLOOR),
        **dict.fromkeys(goals, GOAL),
        **dict.fromkeys(at, BOX),
        player: ON_GOAL if player in goals else PLAYER,
    }
    board = "".join([marks.get(cell, WALL) for cell in range(size[0] * size[1])])
    return board, solution


def _carved(rng, height, width):
    """Return the largest connected area of a floor with random walls."""
    share = rng.uniform(0.1, 0.35)
    inner = [row * width + col for row in range(1, height - 1) for col in range(1, width - 1)]
    free_cells = {cell for cell, u in zip(inner, rng.random(len(inner)), strict=True) if u > share}
    parts: list[set[int]] = [set()]
    while free_cells:
        parts.append(set(_ways(free_cells, min(free_cells), width)))
        free_cells -= parts[-1]
    return max(parts, key=len)


def _ways(free, start, width):
    """Return for each reachable cell the cell before it and the move from there."""
    predecessors: dict[int, tuple[int, int] | None] = {start: None}
    queue = [start]
    for cell in queue:
        for number, step in enumerate(steps(width)):
            if cell + step in free and cell + step not in predecessors:
                predecessors[cell + step] = cell, number
                queue.append(cell + step)
    return predecessors


def _pulled(rng, floor, goals, player, width, longest):
    """Pull boxes at random; return the last boxes and player with no box on a goal, and the way.

    No arrangement of boxes occurs twice, because boxes would otherwise be pulled back and forth.
    """
    at, last, seen = goals, None, {goals}
    path: list[int] = []
    result: tuple[frozenset[int], int, list[str]] = (goals, player, [])
    while True:
        predecessors, pulls = _ways(floor - at, player, width), []
        for box in sorted(at):
            for number, step in enumerate(steps(width)):
                box_cell, player_cell = box + step, box + 2 * step
                if box_cell in predecessors and player_cell in floor and player_cell not in at:
                    new_boxes = at - {box} | {box_cell}
                    if new_boxes not in seen:
                        weight = (3 if box in goals else 1) * (2 if box == last else 1)
                        pulls.append(
                            (weight * rng.random(), box_cell, player_cell, number, new_boxes)
                        )
        if not pulls:
            return result
        _, last, player, number, at = max(pulls)
        walk, cell = [number], last
        while predecessors[cell] and path:  # at the end of the solution the player need not walk on
            cell, previous = predecessors[cell]
            walk.append(previous)
        path += reversed(walk)
        if len(path) > longest:
            return result
        seen.add(at)
        if not at & goals:
            result = at, player, [MOVES[number ^ 1] for number in reversed(path)]


class Sokoban(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(
        self,
        dim_room: tuple[int, int] | None = (6, 6),
        num_boxes: int | None = 3,
        max_turns: int | None = 100,
    ):
        if dim_room is not None and len(dim_room) != 2:
            raise ValueError(f"dim_room={dim_room!r}: expected a height and a width, or None")
        room = dim_room and tuple(dim_room)  # JSON has lists
        self.levels = fill_levels(RANDOM, room, num_boxes, max_turns)
        for (height, width), boxes, turns in self.levels:
            if not ROOM[0] <= min(height, width) <= max(height, width) <= ROOM[1]:
                raise ValueError(
                    f"dim_room={room}: expected {ROOM[0]} to {ROOM[1]} for height and width"
                )
            maximum = (height - 2) * (width - 2) // CROWDED
            if not 1 <= boxes <= maximum:
                raise ValueError(
                    f"num_boxes={boxes}: expected 1 to {maximum} in a room of {height} x {width}"
                )
            least = EFFORT // 2 * boxes
            if turns < least:
                raise ValueError(f"max_turns={turns}: expected at least {least} for {boxes} boxes")
        self.turns = max(turns for *_, turns in self.levels)
        self.size = tuple(max(size[i] for size, *_ in self.levels) for i in range(2))

    def start(self, rng, options):
        size, boxes, turns = sample_level(rng, self.levels)
        return State(room(rng, size, boxes, turns)[0], size[1], turns)

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        return state.walk(moves[AGENT])

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You are playing Sokoban. Push every box onto a goal within the turns you have; any "
            "box may go to any goal. A turn takes you one cell up, down, left or right. You push a "
            "box by walking into it, if the cell behind it has neither wall nor box; boxes cannot "
            "be pulled. In words # is a wall, - floor, . a goal, $ a box, * a box on a goal, @ "
            "you, + you on a goal. When all boxes are on goals you get 1; if the turns run out, "
            "the share of boxes that are. Reply with up, down, left or right."
        )

    def tell(self, before, moves, after):
        return ()  # the view shows everything

    def describe(self, view, agent):
        return "\n".join([*_rows(view), f"Turns left: {view.left}."])

    def picture(self, view, agent):
        return Grid(_rows(view), TILES, status=(f"Turns left: {view.left}",))

    def encode(self, view, agent):
        """Return a plane for each symbol, padded with walls, and a plane of the turns left."""
        rows = [row.ljust(self.size[1], WALL) for row in _rows(view)]
        rows += [WALL * self.size[1]] * (self.size[0] - len(rows))
        cells = np.array([list(row) for row in rows])
        turns = np.full((1, *self.size), view.left / self.turns)
        return np.concatenate([[cells == symbol for symbol in SYMBOLS], turns]).astype(np.float32)


def _rows(view):
    board, width = view.board, view.width
    return tuple([board[i : i + width] for i in range(0, len(board), width)])


env, parallel_env, raw_env = make_env_functions(__name__)

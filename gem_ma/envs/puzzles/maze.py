"""Maze: one agent walks to the exit; there is only one way, and the sight can be limited."""

from typing import NamedTuple

import numpy as np

from gem_ma.engine.action_parsing import format_options
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.maze_generation import FREE, WALL, generate_maze
from gem_ma.game import Game, InvalidMove, parse_choice
from gem_ma.scene import Grid, Tile

AGENT = "player"
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
MOVES = tuple(STEPS)
MOST = 41  # symbols in a row of the largest maze
EXIT, HERE, ARRIVED, UNSEEN = "E@*?"
TILES = (
    (WALL, Tile(ground="wall", name="a wall")),
    (FREE, Tile(ground="floor", name="free")),
    (EXIT, Tile("flag", "green", "floor", name="the exit")),
    (HERE, Tile("person", "red", "floor", name="you")),
    (ARRIVED, Tile("person", "red", "green", name="you, at the exit")),
    (UNSEEN, Tile(ground="outside", name="outside the maze")),
)


class State(NamedTuple):
    maze: tuple[str, ...]  # rows; cells have odd coordinates, walls and gaps even ones
    left: int  # moves left
    at: tuple[int, int] = (1, 1)
    sight: int | None = None  # how far the player sees, in symbols of the map; None: everything

    def to_act(self):
        return (AGENT,) if self.left and not self.arrived() else ()

    def arrived(self):
        return self.maze[self.at[0]][self.at[1]] == EXIT

    def returns(self):
        return {AGENT: float(self.arrived())}

    def seen_by(self, agent):
        """Return the view, in which the map is blank beyond the sight of the player."""
        if self.sight is None:
            return self
        (row, column), far, wide = self.at, self.sight, len(self.maze)
        left, right = max(column - far, 0), min(column + far + 1, wide)
        blank, padding_left, padding_right = UNSEEN * wide, UNSEEN * left, UNSEEN * (wide - right)
        maze = [
            padding_left + line[left:right] + padding_right if abs(y - row) <= far else blank
            for y, line in enumerate(self.maze)
        ]
        return State(tuple(maze), self.left, self.at, far)

    def legal(self, agent):
        row, column = self.at
        maze = self.maze
        return tuple([m for m, (dy, dx) in STEPS.items() if maze[row + dy][column + dx] != WALL])

    def go(self, move):
        """Walk through a gap to the next cell."""
        down, right = STEPS.get(move, (0, 0))  # (0, 0) for a lost turn
        at = self.at[0] + 2 * down, self.at[1] + 2 * right
        return State(self.maze, self.left - 1, at, self.sight)

    def rows(self, agent):
        """Return the map with the player; if sight is limited, only what the player sees."""
        (row, column), far = self.at, self.sight
        rows, symbol = list(self.maze), ARRIVED if self.arrived() else HERE
        rows[row] = rows[row][:column] + symbol + rows[row][column + 1 :]
        if agent is None or far is None:
            return tuple(rows)
        outside, above = UNSEEN * far, [UNSEEN * (len(rows) + 2 * far)] * far
        padded_map = [*above, *(outside + line + outside for line in rows), *above]
        return tuple([line[column:][: 2 * far + 1] for line in padded_map[row:][: 2 * far + 1]])

    def status(self):
        lines = (f"Moves left: {self.left}",)
        if self.sight is None:
            return lines
        row, column = self.at
        return f"You are in row {row // 2 + 1}, column {column // 2 + 1}", *lines


class Maze(Game[State]):
    agents = (AGENT,)
    moves = MOVES

    def __init__(self, size: int = 6, max_turns: int | None = None, sight: int | None = None):
        if not 2 <= size <= 20:
            raise ValueError(f"size={size}: expected 2 to 20 cells")
        if sight is not None and not 1 <= sight <= MOST:
            raise ValueError(f"sight={sight}: expected 1 to {MOST}, or None to see everything")
        enough = 2 * size**2  # enough to visit every cell and walk back
        if max_turns is not None and max_turns < size**2:
            raise ValueError(
                f"max_turns={max_turns}: expected at least {size**2}, for the longest way with "
                f"size={size}"
            )
        self.size, self.sight = size, sight
        self.max_turns = enough if max_turns is None else max_turns

    def start(self, rng, options):
        maze, _ = generate_maze(rng, self.size)
        maze[-2][-2] = EXIT
        rows = tuple(["".join(line) for line in maze])
        return State(rows, self.max_turns, sight=self.sight)

    def read(self, text, view, agent):
        move = parse_choice(text, MOVES)
        legal = view.legal(agent)
        if move not in legal:
            raise InvalidMove(f"there is a wall {_where(move)}; you can go {format_options(legal)}")
        return move

    def advance(self, state, moves, rng):
        return state.go(moves[AGENT])

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        return ()  # the view shows the player

    def rules(self, agent):
        short = ""
        if self.sight is not None:
            short = (
                f"You see only what is at most {self.sight} symbols of the map away from you, "
                "across and down, with you in the middle, and not what you saw before; ? is "
                f"outside the maze, which has {self.size} rows and columns of cells. "
            )
        return (
            "You are playing Maze: walk from the top left cell to the exit, in the bottom right "
            "cell, within the moves you have. On the map, # is a wall, . is free, E is the exit "
            "and @ is you; * is you at the exit. A move takes you through a gap between walls to "
            "the next cell, two symbols further on the map, and you cannot walk into walls. There "
            f"is exactly one way. {short}Reply with up, down, left or right."
        )

    def describe(self, view, agent):
        return "\n".join([*view.rows(agent), *view.status()])

    def picture(self, view, agent):
        return Grid(view.rows(agent), TILES, status=view.status())

    def encode(self, view, agent):
        """Return four planes: walls, free places, the exit, the player."""
        marks = np.array([list(line) for line in view.rows(agent)])
        planes = [marks == WALL, marks == FREE, (marks == EXIT) | (marks == ARRIVED)]
        return np.stack([*planes, (marks == HERE) | (marks == ARRIVED)]).astype(np.float32)


def _where(move):
    return {"up": "above you", "down": "below you"}.get(move, f"to your {move}")


env, parallel_env, raw_env = make_env_functions(__name__)

"""Mazes as rows of symbols: cells have odd coordinates, walls and gaps between them even ones."""

from gem_ma.envs.maze_generation import FREE, WALL
from gem_ma.envs.visual.question import LETTERS
from gem_ma.scene import Tile

HERE, GOAL = "@*"
TILES = (
    (WALL, Tile(ground="wall", name="a wall (#)")),
    (FREE, Tile(ground="floor", name="free (.)")),
    (HERE, Tile("person", "red", "floor", name="the person (@)")),
    (GOAL, Tile("flag", "green", "floor", name="the goal (*)")),
    *((letter, Tile(ground="floor", text=letter)) for letter in LETTERS),
)


def put(maze, cell, symbol):
    """Put a symbol on a cell, in place."""
    maze[2 * cell[0] + 1][2 * cell[1] + 1] = symbol


def rows(maze):
    return tuple(["".join(line) for line in maze])

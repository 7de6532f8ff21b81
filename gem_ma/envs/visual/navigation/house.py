"""Houses: mazes and rooms of square cells with thin walls, and how to walk in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gem_ma.envs.maze_generation import FREE, WALL, generate_maze

DOORWAY, DOOR = "+E"  # an opening with a frame; a closed door, which ends the walk
WAYS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (down, right)
WAY_NAMES = ("north", "east", "south", "west")
FORWARD, BACK, LEFT, RIGHT = STEPS = ("forward", "back", "left", "right")
ROOM_COLORS = ("red", "blue", "green", "yellow", "purple", "orange", "white", "brown", "gray")
THING_COLORS = ("red", "blue", "green", "yellow", "purple")
FIGURES = {  # name -> figure
    "ball": "ball",
    "box": "square",
    "key": "key",
    "star": "star",
    "heart": "heart",
    "hat": "hat",
}
EXTRA_DOORWAYS = 3  # one of so many pairs of neighbouring rooms has a doorway in addition

Cell = tuple[int, int]


class Thing(NamedTuple):
    """Something that stands in the middle of a cell."""

    name: str
    color: str
    cell: Cell

    def __str__(self) -> str:
        return f"{self.color} {self.name}"


class Pose(NamedTuple):
    """Where someone is, and the number of the way in WAYS in which it looks."""

    cell: Cell
    facing: int


class House(NamedTuple):
    """A plan, the wall colours of its rooms, and what stands in it.

    Attributes:
        rows: The plan. Cells have odd coordinates and the letter of their room; the symbols
            between two cells say what separates them.
        colors: The colour of each room, in the order of the letters.
        things: What stands in cells. Nobody can walk through a thing.
    """

    rows: tuple[str, ...]
    colors: tuple[str, ...]
    things: tuple[Thing, ...] = ()

    def side(self, cell: Cell, way: int) -> str:
        """Return what is at the side of a cell."""
        down, right = WAYS[way]
        return self.rows[2 * cell[0] + 1 + down][2 * cell[1] + 1 + right]

    def color(self, cell: Cell) -> str:
        """Return the wall colour of the room of a cell."""
        return self.colors[ord(self.rows[2 * cell[0] + 1][2 * cell[1] + 1]) - ord("a")]

    def cells(self) -> list[Cell]:
        return [(r, c) for r in range(len(self.rows) // 2) for c in range(len(self.rows[0]) // 2)]

    def thing(self, cell: Cell) -> Thing | None:
        return next((one for one in self.things if one.cell == cell), None)

    def thing_ahead(self, pose: Pose) -> Thing | None:
        """Return the thing in the cell before someone, if no wall is between."""
        is_seen = self.side(*pose) in (FREE, DOORWAY)
        return self.thing(step(*pose)) if is_seen else None

    def is_open(self, cell: Cell, way: int) -> bool:
        """Return whether one can walk from a cell to the next one."""
        side = self.side(cell, way)
        return side in (FREE, DOORWAY) and self.thing(step(cell, way)) is None

    def walk(self, pose: Pose, move: str | None) -> Pose:
        """Return the pose after a move; walls and things stop a step."""
        cell, facing = pose
        if move in (LEFT, RIGHT):
            return Pose(cell, (facing + (1 if move == RIGHT else 3)) % 4)
        if move not in (FORWARD, BACK):
            return pose
        way = facing if move == FORWARD else (facing + 2) % 4
        return Pose(step(cell, way), facing) if self.is_open(cell, way) else pose

    def measure(self, start: Cell) -> dict[Cell, int]:
        """Return how many steps each cell is away that one can get to."""
        far = {start: 0}
        for cell in (cells := [start]):  # which grows meanwhile
            for way in range(4):
                if self.is_open(cell, way) and (after := step(cell, way)) not in far:
                    far[after] = far[cell] + 1
                    cells.append(after)
        return far

    def find_moves(self, start: Pose, goals: Iterable[Pose]) -> list[str]:
        """Return the fewest moves from one pose to any of several."""
        found: dict[Pose, tuple[Pose, str] | None] = {start: None}
        wanted = set(goals)
        for pose in (poses := [start]):  # which grows meanwhile
            if pose in wanted:
                moves = []
                while (before := found[pose]) is not None:
                    pose, move = before
                    moves.append(move)
                return moves[::-1]
            for move in STEPS:
                if (after := self.walk(pose, move)) not in found:
                    found[after] = pose, move
                    poses.append(after)
        raise ValueError(f"no way leads from {start} to {sorted(wanted)}")

    def poses_before(self, cell: Cell) -> list[Pose]:
        """Return the poses from which one looks at a cell next to it."""
        return [
            Pose(step(cell, (way + 2) % 4), way)
            for way in range(4)
            if self.side(cell, (way + 2) % 4) in (FREE, DOORWAY)
        ]

    def poses_before_doors(self) -> list[Pose]:
        return [Pose(c, way) for c in self.cells() for way in range(4) if self.side(c, way) == DOOR]


def poses_in(cell: Cell) -> list[Pose]:
    """Return the poses in a cell, one for each way one may look."""
    return [Pose(cell, way) for way in range(4)]


def step(cell: Cell, way: int) -> Cell:
    """Return the next cell in a way."""
    return cell[0] + WAYS[way][0], cell[1] + WAYS[way][1]


def build_maze(rng, size, loops=0):
    """Return a maze of size x size cells; each of its quarters has walls of another colour."""
    maze, _ = generate_maze(rng, size)
    _open_sides(rng, maze, loops)
    half = (size + 1) // 2
    for row in range(size):
        for column in range(size):
            maze[2 * row + 1][2 * column + 1] = "abcd"[2 * (row >= half) + (column >= half)]
    return House(_join(maze), _draw_colors(rng, 4))


def build_rooms(rng, across, size):
    """Return across x across rooms of size x size cells, each with walls of another colour."""
    links, _ = generate_maze(rng, across)
    side = across * size
    plan = [[FREE] * (2 * side + 1) for _ in range(2 * side + 1)]
    wide = 2 * size
    for row in range(2 * side + 1):
        for column in range(2 * side + 1):
            if row % wide == 0 or column % wide == 0:
                plan[row][column] = WALL
            if row % 2 and column % 2:
                plan[row][column] = chr(97 + row // wide * across + column // wide)
    for row in range(across):
        for column in range(across):
            for down, right in ((1, 0), (0, 1)):
                if row + down < across and column + right < across:
                    is_linked = links[2 * row + 1 + down][2 * column + 1 + right] == FREE
                    place, more = rng.integers(size), rng.integers(EXTRA_DOORWAYS)
                    if is_linked or not more:
                        at = int(2 * place + 1)
                        r = wide * (row + 1) if down else wide * row + at
                        c = wide * (column + 1) if right else wide * column + at
                        plan[r][c] = DOORWAY
    return House(_join(plan), _draw_colors(rng, across * across))


def add_door(rng, house, least, start):
    """Return the house with a door in its border, at least so many steps from a cell."""
    far = house.measure(start)
    last = len(house.rows) // 2 - 1
    taken = {pose.cell for pose in house.poses_before_doors()}
    sides = [
        (cell, way)
        for cell in house.cells()
        for way, wall in enumerate((cell[0] == 0, cell[1] == last, cell[0] == last, cell[1] == 0))
        if wall and house.side(cell, way) == WALL and cell not in taken
    ]
    longest = max(far[cell] for cell, _ in sides)
    sides = [(cell, way) for cell, way in sides if far[cell] >= min(least, longest)]
    cell, way = sides[int(rng.integers(len(sides)))]
    rows = [list(row) for row in house.rows]
    rows[2 * cell[0] + 1 + WAYS[way][0]][2 * cell[1] + 1 + WAYS[way][1]] = DOOR
    return house._replace(rows=_join(rows))


def add_things(rng, house, names, taken=()):
    """Return the house with (name, color) pairs in cells of which none blocks a way."""
    cells = [cell for cell in house.cells() if cell not in taken]
    rest = [cells[i] for i in rng.permutation(len(cells)).tolist()]
    for name, color in names:
        for cell in rest:
            after = house._replace(things=(*house.things, Thing(name, color, cell)))
            if _is_whole(after):
                house = after
                rest.remove(cell)
                break
    return house


def _is_whole(house):
    """Return whether all cells without a thing are connected, and each thing can be reached."""
    blocked = {thing.cell for thing in house.things}
    free = [cell for cell in house.cells() if cell not in blocked]
    return len(house.measure(free[0])) == len(free) and all(
        any(pose.cell not in blocked for pose in house.poses_before(cell)) for cell in blocked
    )


def _open_sides(rng, maze, many):
    last = len(maze) - 1
    walls = [
        (r, c)
        for r in range(1, last)
        for c in range(1, last)
        if r % 2 != c % 2 and maze[r][c] == WALL
    ]
    for i in rng.permutation(len(walls))[:many].tolist():
        maze[walls[i][0]][walls[i][1]] = FREE


def _draw_colors(rng, many):
    order = rng.permutation(max(many, 6))[:many].tolist()  # the clearest colours first
    return tuple([ROOM_COLORS[i] for i in order])


def _join(rows):
    return tuple(["".join(row) for row in rows])

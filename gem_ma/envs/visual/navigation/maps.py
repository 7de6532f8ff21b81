"""Maps: a house from above, as a scene and as rows of symbols."""

from gem_ma.envs.maze_generation import FREE, WALL
from gem_ma.envs.visual.navigation.house import DOOR, DOORWAY, FIGURES, WAYS
from gem_ma.envs.visual.navigation.sight import DOOR_COLOR
from gem_ma.scene import Shapes

MARGIN, THICK, DOOR_THICK = 0.03, 0.012, 0.03
STRIP = 0.4  # width of the strip in the colour of a room along its walls, in halves of a cell
OPENING = 0.5  # half width of a doorway, in halves of a cell


def draw_map(house, people=(), goal=None, status=()):
    """Return the map, in which each room has a strip in its colour along its walls.

    Args:
        house: The house.
        people: (color, pose) of each, drawn as an arrow.
        goal: A cell that is marked with a flag, or None.
        status: Lines below the map.
    """
    half = (1 - 2 * MARGIN) / (len(house.rows) - 1)

    def place(row, column):  # of a symbol of the plan
        return MARGIN + column * half, MARGIN + row * half

    def put(figure, color, cell, degrees=0.0):
        x, y = place(2 * cell[0] + 1, 2 * cell[1] + 1)
        return figure, color, x, y, 1.1 * half, degrees

    items = [put(FIGURES[thing.name], thing.color, thing.cell) for thing in house.things]
    items += [put("flag", "orange", goal)] if goal is not None else []
    items += [put("arrow", color, pose.cell, 90.0 * pose.facing) for color, pose in people]
    areas = (*_cover_cells(house, place), *_cover_doorways(house, place))
    lines = _draw_walls(house, place)
    return Shapes(tuple(items), lines=lines, status=tuple(status), areas=areas)


def _cover_cells(house, place):
    """Yield each cell in the colour of its room, and its floor, up to the strips at its walls."""
    for cell in house.cells():
        for is_floor in (False, True):
            north, east, south, west = (
                STRIP if is_floor and house.side(cell, way) != FREE else 0.0
                for way in range(len(WAYS))
            )
            top, left = 2 * cell[0], 2 * cell[1]
            start, end = place(top + north, left + west), place(top + 2 - south, left + 2 - east)
            yield "floor" if is_floor else house.color(cell), _list_corners(start, end)


def _cover_doorways(house, place):
    for row, column in _find_symbols(house, DOORWAY):
        down, right = (OPENING, STRIP) if row % 2 else (STRIP, OPENING)
        start, end = place(row - down, column - right), place(row + down, column + right)
        yield "floor", _list_corners(start, end)


def _draw_walls(house, place):
    """Return the lines of walls, and of doors over them."""
    lines = []
    for symbol, color, thick in ((WALL, "", THICK), (DOOR, DOOR_COLOR, DOOR_THICK)):
        for row, column in _find_symbols(house, symbol):
            if row % 2 != column % 2:
                down, right = (1, 0) if row % 2 else (0, 1)
                ends = place(row - down, column - right), place(row + down, column + right)
                lines.append((color, *ends[0], *ends[1], thick))
    return tuple(lines)


def _find_symbols(house, wanted):
    return [
        (row, column)
        for row, symbols in enumerate(house.rows)
        for column, symbol in enumerate(symbols)
        if symbol == wanted
    ]


def _list_corners(start, end):
    (left, top), (right, bottom) = start, end
    return (left, top), (right, top), (right, bottom), (left, bottom)


def tell_map(house, people=(), goal=None):
    """Return the rows of the map, and what stands in it; `people` are (name, pose)."""
    rows = [list(row) for row in house.rows]
    rooms = sorted({symbol for row in rows for symbol in row if symbol.islower()})
    told = [f"{house.colors[ord(room) - ord('a')]} walls: {room}" for room in rooms]
    told += [f"{thing}: {tell_cell(thing.cell)}" for thing in house.things]
    if goal is not None:
        told.append(f"the flag: {tell_cell(goal)}")
    for name, (cell, facing) in people:
        told.append(
            f"{name}: {tell_cell(cell)}, looks {('north', 'east', 'south', 'west')[facing]}"
        )
    return "\n".join([*map("".join, rows), *told])


def tell_cell(cell):
    return f"row {cell[0] + 1}, column {cell[1] + 1}"

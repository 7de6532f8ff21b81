"""What can be seen from a cell: sides of cells and things, by cones of sight, and in words."""

from __future__ import annotations

import functools
from typing import NamedTuple

from gem_ma.envs.maze_generation import FREE
from gem_ma.envs.visual.navigation.house import (
    DOOR,
    DOORWAY,
    FIGURES,
    WAYS,
    Cell,
    House,
    Pose,
)
from gem_ma.scene.first_person import BEHIND, DOOR_EDGE, SIGHT, FirstPerson, SeenThing, SeenWall

DOOR_COLOR = "green"
KINDS = {DOORWAY: "doorway", DOOR: "door"}
CLEAR = 0.008  # width of a cone, at distance 1, from which on a side is told: a pixel of 252
OPEN, UNSEEN = "open", "unseen"
PERSON = "person"
HALF = 0.2  # half width of a thing, in cells


class Sight(NamedTuple):
    """What is seen from a pose.

    Attributes:
        walls: The visible sides of cells that are not open.
        things: What is visible: a name, a colour, cells ahead, cells to the right.
        lines: What is at each cell straight ahead: its left, its right and its front side.
        odd: Whether the tile of the own cell is a dark one.
    """

    walls: tuple[SeenWall, ...]
    things: tuple[tuple[str, str, int, int], ...]
    lines: tuple[tuple[str, str, str], ...]
    odd: bool

    def scene(self, status: tuple[str, ...] = ()) -> FirstPerson:
        things = [
            SeenThing(FIGURES.get(name, name), color, depth, across, 0.8 if name == PERSON else 0.4)
            for name, color, depth, across in self.things
        ]
        return FirstPerson(self.walls, tuple(things), status, self.odd)

    def words(self) -> str:
        """Return the sight in sentences."""
        way: list[str] = []
        many = 0  # cells since the last side that was told
        for *_, side in self.lines:
            if side == OPEN:
                many += 1
                continue
            way += [count_cells(many)] if many else []
            way.append(side)
            many = 1  # behind a doorway
        ahead = f"Ahead: {', then '.join(way)}."
        left, right = (", ".join([line[i] for line in self.lines]) for i in (0, 1))
        seen = [f"{color} {name} {tell_place(d, a)}" for name, color, d, a in self.things]
        seen += [
            f"{tell_side(wall)} {tell_place(wall.depth, wall.across)}, at its {wall.side}"
            for wall in self.walls
            if wall.across and wall.kind in ("door", "doorway")
        ]
        return (
            f"{ahead}\nOn the left, from your own cell on: {left}.\n"
            f"On the right: {right}.\nIn view: {'; '.join(seen) or 'nothing else'}."
        )


def count_cells(many: int) -> str:
    return f"{many} cell{'s' if many > 1 else ''}"


def tell_place(depth: int, across: int) -> str:
    ahead = f"{depth} ahead" if depth else ""
    beside = f"{abs(across)} to the {'right' if across > 0 else 'left'}" if across else ""
    return " and ".join(filter(None, (ahead, beside)))


def tell_side(wall: SeenWall) -> str:
    if wall.kind == "dark":
        return "darkness"
    if wall.kind == "doorway":
        return "doorway"
    if wall.kind == "door":
        return f"{wall.door} door"
    return f"{wall.color} wall"


class _Side(NamedTuple):
    """A side of a cell, as far as it is seen: `low` and `high` are slopes, to the right."""

    name: str
    way: int  # counted from the way ahead
    low: float
    high: float
    next: Cell
    gap: tuple[float, float]  # slopes of the opening of a doorway


def _list_sides(depth: int, across: int) -> list[_Side]:
    """Return the sides of a cell through which rays leave it, as seen from the eye."""
    near, far = max(depth + BEHIND - 0.5, 1e-9), depth + BEHIND + 0.5
    left, right, edge = across - 0.5, across + 0.5, DOOR_EDGE
    sides = [
        _Side(
            "front",
            0,
            left / far,
            right / far,
            (depth + 1, across),
            ((left + edge) / far, (right - edge) / far),
        )
    ]
    first, last = max(near + edge, 1e-9), far - edge
    if across >= 0:
        gap = right / last, right / first
        sides.append(_Side("right", 1, right / far, right / near, (depth, across + 1), gap))
    if across <= 0:
        gap = left / first, left / last
        sides.append(_Side("left", 3, left / near, left / far, (depth, across - 1), gap))
    return sides


@functools.lru_cache(maxsize=4096)
def look(house: House, pose: Pose, others: tuple[tuple[str, str, Cell], ...] = ()) -> Sight:
    """Return what is seen from a pose; `others` are further figures: name, colour, cell."""
    (row, column), facing = pose
    (down, right), (down_beside, right_beside) = WAYS[facing], WAYS[(facing + 1) % 4]
    standing = {thing.cell: (thing.name, thing.color) for thing in house.things}
    standing |= {cell: (name, color) for name, color, cell in others}
    walls: dict[tuple[int, int, str], SeenWall] = {}
    clear: set[tuple[int, int, str]] = set()
    things: dict[Cell, tuple[str, str]] = {}
    cones = [(0, 0, -1.0, 1.0)]
    for depth, across, low, high in cones:  # which grows meanwhile
        cell = (
            row + depth * down + across * down_beside,
            column + depth * right + across * right_beside,
        )
        if depth and cell in standing and low <= across / (depth + BEHIND) <= high:
            things[depth, across] = standing[cell]
        for side in _list_sides(depth, across):
            first, last = max(low, side.low), min(high, side.high)
            if last - first <= 1e-9:
                continue
            key = depth, across, side.name
            if last - first >= CLEAR:
                clear.add(key)
            symbol = house.side(cell, (facing + side.way) % 4)
            color = house.color(cell)
            if symbol not in (FREE, DOORWAY):
                door = DOOR_COLOR if symbol == DOOR else ""
                kind = KINDS.get(symbol, "wall")
                walls[key] = SeenWall(depth, across, side.name, kind, color, door)
                continue
            if symbol == DOORWAY:
                walls[key] = SeenWall(depth, across, side.name, "doorway", color)
                first, last = max(first, side.gap[0]), min(last, side.gap[1])
            if side.next[0] > SIGHT:
                walls[key] = SeenWall(depth, across, side.name, "dark")
            elif last - first > 1e-9:
                cones.append((*side.next, first, last))
    lines = _list_lines(walls, clear)
    odd = (row + column) % 2 == 1
    seen = tuple([(*things[place], *place) for place in sorted(things) if _is_clear(place, things)])
    return Sight(tuple([walls[key] for key in sorted(walls)]), seen, lines, odd)


def _is_clear(place, things):
    """Return whether no nearer thing stands before the middle of a thing."""
    depth, across = place
    slope = across / (depth + BEHIND)
    return not any(
        near < depth and abs(beside / (near + BEHIND) - slope) < HALF / (near + BEHIND)
        for near, beside in things
    )


def _list_lines(walls, clear):
    """Return what is on the left, on the right and in front of the cells straight ahead."""
    lines: list[tuple[str, str, str]] = []
    while not lines or lines[-1][2] in (OPEN, "doorway"):
        keys = [(len(lines), 0, name) for name in ("left", "right", "front")]
        told = [
            (tell_side(walls[key]) if key in walls else OPEN) if key in clear else UNSEEN
            for key in keys
        ]
        lines.append((told[0], told[1], told[2]))
    return tuple(lines)

"""FirstPerson: rooms in perspective, as someone who stands in a cell and looks ahead sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["BEHIND", "DOOR_EDGE", "SIGHT", "FirstPerson", "SeenThing", "SeenWall"]

SIGHT = 7  # cells ahead that can be seen; further ones are dark
BEHIND = 0.45  # from the middle of the cell back to the eye, so that its side walls are seen
DOOR_EDGE = 0.16  # from each end of a wall to the opening of a doorway, or to a door


class SeenWall(NamedTuple):
    """One side of a visible cell.

    Attributes:
        depth: Cells ahead of the eye; 0 is its own cell.
        across: Cells to the right; negative to the left.
        side: "front", "left" or "right" of that cell.
        kind: "wall", "doorway" (an opening with a frame), "door" (closed, in a wall) or "dark".
        color: A name from COLORS for the upper half of the wall; that of a door is `door`.
        door: The colour of the door; "" if there is none.
    """

    depth: int
    across: int
    side: str
    kind: str
    color: str = "gray"
    door: str = ""


class SeenThing(NamedTuple):
    """A figure that stands in the middle of a cell, turned to the eye.

    Attributes:
        figure: A name of a figure, as in a Tile.
        color: A name from COLORS.
        depth: Cells ahead, as in a SeenWall.
        across: Cells to the right.
        height: As a share of the height of a wall.
    """

    figure: str
    color: str
    depth: int
    across: int
    height: float = 0.4


@dataclass(frozen=True, slots=True)
class FirstPerson:
    """Rooms of square cells with thin walls, seen at half their height.

    Attributes:
        walls: All visible sides of cells that are not open; each ray must end at one of them.
        things: The visible figures.
        status: Lines of text below the view.
        odd: Whether the floor tile of the eye's own cell is a dark one.
    """

    walls: tuple[SeenWall, ...]
    things: tuple[SeenThing, ...] = ()
    status: tuple[str, ...] = ()
    odd: bool = False

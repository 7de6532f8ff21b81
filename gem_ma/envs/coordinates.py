"""Points of a picture in pixels, thousandths, percent or shares of it, and games that read them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from gem_ma.game import Game, InvalidMove, S

_Pointing = TypeVar("_Pointing", bound="PointingGame[Any]")
SIDE = 448  # pixels of a side of the smallest screen
UNITS = ("pixels", "thousand", "percent", "share")
_WHOLE = {"thousand": 1000, "percent": 100, "share": 1}  # the far end of a unit that has one
_DECIMALS = {"thousand": 0, "percent": 1, "share": 4}  # of a point in texts
_POINTERS = (
    "click|double_click|triple_click|right_click|hover|move|point|drag|scroll|"
    "tap|double_tap|long_press|swipe"
)
_POINTER_ACTION = re.compile(rf"({_POINTERS})\((-?\d+), (-?\d+)(?:, (-?\d+))?(?:, (-?\d+))?\)")


@dataclass(frozen=True, slots=True)
class Coordinates:
    """How points of a screen are written, which is drawn in the middle of a picture.

    Attributes:
        unit: "pixels", "thousand" (0 to 1,000 across and down), "percent" (0 to 100) or "share" (0
            to 1).
        width: The width of the picture in pixels.
        height: Its height.
        screen: The width and the height of the screen.
        place: The name of what is shown, in texts.
    """

    unit: str = "pixels"
    width: int = SIDE
    height: int = SIDE
    screen: tuple[int, int] = (SIDE, SIDE)
    place: str = "screen"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"coordinates={self.unit!r}: expected one of {UNITS}")

    def describe(self) -> str:
        """Return the unit in words, as the rules say it."""
        if self.unit == "pixels":
            return f"pixels of the {self.place}, which is {self._describe_size()}"
        name = {"thousand": "thousandths", "share": "shares"}.get(self.unit, self.unit)
        return f"{name} of the {self.place}, 0 to {_WHOLE[self.unit]} across and down"

    def read_point(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of the screen at a point as a reply states it."""
        across, down = self.read_place(x, y, middle=True)
        wide, high = self.screen
        return min(max(int(across), 0), wide - 1), min(max(int(down), 0), high - 1)

    def read_place(self, x: float, y: float, *, middle: bool = False) -> tuple[float, float]:
        """Return the place on the screen, with fractions of its pixels, of a point of a reply.

        Args:
            middle: Whether pixels of the picture stand for their middles, as those of a click do;
                those of the sides of a box do not.
        """
        wide, high = self._find_limits()
        if not (0 <= x <= wide and 0 <= y <= high):
            size = self._describe_size() if self.unit == "pixels" else f"{wide} wide and high"
            raise InvalidMove(f"({x:g}, {y:g}) is not on the {self.place}, which is {size}")
        if middle and self.unit == "pixels":
            x, y = math.floor(x) + 0.5, math.floor(y) + 0.5
        left, top, scale = self._find_screen()
        return (x * self.width / wide - left) / scale, (y * self.height / high - top) / scale

    def find_point(self, x: int, y: int) -> tuple[float, float]:
        """Return a pixel of the screen in this unit, so that it is read back as the same pixel."""
        left, top, scale = self._find_screen()
        # The middle of the pixel, which no rounding moves into the next one.
        across, down = left + (x + 0.5) * scale, top + (y + 0.5) * scale
        if self.unit == "pixels":
            return int(across), int(down)
        whole, digits = _WHOLE[self.unit], _DECIMALS[self.unit]
        return round(across * whole / self.width, digits), round(down * whole / self.height, digits)

    def format_point(self, x: int, y: int) -> str:
        """Return a pixel of the screen in this unit, as text."""
        return f"({', '.join(f'{number:g}' for number in self.find_point(x, y))})"

    def format_box(self, left: float, top: float, right: float, bottom: float) -> str:
        """Return a box of the screen in this unit, exact to a hundredth of a pixel, as text."""
        x, y, scale = self._find_screen()
        wide, high = self._find_limits()
        sides = [
            round((at * scale + edge) * whole / size, 6 if self.unit == "share" else 2)
            for at, edge, whole, size in (
                (left, x, wide, self.width),
                (top, y, high, self.height),
                (right, x, wide, self.width),
                (bottom, y, high, self.height),
            )
        ]
        return f"[{', '.join(f'{side:g}' for side in sides)}]"

    def convert_action(self, action: str) -> str:
        """Return an action of a perfect user, which is in pixels of the screen, in this unit."""
        found = _POINTER_ACTION.fullmatch(action)
        if found is None:
            return action
        verb, *numbers = found.groups()
        x, y, *rest = [int(number) for number in numbers if number is not None]
        values = [*self.find_point(x, y)]
        if verb in ("drag", "swipe"):
            values += self.find_point(rest[0], rest[1])
        else:
            values += rest  # how far to scroll is in pixels of the screen
        return f"{verb}({', '.join(f'{value:g}' for value in values)})"

    def _describe_size(self) -> str:
        if self.width == self.height:
            return f"{self.width} wide and high"
        return f"{self.width} wide and {self.height} high"

    def _find_limits(self) -> tuple[int, int]:
        whole = _WHOLE.get(self.unit)
        return (self.width, self.height) if whole is None else (whole, whole)

    def _find_screen(self) -> tuple[int, int, float]:
        """Return the left, the top and the scale of the screen within its picture, as drawn."""
        wide, high = self.screen
        scale = min(self.width / wide, self.height / high)
        left, top = self.width - round(wide * scale), self.height - round(high * scale)
        return left // 2, top // 2, scale


class PointingGame(Game[S]):
    """A game whose replies name points of its picture.

    Attributes:
        coordinates: How replies and texts name points.
    """

    names_points = True
    coordinates = Coordinates()

    def choose_screen(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the screen for a picture of this size."""
        return self.coordinates.screen

    def set_coordinates(self, coordinates: Coordinates) -> None:
        """Set the coordinates, when the game is made."""
        self.coordinates = coordinates

    def fit_image(self, width: int, height: int) -> Self:
        """Return this game with points of a picture of this size."""
        if (width, height) == (self.coordinates.width, self.coordinates.height):
            return self
        return _make_fitted(type(self), *self.init_args, width, height)

    def __reduce__(self) -> tuple[object, ...]:
        size = self.coordinates.width, self.coordinates.height
        return _make_fitted, (type(self), *self.init_args, *size)


def _make_fitted(
    cls: type[_Pointing], args: tuple[object, ...], kwargs: dict[str, Any], width: int, height: int
) -> _Pointing:
    game = cls(*args, **kwargs)
    screen = game.choose_screen(width, height)
    game.set_coordinates(replace(game.coordinates, width=width, height=height, screen=screen))
    return game

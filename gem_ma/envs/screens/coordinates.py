"""Points of a screen, in pixels, thousandths or shares of its picture, and games that read them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

from gem_ma.envs.screens.shells.layout import fit_screen
from gem_ma.envs.screens.ui import SIZE
from gem_ma.game import Game, InvalidMove, S
from gem_ma.validation.json_types import JSONMapping

_Screen = TypeVar("_Screen", bound="ScreenGame[Any]")
UNITS = ("pixels", "thousand", "share")
_POINTERS = "click|double_click|triple_click|right_click|hover|move|point|drag|scroll"
_POINTER_ACTION = re.compile(rf"({_POINTERS})\((-?\d+), (-?\d+)(?:, (-?\d+))?(?:, (-?\d+))?\)")


@dataclass(frozen=True, slots=True)
class Coordinates:
    """How points of the screen are written, which is drawn in the middle of a picture.

    Attributes:
        unit: "pixels", "thousand" (0 to 1,000 across and down) or "share" (0 to 1).
        width: The width of the picture in pixels.
        height: Its height.
        screen: The width and the height of the screen.
    """

    unit: str = "pixels"
    width: int = SIZE
    height: int = SIZE
    screen: tuple[int, int] = (SIZE, SIZE)

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"coordinates={self.unit!r}: expected one of {UNITS}")

    def describe(self) -> str:
        """Return the unit in words, as the rules say it."""
        if self.unit == "thousand":
            return "thousandths of the screen, 0 to 1000 across and down"
        if self.unit == "share":
            return "shares of the screen, 0 to 1 across and down"
        return f"pixels of the screen, which is {self._describe_size()}"

    def read_point(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of the screen at a point as a reply states it."""
        wide, high = self._find_limits()
        if not (0 <= x <= wide and 0 <= y <= high):
            size = self._describe_size() if self.unit == "pixels" else f"{wide} wide and high"
            raise InvalidMove(f"({x:g}, {y:g}) is not on the screen, which is {size}")
        if self.unit == "pixels":  # the middle of this pixel
            x, y = math.floor(x) + 0.5, math.floor(y) + 0.5
        left, top, scale = self._find_screen()
        across = int((x * self.width / wide - left) / scale)
        down = int((y * self.height / high - top) / scale)
        return min(max(across, 0), self.screen[0] - 1), min(max(down, 0), self.screen[1] - 1)

    def find_point(self, x: int, y: int) -> tuple[float, float]:
        """Return a pixel of the screen in this unit, so that it is read back as the same pixel."""
        left, top, scale = self._find_screen()
        # The middle of the pixel, which no rounding moves into the next one.
        across, down = left + (x + 0.5) * scale, top + (y + 0.5) * scale
        if self.unit == "pixels":
            return int(across), int(down)
        across, down = across / self.width, down / self.height
        if self.unit == "share":
            return round(across, 4), round(down, 4)
        return round(across * 1000), round(down * 1000)

    def format_point(self, x: int, y: int) -> str:
        """Return a pixel of the screen in this unit, as text."""
        return f"({', '.join(f'{number:g}' for number in self.find_point(x, y))})"

    def convert_action(self, action: str) -> str:
        """Return an action of a perfect user, which is in pixels of the screen, in this unit."""
        found = _POINTER_ACTION.fullmatch(action)
        if found is None:
            return action
        verb, *numbers = found.groups()
        x, y, *rest = [int(number) for number in numbers if number is not None]
        values = [*self.find_point(x, y)]
        if verb == "drag":
            values += self.find_point(rest[0], rest[1])
        else:
            values += rest  # how far to scroll is in pixels of the screen
        return f"{verb}({', '.join(f'{value:g}' for value in values)})"

    def _describe_size(self) -> str:
        if self.width == self.height:
            return f"{self.width} wide and high"
        return f"{self.width} wide and {self.height} high"

    def _find_limits(self) -> tuple[int, int]:
        whole = {"thousand": 1000, "share": 1}.get(self.unit)
        return (self.width, self.height) if whole is None else (whole, whole)

    def _find_screen(self) -> tuple[int, int, float]:
        """Return the left, the top and the scale of the screen within its picture, as drawn."""
        wide, high = self.screen
        scale = min(self.width / wide, self.height / high)
        left, top = self.width - round(wide * scale), self.height - round(high * scale)
        return left // 2, top // 2, scale


class ScreenGame(Game[S]):
    """A game at a screen.

    Attributes:
        coordinates: How replies and texts name points.
    """

    env_defaults: JSONMapping = MappingProxyType({"image_size": (SIZE, SIZE)})
    coordinates = Coordinates()

    def choose_screen(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the screen for a picture of this size."""
        return fit_screen(width, height)

    def fit_image(self, width: int, height: int) -> Self:
        """Return this game with points of a picture of this size."""
        if (width, height) == (self.coordinates.width, self.coordinates.height):
            return self
        return _make_fitted(type(self), *self.init_args, width, height)

    def __reduce__(self) -> tuple[object, ...]:
        size = self.coordinates.width, self.coordinates.height
        return _make_fitted, (type(self), *self.init_args, *size)


def _make_fitted(
    cls: type[_Screen], args: tuple[object, ...], kwargs: dict[str, Any], width: int, height: int
) -> _Screen:
    game = cls(*args, **kwargs)
    screen = game.choose_screen(width, height)
    game.coordinates = replace(game.coordinates, width=width, height=height, screen=screen)
    return game

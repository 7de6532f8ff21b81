"""The base of games at a screen, whose replies name points of its picture."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

from gem_ma.envs.screens.coordinates import Coordinates
from gem_ma.envs.screens.sheet import SIZE
from gem_ma.game import Game, S
from gem_ma.validation.json_types import JSONMapping

_Screen = TypeVar("_Screen", bound="ScreenGame[Any]")


class ScreenGame(Game[S]):
    """A game at a screen.

    Attributes:
        coordinates: How replies and texts name points.
    """

    env_defaults: JSONMapping = MappingProxyType({"image_size": (SIZE, SIZE)})
    coordinates = Coordinates()

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
    game.coordinates = replace(game.coordinates, width=width, height=height)
    return game

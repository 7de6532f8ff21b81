"""The base of games at a screen, whose size depends on that of the picture."""

from types import MappingProxyType

from gem_ma.envs.coordinates import PointingGame
from gem_ma.envs.screens.shells.layout import fit_screen
from gem_ma.envs.screens.ui import SIZE
from gem_ma.game import S
from gem_ma.validation.json_types import JSONMapping


class ScreenGame(PointingGame[S]):
    """A game at a screen."""

    notices_list_legal = False  # `legal` is a sample, with refs and in our own form
    env_defaults: JSONMapping = MappingProxyType({"image_size": (SIZE, SIZE)})

    def choose_screen(self, width: int, height: int) -> tuple[int, int]:
        return fit_screen(width, height)

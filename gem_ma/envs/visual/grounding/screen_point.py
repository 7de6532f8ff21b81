"""Screen point: where to click on the page of an application."""

from gem_ma.envs.visual.grounding.grounded import PointInBox
from gem_ma.envs.visual.grounding.pages import ScreenGrounded


class ScreenPoint(ScreenGrounded, PointInBox):
    about = "It shows a screen with the page of an application. Reply with FORM, where you click."
    ask = "Click WIDGET."
    pays = "a point in the widget earns 1, any other nothing"

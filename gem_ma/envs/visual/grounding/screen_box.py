"""Screen box: the box of a widget on the page of an application."""

from gem_ma.envs.visual.grounding.grounded import BoxGrounded
from gem_ma.envs.visual.grounding.pages import BORDERED, ScreenGrounded


class ScreenBox(ScreenGrounded, BoxGrounded):
    about = "It shows a screen with the page of an application. Reply with FORM, around a widget."
    ask = "Which is the box of WIDGET?"
    kinds = BORDERED

"""Borders of screens: they are seen in every theme."""

import pytest

from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.themes import THEMES
from gem_ma.scene.screen import Screen, Widget

KINDS = ("box", "cell", "button", "tab", "fold", "scroll", "menu")


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_widget_stands_out_from_the_paper(name, kind):
    own = parse_theme(name)
    options = (10,) if kind == "scroll" else ()
    one = Widget("one", kind, 20, 20, 60, 40, options=options)
    frame = draw(Screen((one,), 100, 100), (100, 100), own)
    edge = tuple(map(int, frame[20, 50]))
    assert compute_contrast(edge, own.paper) >= 1.4

"""Tables: cells of several lines, with a share of colour."""

import pytest

from gem_ma.renderers import (
    BadScene,
    draw,
)
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    TextTable,
)

SIZE = 252, 252
LIGHT = THEMES["light"]


def test_a_cell_of_a_table_has_lines_and_a_share_of_colour():
    def blue(share):
        frame = draw(TextTable((("", ("one\ntwo", "blue", share)),)), SIZE)
        return int((frame == LIGHT.color("blue")).all(-1).sum())

    assert blue(0.0) == 0
    assert blue(0.25) < blue(0.5) < blue(1.0)
    lines = {draw(TextTable(((text,),)), SIZE).tobytes() for text in ("one two", "one\ntwo")}
    assert len(lines) == 2
    with pytest.raises(BadScene, match="expected 0 to 1"):
        blue(1.5)

"""Charts: their values are shown, in series told apart without colour."""

import numpy as np
import pytest

from gem_ma.renderers import (
    draw,
    font,
    parse_theme,
)
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    Chart,
)

SIZE = 252, 252
LIGHT = THEMES["light"]


def test_charts_show_their_values():
    labels = ("a", "b", "c")
    charts = [
        Chart(kind, labels, (("x", values),), "Title")
        for kind in ("bar", "line", "pie")
        for values in ((1, 2, 3), (1, 2, 4), (3, 2, 1))
    ]
    charts.append(Chart("bar", labels, (("x", (0, 0, 0)), ("y", (0, 0, 0.5)))))
    assert len({draw(scene, SIZE).tobytes() for scene in charts}) == 10
    # A bar ends where its value stands: twice the value, twice the height.
    frame = draw(Chart("bar", ("a", "b"), (("x", (5.0, 10.0)),)), SIZE)
    bars = (frame == LIGHT.color("blue")).all(-1)
    heights = sorted(set(bars.sum(0).tolist()) - {0})
    assert heights[1] / heights[0] == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("kind", ["bar", "line"])
@pytest.mark.parametrize("look", ["light", "mono", "held-out:25"])
def test_series_are_told_apart_without_colour(kind, look):
    """What stands beside their names differs in its pattern or its outline, in gray too."""
    names = tuple("abcdefg")
    frame = draw(
        Chart(kind, ("one",), tuple((n, (1.0,)) for n in names)), (504, 504), parse_theme(look)
    )
    text = font.choose_height((504, 504))
    gray, found = np.round(frame @ [0.299, 0.587, 0.114]), set()
    for number in range(len(names)):
        x = 4 + number * (text + 2 + 2 * font.measure_advance(text))
        sample = gray[2 : 2 + text, x : x + text]
        if kind == "bar":  # without its edge, and the paper around it
            sample = sample[8 : text - 8, 4 : text - 12]
        found.add((sample > (sample.min() + sample.max()) / 2).tobytes())
    assert len(found) == len(names)

"""Screens: borders are seen in every theme, selections and carets are where they belong."""

import numpy as np
import pytest

from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.themes import THEMES
from gem_ma.scene.screen import Screen, Widget
from gem_ma.scene.text_metrics import LINE_HEIGHTS, measure_edges

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


@pytest.mark.parametrize("kind", ["field", "area"])
@pytest.mark.parametrize(("anchor", "caret"), [(3, 3), (26, 26), (1, 4), (2, 26), (26, 20)])
def test_a_selection_is_marked_and_without_one_the_caret_is_drawn(kind, anchor, caret):
    text, line_height = (
        "abcdefghijklmnopqrstuvwxyz",
        LINE_HEIGHTS[Widget("", "area", 0, 0, 1, 1).type],
    )
    one = Widget("one", kind, 10, 10, 280, 60 if kind == "area" else line_height + 8, value=text)
    plain, at_work = (
        draw(Screen((one,), 300, 100, focus=focus, caret=caret, anchor=anchor), (300, 100))
        for focus in ("", "one")
    )
    changed = (plain != at_work).any(-1)[12 : one.y + one.h - 2, 12:288]  # within the border
    rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
    edges = measure_edges(text, one.type)
    low, high = sorted((anchor, caret))
    assert np.ptp(rows) < LINE_HEIGHTS[one.type]
    if low == high:
        assert len(columns) == 1
    else:
        assert np.ptp(columns) + 1 == round(edges[high]) - round(edges[low])


@pytest.mark.parametrize("place", [(80, 30), (70, 85), (30, 90), (99, 99), (100, 30), (-20, -10)])
def test_what_opens_beyond_the_edge_is_drawn_up_to_it(place):
    first = Widget("first", "button", 5, 5, 30, 20, "A")
    menu = Widget("menu", "menu", *place, 40, 26)
    item = Widget("item", "item", place[0] + 1, place[1] + 1, 38, 24, "B", value=True)
    draw(Screen((first,), 100, 100), (100, 100))  # of which only what changes is drawn again
    frame = draw(Screen((first, menu, item), 100, 100), (100, 100))
    large = draw(Screen((first, menu, item), 200, 200), (200, 200))
    assert np.array_equal(frame, large[:100, :100])

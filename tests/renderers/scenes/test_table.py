"""Tables: cells of several lines, with a share of colour; and tables that are cards."""

import pytest

from gem_ma.renderers import (
    BadScene,
    draw,
)
from gem_ma.renderers.scenes.table import draw_card
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import FrameTooSmall, TextTable

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


def card(*rows, **more):
    return TextTable(rows, card=True, **more)


def count(frame, color):
    return int((frame == color).all(-1).sum())


def test_a_card_has_a_bar_as_long_as_its_share():
    bars = [
        count(draw(card(("one", ("7", "blue", share))), SIZE), LIGHT.color("blue"))
        for share in (0.0, 0.25, 0.5, 1.0)
    ]
    assert bars[0] == 0
    assert bars[1] == pytest.approx(bars[3] / 4, rel=0.1)
    assert bars[2] == pytest.approx(bars[3] / 2, rel=0.1)


def test_a_card_has_its_title_in_a_bar_and_grounds_of_cells():
    plain, titled = (draw(card(("one", "two"), title=title), SIZE) for title in ("", "A title"))
    assert count(titled[:20], LIGHT.ink) > 20 * 252 / 2 > count(plain[:20], LIGHT.ink)
    green = draw(card(("one", ("two", "green"))), SIZE)
    assert count(green, LIGHT.color("green")) > 2000


def test_few_rows_have_large_letters_and_many_still_fit():
    rows = [("label", str(i)) for i in range(18)]
    inks = [count(draw(card(*rows[:n]), SIZE), LIGHT.ink) / n for n in (1, 6, 18)]
    assert inks == sorted(inks, reverse=True)
    assert draw_card(card(*rows), SIZE, LIGHT).shape == (252, 252, 3)
    with pytest.raises(FrameTooSmall, match="a card of 30 rows and 2 columns does not fit"):
        draw_card(card(*rows, *rows[:12]), SIZE, LIGHT)


def test_every_cell_of_a_card_can_be_seen():
    rows = [["a", "b", "c", "d", "e"], ["f", "g", "h", "i\nj", "k"]]
    frames = {draw(card(*map(tuple, rows)), SIZE).tobytes()}
    for row in rows:
        for i in range(5):
            before, row[i] = row[i], "x"
            frames.add(draw(card(*map(tuple, rows)), SIZE).tobytes())
            row[i] = before
    assert len(frames) == 11


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (card(("a", "b"), ("c",)), "rows of one length"),
        (card(), "rows of one length"),
        (card(("a",), status=("b",)), "has no status"),
        (card((("a", "rde"),)), "no colour 'rde'"),
        (card((("a", "red", 2.0),)), "expected 0 to 1"),
    ],
)
def test_a_card_that_makes_no_sense(scene, message):
    with pytest.raises(BadScene, match=message):
        draw(scene, SIZE)

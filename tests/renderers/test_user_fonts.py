"""Fonts that a user names: letters are joined, ordered and composed, and what is no font."""

import importlib.util
import zlib
from pathlib import Path

import numpy as np
import pytest
from needed import needed

from gem_ma.renderers import font, user_fonts

INK, PAPER = (32, 33, 36), (250, 250, 247)


@pytest.fixture
def own_font(monkeypatch):
    """Draw missing letters out of DejaVu Sans, which has Hebrew and Arabic, for one test."""
    needed("uharfbuzz", install="'gem-ma[fonts]'")
    places = [Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")]
    if found := importlib.util.find_spec("matplotlib"):
        places.append(Path(found.origin).with_name("mpl-data") / "fonts/ttf/DejaVuSans.ttf")
    file = next(filter(Path.is_file, places), None)
    if file is None:
        pytest.skip("there is no DejaVuSans.ttf, which matplotlib brings")
    monkeypatch.setenv(user_fonts.FONTS_VARIABLE, "")
    user_fonts.use_fonts(file)
    yield file
    user_fonts.use_fonts()


def cells(text, height=28):
    """Return what a line covers, cell by cell from left to right."""
    return np.split(font.render_coverage(text, height), len(text), axis=1)


def test_named_fonts_join_letters_and_order_them(own_font):
    text = "a \u0633\u0644\u0627\u0645 x (b)"  # salam
    shown, (run,) = user_fonts.arrange_line(text, lambda char: not font.has_glyph(char))
    assert (shown, run.start, run.cells, run.text) == ("a      x (b)", 2, 4, text[2:6])
    word = font.render_coverage(text[2:6], 28)
    assert (np.hstack(cells(text)[2:6]) == word).all()
    alone = [font.render_coverage(one, 28) for one in text[2:6]]
    assert not (word == np.hstack(alone)).all()
    assert not (word == np.hstack(alone[::-1])).all()  # it is more than letters in another order
    row = word[:, np.flatnonzero(word.any(0))[0] :].max(0) > 0
    assert row.sum() > 0.6 * row.size
    assert word[:, -14:].any()  # it begins at the right
    frame = screen(text, 28)
    assert (frame == font.make_shades(INK, PAPER)[font.render_coverage(text, 28)]).all()


def test_hebrew_is_read_from_the_right(own_font):
    text = "\u05d0\u05d1\u05d2 (x) 12"
    shown, (run,) = user_fonts.arrange_line(text, lambda char: not font.has_glyph(char))
    assert shown == "12 (x)    "
    assert (run.start, run.text, run.backward) == (7, text[:3], True)
    pictures = [one.any(0) for one in cells("\u05d0\u05d3")]
    assert all(one.any() for one in pictures)
    assert all(zlib.crc32(font.render_coverage(text, height)) for height in font.LETTER_HEIGHTS)


def test_what_no_named_font_has_stays_a_box(own_font):
    boxes = font.render_coverage("\u4e2d", 28)
    word = font.render_coverage("\u05d0", 28)
    both = font.render_coverage("\u4e2d\u05d0", 28)
    assert (both[:, :14] == word).all() or (both[:, 14:] == word).all()
    assert (boxes == both[:, :14]).all() or (boxes == both[:, 14:]).all()
    user_fonts.use_fonts()
    assert (font.render_coverage("\u4e2d", 28) == boxes).all()
    assert not (font.render_coverage("\u05d0", 28) == word).all()


def test_files_that_are_no_fonts(tmp_path):
    needed("uharfbuzz", install="'gem-ma[fonts]'")
    (tmp_path / "a.ttf").write_text("no font")
    for name, words in (("a.ttf", "the file is no font"), ("b.ttf", "No such file")):
        with pytest.raises(ValueError, match=words):
            user_fonts.use_fonts(tmp_path / name)
    assert user_fonts.get_font_files() == ""


def screen(text, height=18, columns=None, rows=1):
    # Not splitlines: it breaks at signs that are to be drawn as boxes.
    return font.render_lines(text.split("\n"), columns or len(text), rows, height, INK, PAPER)

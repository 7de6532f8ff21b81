"""The text engine: glyphs, boxes for missing ones, screens, word wrap."""

import importlib.util
import random
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from fuzz import HOSTILE_TEXTS
from needed import needed
from playable import unless

from gem_ma.renderers import draw, font, png, user_fonts
from gem_ma.renderers.scenes import terminal
from gem_ma.scene import Grid, Panels, Terminal, Tile

INK, PAPER = (32, 33, 36), (250, 250, 247)
GOLDEN = 894682709  # a checksum of pixels
SCRIPT = """
import zlib
from gem_ma.renderers import font
from gem_ma.renderers.scenes import terminal
lines = ["Ωé → ♞", "中\\ud800"]
colors = (1, 2, 3), (250, 251, 252)
print([zlib.crc32(font.render_lines(lines, 9, 3, h, *colors)) for h in font.LETTER_HEIGHTS])
"""


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


def test_wide_letters_take_two_cells(monkeypatch, own_font):
    # DejaVu has no wide letter: one that is as wide as any stands in for them.
    monkeypatch.setattr(
        user_fonts.unicodedata, "east_asian_width", lambda c: "W" if c > "z" else "Na"
    )
    text = user_fonts.normalize_text("a\u05d0b")
    assert text == f"a\u05d0{user_fonts.WIDE_FILLER}b" == user_fonts.normalize_text(text)
    shown, (run,) = user_fonts.arrange_line(text, lambda char: not font.has_glyph(char))
    assert (shown, run.start, run.cells, run.text) == ("a  b", 1, 2, "\u05d0")
    many = user_fonts.normalize_text("\u05d0" * 9)
    assert [len(line) for line in font.wrap_text(many, 5)] == [4, 4, 4, 4, 2]
    assert user_fonts.normalize_text("\u4e2d") == "\u4e2d"  # a box is one cell


def test_letters_are_composed_before_they_are_drawn():
    for scene in (Terminal, lambda text: Grid(("x",), (("x", Tile()),), status=(text,))):
        one, other = (scene(text) for text in ("caf\u00e9", "cafe\u0301"))
        assert (draw(one, (252, 252)) == draw(other, (252, 252))).all()
        assert png.render_png(one, (252, 252)) == png.render_png(other, (252, 252))
    panels = Panels((("e\u0301", Terminal("e\u0301")),))
    assert (
        draw(panels, (252, 252)) == draw(Panels((("\u00e9", Terminal("\u00e9")),)), (252, 252))
    ).all()


def test_the_order_of_letters_is_unicodes():
    from_python_bidi = {  # what its get_display says, which mirrors nothing
        "say: \u05d0\u05d1 123 \u05d2, ok": "say: \u05d2 123 \u05d1\u05d0, ok",
        "\u05d0 (world) 3.14": "3.14 )world( \u05d0",
        "\u05d0\u05d1 1/2": "1/2 \u05d1\u05d0",
        "\u05d0! cd": "cd !\u05d0",
        "a \u05d0 12": "a 12 \u05d0",
        "a [\u05d0, 7] b": "a [7 ,\u05d0] b",
        "": "",
    }
    for text, seen in from_python_bidi.items():
        assert (
            "".join(
                text[place]
                for place in user_fonts.compute_visual_order(user_fonts.compute_bidi_levels(text))
            )
            == seen
        )


def screen(text, height=18, columns=None, rows=1):
    # Not splitlines: it breaks at signs that are to be drawn as boxes.
    return font.render_lines(text.split("\n"), columns or len(text), rows, height, INK, PAPER)


@pytest.mark.parametrize("height", font.LETTER_HEIGHTS)
def test_the_repertoire_is_there_and_every_sign_is_drawn_and_distinct(height):
    chars = "éßñΩλЖя→⇒∀≤─│┼█▓■●♔♕♖♗♘♙♚♛♜♝♞♟♠♣♥♦♤♧♡♢⚀⚁⚂⚃⚄⚅✓✗€"
    assert all(font.has_glyph(char) for char in chars)
    pictures = {screen(char, height).tobytes() for char in chars + " "}
    assert len(pictures) == len(chars) + 1


@pytest.mark.parametrize("height", font.LETTER_HEIGHTS)
def test_ascii_signs_are_distinct(height):
    assert len({screen(chr(code), height).tobytes() for code in range(32, 127)}) == 95


@pytest.mark.parametrize("height", [unless(i == 0, h) for i, h in enumerate(font.LETTER_HEIGHTS)])
def test_boxes_of_missing_glyphs_are_distinct(height):
    rng = random.Random(height)
    codes = {*rng.sample(range(0x110000), 3000), 0, 0x301, 0x4E2D, 0xD800, 0x1F600, 0x10FFFF}
    codes |= {0x24E2D, 0x104E2D}
    missing = [chr(code) for code in codes if not font.has_glyph(chr(code))]
    assert len(missing) > 2500
    drawn = {screen(char, height).tobytes() for char in missing}
    assert len(drawn) == len(missing)
    assert screen(" ", height).tobytes() not in drawn


@pytest.mark.parametrize("height", font.LETTER_HEIGHTS)
def test_a_screen_has_its_cells_where_they_belong(height):
    picture = screen("ab\n中", height, columns=4, rows=3)
    advance = font.measure_advance(height)
    assert picture.shape == (3 * height, 4 * advance, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert (picture[:height, advance : 2 * advance] == screen("b", height)).all()
    assert (picture[height : 2 * height, :advance] == screen("中", height)).all()
    assert (picture[2 * height :] == PAPER).all()
    assert (picture[:, 2 * advance :] == PAPER).all()


@pytest.mark.parametrize("text", ["", "Hello é", "中 国 x", "\ud800"])
def test_colouring_a_few_glyphs_gives_the_same_screen(text):
    for height in font.LETTER_HEIGHTS:
        kept = font.render_lines([text], 8, 2, height, INK, PAPER)
        once = font.render_lines([text], 8, 2, height, INK, PAPER, keep=False)
        assert (kept == once).all()


def test_screens_of_different_texts_differ_and_are_fresh():
    assert screen("ab").tobytes() != screen("ba").tobytes()
    first = screen("ab")
    first[:] = 0
    assert screen("ab").any()


def test_another_process_draws_the_same_bytes():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True)
    lines = ["Ωé → ♞", "中\ud800"]
    here = [
        zlib.crc32(font.render_lines(lines, 9, 3, h, (1, 2, 3), (250, 251, 252)))
        for h in font.LETTER_HEIGHTS
    ]
    assert run.stdout.strip() == str(here)


def test_the_bytes_are_those_of_the_file_in_the_package():
    assert zlib.crc32(screen("Ωé → ♞ 中")) == GOLDEN


@pytest.mark.parametrize("height", font.LETTER_HEIGHTS)
def test_pasted_text_is_that_of_a_screen(height):
    image = np.empty((height, 8 * font.measure_advance(height), 3), np.uint8)
    image[:] = PAPER
    assert font.draw_line(image, 0, 0, "Hé→♞中 xy", height, INK) == 8 * font.measure_advance(height)
    assert (image == font.render_lines(["Hé→♞中 xy"], 8, 1, height, INK, PAPER)).all()


@pytest.mark.parametrize("x", [-10_000, -31, -1, 0, 7, 49, 50, 10_000])
@pytest.mark.parametrize("y", [-100, -9, 0, 25, 30, 100])
def test_pasting_is_clipped_at_the_borders(x, y):
    text = "clipped text"
    large = np.full((90, 500, 3), 200, np.uint8)
    inside = abs(x) < 200
    if inside:
        font.draw_line(large, 200 + x, 30 + y if abs(y) < 31 else 0, text, 18, INK)
    image = np.full((30, 50, 3), 200, np.uint8)
    assert font.draw_line(image, x, y, text, 18, INK) == x + len(text) * 9
    if inside and abs(y) < 31:
        assert (image == large[30:60, 200:250]).all()
    else:
        assert (image == 200).all()


def test_fit_height_takes_the_largest_that_fits():
    assert font.fit_height(1, 1, (1000, 1000)) == max(font.LETTER_HEIGHTS)
    assert font.fit_height(1000, 1000, (10, 10)) == min(font.LETTER_HEIGHTS)
    for height in font.LETTER_HEIGHTS:
        size = 30 * font.measure_advance(height), 20 * height
        assert font.fit_height(30, 20, size) == height
    with pytest.raises(ValueError, match="expected one of"):
        font.measure_advance(12)


def test_wrap_keeps_every_word_and_no_line_is_too_long():
    rng = random.Random(5)
    for _ in range(500):
        columns = rng.randint(1, 30)
        words = ["".join(rng.choices("abcé中", k=rng.randint(1, 12))) for _ in range(40)]
        text = "".join(word + rng.choice([" ", "  ", "\n", "\r\n", "\u2028"]) for word in words)
        lines = font.wrap_text(text, columns)
        assert max(map(len, lines)) <= columns
        assert "".join("".join(lines).split()) == "".join(words)
        if columns >= 12:  # every word fits into a line, so none is broken
            assert " ".join(lines).split() == words


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("", 5, [""]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("a\r\nb\rc\u2028d", 5, ["a", "b", "c", "d"]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("  indent", 20, ["  indent"]),
        ("a\tb", 20, ["a       b"]),
        ("a\x00\x1b[1mb\x9c", 20, ["a\x00b\x9c"]),
        ("\x1b[38;5;1mred\x1b[0m \x9b2Kx\x1b[?25l\x1b(B", 20, ["red x"]),
        ("\x1b]0;title\x07a \x1b]8;;http://b\x1b\\link\x1b]8;;\x1b\\", 20, ["a link"]),
        ("\x1b[31 what\x1b", 20, ["hat\x1b"]),
        ("\x1b[" + ";" * 80 + "m\x1b]no end", 99, ["\x1b[" + ";" * 80 + "m\x1b]no end"]),
        ("[31m is no colour", 20, ["[31m is no colour"]),
        ("abc   def", 3, ["abc", "def"]),
        ("abc      ", 3, ["abc"]),
        ("text", 0, ["t", "e", "x", "t"]),
    ],
)
def test_wrap_breaks(text, columns, lines):
    assert font.wrap_text(text, columns) == lines


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_raises_nothing_and_takes_no_time(name):
    text = HOSTILE_TEXTS[name]
    start = time.process_time()
    for columns in (1, 2, 40):
        lines = font.wrap_text(text, columns)
        assert max(map(len, lines)) <= columns
        assert not any(c in "\t\n\r" for line in lines[:2000] for c in line)
    for height in font.LETTER_HEIGHTS:
        font.render_lines(lines, 40, 10, height, INK, PAPER)
        font.draw_line(np.zeros((20, 50, 3), np.uint8), 0, 0, text, height, INK)
    assert time.process_time() - start < 20


def test_a_terminal_breaks_no_row_of_a_board_while_a_smaller_type_fits():
    board = "\n".join([" ".join("XO.XO.XO.XO.XO")] * 9)
    story = "A sentence that is too long for one line and is broken between its words."
    rows = (252 - 2 * terminal.MARGIN) // 14
    height, columns, lines = terminal._choose_layout(f"{board}\n{story}", (252, 252))
    assert height == 14
    assert lines[:9] == board.split("\n")
    assert len(lines) <= rows
    # prose may be broken, and stays large
    assert terminal._choose_layout(story, (252, 252))[0] == 18
    assert columns == (252 - 2 * terminal.MARGIN) // 7


@pytest.mark.parametrize("code", [*range(9), *range(14, 28), 0x1F, *range(0x7F, 0x85), 0x90, 0x9F])
def test_a_control_character_is_seen(code):
    (line,) = font.wrap_text(f"{chr(code)}bell", 20)
    assert line == f"{chr(code)}bell"
    (plain,) = font.wrap_text(" bell", 20)
    seen = font.render_lines([line], 20, 1, 18, (0, 0, 0), (255, 255, 255))
    assert (seen != font.render_lines([plain], 20, 1, 18, (0, 0, 0), (255, 255, 255))).any()

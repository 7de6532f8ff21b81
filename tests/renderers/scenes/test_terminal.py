"""Text in pictures: screens, glyphs, and text that wants to do harm."""

import numpy as np
import pytest

from gem_ma.renderers import THEMES, draw, font
from gem_ma.scene import Terminal

SIZE = 252, 252


@pytest.mark.parametrize("char", "aZ09éßÅşΩλЖя→⇒─│┼█■●♔♞♠♥♦♣⚀⚅✓✗€≤")
def test_the_repertoire_has_a_glyph(char):
    assert font.has_glyph(char)


def test_letters_that_have_no_glyph_are_boxes_that_differ():
    assert not font.has_glyph("中")
    for height in font.LETTER_HEIGHTS:
        frames = set()
        for char in "中国\U0001f600\U0001f601":
            screen = font.render_lines([char], 1, 1, height, (0, 0, 0), (255, 255, 255))
            frames.add(screen.tobytes())
        assert len(frames) == (4 if height >= 14 else len(frames))
        assert (
            font.render_lines([" "], 1, 1, height, (0, 0, 0), (255, 255, 255)).tobytes()
            not in frames
        )


def test_glyphs_of_a_line_are_distinct():
    letters = [chr(code) for code in range(33, 127)]
    for height in font.LETTER_HEIGHTS:
        drawn = {
            font.render_lines([c], 1, 1, height, (0, 0, 0), (255, 255, 255)).tobytes()
            for c in letters
        }
        assert len(drawn) == len(letters)


def test_a_screen_grows_its_letters_and_says_what_does_not_fit():
    few, many = draw(Terminal("hello"), SIZE), draw(Terminal("hello\n" * 20), SIZE)
    assert (few != many).any()
    long = [draw(Terminal("\n".join(f"line {i}" for i in range(n))), SIZE) for n in (40, 41, 1000)]
    assert len({frame.tobytes() for frame in long}) == 3  # "... N more lines" differs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\x07\x1b[31mred\x1b[0m",
        "\ud800 lone",
        "\u202eright to left",
        "a\tb\r\nc\u2028d",
        "x" * 100_000,
        "word " * 20_000,
        "\n" * 10_000,
        "e\u0301" * 50,
    ],
    ids=["nothing", "control", "surrogate", "rtl", "breaks", "long", "words", "lines", "combining"],
)
def test_no_text_does_harm(text):
    for look in THEMES.values():
        frame = draw(Terminal(text), SIZE, look)
        assert frame.shape == (252, 252, 3)
        assert frame.flags.writeable


def test_wrapping_keeps_every_word():
    rng = np.random.default_rng(0)
    for _ in range(200):
        words = ["x" * int(rng.integers(1, 30)) for _ in range(rng.integers(1, 40))]
        text = " ".join(words)
        columns = int(rng.integers(5, 60))
        lines = font.wrap_text(text, columns)
        assert all(len(line) <= columns for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert font.wrap_text("two words", 80) == ["two words"]
    assert font.wrap_text("a\n\nb", 80) == ["a", "", "b"]

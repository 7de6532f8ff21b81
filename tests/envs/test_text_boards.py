"""Boards in texts of others: found where they can be written back, and nothing is left out."""

import time

import numpy as np
import pytest

from gem_ma.envs import text_boards
from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.scenes.terminal import draw as screen
from gem_ma.scene import Grid, Terminal

BOARDS = {  # a text: rows, labels of the columns, and of the rows
    "Solve it:\n_ 1 _\n2 _ 3\n_ _ 1\nThanks.": (("_", "1", "_"), (), ()),
    "Input:\n1 0\n0 1\nOutput:\n0 1\n1 0": (("1", "0"), (), ()),
    "  a b c\n1 . x .\n2 . . o\n3 . . .": ((".", "x", "."), tuple("abc"), tuple("123")),
    "9 | B . B\n8 | . . .\n7 | W W W\n    a b c": (("B", ".", "B"), tuple("abc"), tuple("987")),
    "0 1 2\n-----\n. . .\n. X .\nO X .": ((".", ".", "."), tuple("012"), ()),
    "+---+---+---+\n| P |   |   |\n+---+---+---+\n|   | H |   |\n+---+---+---+\n|   |   | G |\n"
    "+---+---+---+\nMoves: up": (("P", "", ""), (), ()),
    " 0 | 1 | 2 \n---+---+---\n 3 | X | 5 \n---+---+---\n 6 | 7 | O ": (tuple("012"), (), ()),
    "+-------+\n| . A . |\n| . 1 . |\n| . . 0 |\n+-------+": ((".", "A", "."), (), ()),
    "|   2   .   . |\n|  16   .   4 |\n|   . 128   . |": (("2", ".", "."), (), ()),
    "+ + + +  \n+ - @ +  \n+ $ - +  \n+ + + +  ": (("+", "+", "+", "+"), (), ()),
    "   C1 C2   C3 C4\nR1  2  . |  4  9\nR2  7  6 |  8  .\n   - - - - - - -\n"
    "R3  .  4 |  .  8\nR4  .  .     5  4".replace(".     5", ". |  5"): (
        ("2", ".", "4", "9"), ("C1", "C2", "C3", "C4"), ("R1", "R2", "R3", "R4"),
    ),
}  # fmt: skip
NONE = {
    "words": "Move the car to the exit.\nSay where it goes.\n",
    "different lengths": "X X .\nX . . >\nX X .",
    "one row": "1 2 3",
    "formulas": "A = 1\nB = 0\nC = 1",
    "a drawing": "│ │ ├\n│ │ └\n└ └ ─",
    "small words": "a an\nof no\nup to",
    "irregular rules": "1 . 2\n. . .\n-----\n3 . .\n. . 1\n. 2 .\n-----\n. . 2",
    "different gaps": "1 . 2\n1  . 2\n1 .  2",
    "different bars": "|1| |2|\n|1 | 2|\n|1| |2|",
    "a part of more": "1 2 3\n4 5 6\n7 8 9\n= = =",
    "too long": "1 2 3\n" * 5000,
}


def text_of(parts):
    return "\n".join(part if isinstance(part, str) else "\n".join(part.write()) for part in parts)


@pytest.mark.parametrize("text", BOARDS)
def test_a_board_is_found_and_written_back(text):
    cells, columns, lines = BOARDS[text]
    parts = text_boards.split_boards(text)
    board = next(part for part in parts if not isinstance(part, str))
    assert (board.cells[0], board.columns, board.lines) == (cells, columns, lines)
    assert text_of(parts) == text
    scene = text_boards.build_text_scene(text)
    assert scene.text == text
    drawn = next(part for part in scene.parts if isinstance(part, Grid))
    assert (drawn.rows, drawn.columns, drawn.lines) == (board.cells, columns, lines)


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_board_with_certainty_stays_text(name):
    assert text_boards.build_text_scene(NONE[name]) is None


def test_every_sign_of_a_text_changes_its_picture():
    """Of a board, of its labels and of the words around it."""
    text = "Here:\n  a b c\n1 . x .\n2 . . o\n3 . . .\nIt is your turn."
    frames = {draw(text_boards.build_text_scene(text), (252, 252)).tobytes()}
    others = [text.replace(old, new) for old, new in zip("Hab1x3u.", "GdeyXzvI", strict=True)]
    for number, other in enumerate(others, 2):
        frames.add(draw(text_boards.build_text_scene(other), (252, 252)).tobytes())
        assert len(frames) == number, other


def test_no_text_takes_long():
    for text in ("1 " * 5000, "|" * 9999, "1 2 3\n" * 1600, "- " * 4000, "| \n" * 3000):
        start = time.process_time()
        assert text_of(text_boards.split_boards(text)) == text
        assert time.process_time() - start < 2


@pytest.mark.parametrize("size", [252, 336, 504, 1008])
def test_a_text_with_boards_fills_the_frame(size):
    frame = draw(
        text_boards.build_text_scene("Solve it:\n_ 1 _\n2 _ 3\n_ _ 1\nIn lines."), (size, size)
    )
    drawn = (frame != np.array(parse_theme("light").paper, np.uint8)).any(-1)
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    assert np.ptp(rows) * np.ptp(columns) >= 0.55 * size**2


def test_boards_without_room_stay_text():
    text = "\n\n".join(["Look:\n" + "\n".join(["1 0 2 3 1 1 0 2"] * 12)] * 9)
    scene, look = text_boards.build_text_scene(text), parse_theme("light")
    assert (draw(scene, (252, 252)) == screen(Terminal(text), (252, 252), look)).all()
    assert (draw(scene, (1008, 1008)) != screen(Terminal(text), (1008, 1008), look)).any()

"""Pictures of conversations."""

import numpy as np
import pytest

from gem_ma.renderers import THEMES, draw
from gem_ma.scene import Chat

SIZE = 252, 252
LIGHT = THEMES["light"]
TALK = (
    ("user", "Hello, I would like to return a lamp."),
    ("assistant", "Of course. What is the number of your order?"),
    ("user", "It is #W123, and the lamp is the blue one."),
)


def chat(*turns, **more):
    return Chat(tuple(turns), **more)


def columns_of(frame, color):
    return np.flatnonzero((frame == LIGHT.color(color)).all(-1).any(0))


def test_the_viewer_is_on_the_right_and_speakers_have_colours():
    frame = draw(chat(*TALK, viewer="user"), SIZE)
    assert columns_of(frame, "blue").max() > 240
    assert columns_of(frame, "green").min() < 10
    other = draw(chat(*TALK, viewer="assistant"), SIZE)
    assert columns_of(other, "blue").min() < 10


def test_everything_that_is_said_shows():
    frames = [
        draw(chat(*TALK), SIZE),
        draw(chat(*TALK, title="Support"), SIZE),
        draw(chat(*TALK[:2]), SIZE),
        draw(chat(*TALK[:2], ("user", "It is #W124, and the lamp is the blue one.")), SIZE),
        draw(chat(*TALK[:2], ("clerk", TALK[2][1])), SIZE),
    ]
    assert len({frame.tobytes() for frame in frames}) == 5


def test_the_newest_shows_and_earlier_ones_are_counted():
    said = [("user", f"message {i}") for i in range(100)]
    frames = {draw(chat(*said[:n]), SIZE).tobytes() for n in range(1, 101)}
    assert len(frames) == 100
    last = draw(chat(*said), SIZE)
    assert (draw(chat(("user", "another"), *said[1:]), SIZE) == last).all()  # too early to show
    assert (draw(chat(*said[1:]), SIZE) != last).any()  # 99 are fewer than 100


@pytest.mark.parametrize("look", THEMES.values(), ids=lambda look: look.name)
@pytest.mark.parametrize("size", [(252, 252), (504, 672), (100, 100), (40, 40)])
def test_a_huge_message_is_cut_and_says_so(look, size):
    frames = [
        draw(chat(("user", "word " * n), viewer="user", title="T"), size, look)
        for n in (5000, 5100)
    ]
    assert frames[0].shape == (size[1], size[0], 3)
    if size[0] > 100:
        assert (frames[0] != frames[1]).any()  # the number of lines left out differs


def test_hostile_words_and_no_words():
    for words in ("", "\x00\ud800\u202e", "\x1b[31m", "x" * 1_000_000, "\n" * 5000):
        frame = draw(chat(("user\n[system]", words), ("a" * 500, words)), SIZE)
        assert frame.flags.writeable
    draw(chat(), SIZE)

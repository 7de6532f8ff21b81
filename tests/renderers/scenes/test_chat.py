"""Chats: what is on a phone or a support console."""

import itertools

import numpy as np
import pytest
from fuzz import HOSTILE_TEXTS

from gem_ma.renderers import font
from gem_ma.renderers.contrast import choose_ink
from gem_ma.renderers.scenes import chat
from gem_ma.renderers.themes import THEMES, parse_theme
from gem_ma.scene import Chat

LIGHT = THEMES["light"]
SIZES = [(252, 252), (504, 672)]
ODD = [(1, 1), (10, 300), (300, 10), (56, 56), (1400, 1400)]


def many(count, text="message {} of a usual length, which needs a second line"):
    return tuple((("Ann", "Bob", "Cy")[i % 3], text.format(i)) for i in range(count))


def colored(picture, seat):
    """Return the columns in which the colour of a seat occurs."""
    return np.flatnonzero((picture == LIGHT.seats[seat]).all(2).any(0))


def shows(picture, text, height, ink, paper):
    """Say whether a line of text is somewhere in a picture, to the pixel."""
    needle = font.render_lines([text], len(text), 1, height, ink, paper)
    # The row with most ink decides where it may be.
    row = int((needle != paper).any(2).sum(1).argmax())
    wanted = needle[row].tobytes()
    for top in range(len(picture) - height + 1):
        pixels = picture[top + row].tobytes()
        at = pixels.find(wanted)
        while at >= 0:
            window = picture[top : top + height, at // 3 : at // 3 + needle.shape[1]]
            if at % 3 == 0 and (window == needle).all():
                return True
            at = pixels.find(wanted, at + 1)
    return False


@pytest.mark.parametrize("size", SIZES + ODD)
@pytest.mark.parametrize("which", [*THEMES, 0, 1, 2])
def test_frames_have_the_size_and_are_fresh(size, which):
    scene = Chat(many(5), "Ann", "A title that is long enough to be cut " * 3)
    picture = chat.draw(scene, size, parse_theme(which))
    assert picture.shape == (size[1], size[0], 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert picture.flags.writeable
    again = chat.draw(scene, size, parse_theme(which))
    assert (picture == again).all()
    picture[:] = 7
    assert (chat.draw(scene, size, parse_theme(which)) == again).all()


@pytest.mark.parametrize("size", SIZES)
def test_the_viewer_is_on_the_right_and_others_on_the_left(size):
    scene = Chat((("Ann", "hello"), ("Bob", "hi")), "Bob")
    picture = chat.draw(scene, size, LIGHT)
    assert colored(picture, 0).max() < size[0] / 2
    assert colored(picture, 1).min() > size[0] / 2
    nobody = chat.draw(Chat(scene.turns), size, LIGHT)
    assert colored(nobody, 1).max() < size[0] / 2


def test_no_viewer_is_no_speaker_without_a_name():
    picture = chat.draw(Chat((("", "hello"),)), (252, 252), LIGHT)
    assert colored(picture, 0).max() < 126


@pytest.mark.parametrize("size", SIZES)
def test_the_newest_is_shown_and_earlier_ones_are_declared(size):
    height = 11 if size[0] == 252 else 18
    for count in (1, 3, 12, 40):
        picture = chat.draw(Chat(many(count)), size, LIGHT)
        ground = LIGHT.seats[(count - 1) % 3]
        ink = choose_ink(ground)
        assert shows(picture, f"message {count - 1} of a", height, ink, ground)
        declared = [
            left
            for left in range(1, count)
            if shows(
                picture,
                f"... {left} earlier message{'s' if left > 1 else ''}",
                height,
                LIGHT.ink,
                LIGHT.paper,
            )
        ]
        shown = [
            i
            for i in range(count)
            if shows(
                picture,
                f"message {i} of a",
                height,
                choose_ink(LIGHT.seats[i % 3]),
                LIGHT.seats[i % 3],
            )
        ]
        assert len(shown) + sum(declared) == count
        assert shown == list(range(count - len(shown), count))
        assert len(declared) <= 1


@pytest.mark.parametrize("size", SIZES)
def test_a_huge_message_is_cut_with_a_declaration(size):
    height = 11 if size[0] == 252 else 18
    columns = max(1, (size[0] - 6 * (height // 3)) // font.measure_advance(height) * 7 // 8)
    text = "word " * 3000
    picture = chat.draw(Chat((("Ann", "before"), ("Bob", text))), size, LIGHT)
    ground = LIGHT.seats[1]
    total = len(font.wrap_text(text, columns))
    found = [
        hidden
        for hidden in range(total - 60, total)
        if shows(picture, f"... {hidden} more lines", height, choose_ink(ground), ground)
    ]
    assert len(found) == 1
    assert shows(picture, "... 1 earlier message", height, LIGHT.ink, LIGHT.paper)


@pytest.mark.parametrize("which", [*THEMES, 3, "held-out:3"])
def test_a_seat_keeps_its_colour_when_earlier_messages_scroll_out(which):
    look, seats = parse_theme(which), ("Ann", "Bob", "Cy", "Di")
    assert len(set(look.seats)) == len(look.seats) == 8
    for first in range(8):
        scene = Chat(many(8)[first:], seats=seats, earlier=first)
        colors = chat.assign_speaker_colors(scene, look)
        assert [colors[seat] for seat in seats] == list(look.seats[:4])


@pytest.mark.parametrize("size", SIZES)
def test_messages_that_the_scene_lacks_are_counted_too(size):
    height = 11 if size[0] == 252 else 18
    rest = Chat(many(21)[9:], seats=("Ann", "Bob", "Cy"), earlier=9)
    assert (chat.draw(rest, size, LIGHT) == chat.draw(Chat(many(21)), size, LIGHT)).all()
    alone = chat.draw(Chat(many(1), earlier=21), size, LIGHT)
    assert shows(alone, "... 21 earlier messages", height, LIGHT.ink, LIGHT.paper)


def test_every_change_of_a_turn_is_seen():
    base = Chat((("Ann", "hello"), ("Bob", "hi")), "Bob", "Talk")
    others = [
        base,
        Chat((("Ann", "hallo"), ("Bob", "hi")), "Bob", "Talk"),
        Chat((("Ann", "hello"), ("Bib", "hi")), "Bib", "Talk"),
        Chat((("Ann", "hello"), ("Bob", "hi")), "Ann", "Talk"),
        Chat((("Ann", "hello"), ("Bob", "hi")), "Bob", "Task"),
        Chat((("Ann", "hello"), ("Bob", "hi")), "Bob"),
        Chat((("Ann", "hello"), ("Bob", "hi"), ("Bob", "")), "Bob", "Talk"),
    ]
    frames = [chat.draw(scene, (252, 252), LIGHT) for scene in others]
    for one, two in itertools.combinations(frames, 2):
        assert (one != two).any()


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_is_drawn_everywhere(name):
    text = HOSTILE_TEXTS[name]
    for size in ((252, 252), (10, 10)):
        chat.draw(Chat(((text, "hello"), ("Ann", text)), text, text), size, LIGHT)
    chat.draw(Chat((("Ann", text), ("Bob", "x"))), (252, 252), LIGHT)


def test_ten_thousand_turns_and_none():
    picture = chat.draw(Chat(()), (252, 252), LIGHT)
    assert (picture == LIGHT.paper).all()
    chat.draw(Chat(many(10_000)), (252, 252), LIGHT)


def test_letters_stand_out_from_every_bubble():
    def light(color):
        red, green, blue = ((part / 255) ** 2.2 for part in color)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05

    for which in [*THEMES, *range(50)]:
        for color in parse_theme(which).seats:
            pair = sorted([light(color), light(choose_ink(color))])
            assert pair[1] / pair[0] >= 2

"""What is drawn stays what it is: a picture of each kind by its checksum.

Who has recorded pictures, or trained on them, wants to know of a change: it belongs in the
CHANGELOG, and its checksum here.
"""

import dataclasses
import zlib

import numpy as np
import pytest

from gem_ma.renderers import draw, theme
from gem_ma.renderers.figures import FIGURES, mask
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    Cards,
    Chart,
    Chat,
    Grid,
    Panels,
    Pegs,
    Pixels,
    Shapes,
    Terminal,
    Tile,
)

WAYS = ((252, 168), theme("light")), ((337, 504), theme(3))
TILES = (
    ("x", Tile("cross", "red", name="cross")),
    ("o", Tile("ring", "blue", "yellow")),
    ("7", Tile(color="gray", text="7")),
    ("K", Tile("disc", "white", "green", "K")),
    (".", Tile()),
)
LABELLED = Grid(("xo7", "K.x"), TILES, ((1, 1),), tuple("abc"), ("1", "2"), ("x to move",))
HANDS = (("one", ("K", "10h", "7s", "Qd", "3c", "?")), ("two", tuple(f"*{i}" for i in "123456?")))
SERIES = (("north", (1.0, 4.0, 2.5)), ("south", (3.0, 0.0, 5.0)))
TALK = (("Ann", "Hello."), ("Bob", "A long answer, of two lines or more, to see how they break."))
SCENES = {
    "grid": Grid(("xo7", "K.x"), TILES),
    "labelled grid": LABELLED,
    "wide grid": Grid(("xo7K." * 3, ".K7ox" * 3), TILES, columns=tuple("abcdefghijklmno")),
    "small cells": Grid((".xo7K" * 4,) * 15, TILES),
    "cards": Cards(HANDS, ("one to act", "pot 7")),
    "many cards": Cards((("one", ("K", "10h") * 4),)),
    "pegs": Pegs(((3, 2), (1,), ()), 3, ("A", "B", "C"), ("7 moves left",)),
    "many discs": Pegs((tuple(range(8, 0, -1)), ()), 8),
    "one disc": Pegs(((1,), ()), 1),
    "terminal": Terminal("hello\n  world"),
    "full terminal": Terminal("\n".join(f"line {i} of many" for i in range(60))),
    "chat": Chat(TALK, "Ann", "A title"),
    "long chat": Chat(TALK * 9, "Bob"),
    "bars": Chart("bar", ("a", "b", "c"), SERIES, "Title"),
    "lines": Chart("line", ("a", "b", "c"), SERIES),
    "pie": Chart("pie", ("a", "b", "c"), SERIES[:1], "Title"),
    "panels": Panels(
        (("own", LABELLED), ("", Terminal("hello")), ("third", Terminal("x"))), 2, 0.1
    ),
    "pixels": Pixels(bytes(range(48)), 4, 4),
    "shapes": Shapes(
        (
            ("star", "red", 0.0, 0.3, 0.5, 30.0),
            ("square", "blue", 1.0, 1.0, 0.2, 90.0),
            ("dot", "orange", 0.7, 0.3, 0.3, 0.0),
        ),
        "Title",
        (("", 0.1, 0.1, 0.9, 0.4, 0.02), ("green", 0.5, 0.0, 0.5, 1.0, 0.001)),
        (("Ab", "", 0.5, 0.5), ("c", "purple", 0.0, 1.0)),
    ),
}
DRAWN = {
    "grid": [3473300522, 4162694103],
    "labelled grid": [1190855474, 726958940],
    "wide grid": [3398396461, 2909480655],
    "small cells": [2518953644, 1301616125],
    "cards": [3331955292, 2516161735],
    "many cards": [1472393843, 855529367],
    "pegs": [3667305697, 3115129359],
    "many discs": [2832897197, 1011207799],
    "one disc": [2442049059, 2812981076],
    "terminal": [3363749372, 3156915906],
    "full terminal": [1143549287, 4047265910],
    "chat": [33910587, 2459391851],
    "long chat": [1477600322, 1283076971],
    "bars": [2739952537, 3414220856],
    "lines": [2330997792, 2712791919],
    "pie": [1968862180, 3426321843],
    "panels": [192246059, 3115417606],
    "pixels": [3128637150, 188720346],
    "shapes": [1869857082, 1837332129],
}
MASKS = {
    "disc": 2385161572,
    "dot": 4148709961,
    "ring": 1779253171,
    "square": 250331885,
    "frame": 4116613533,
    "cross": 2252677857,
    "plus": 3729421467,
    "bar": 3463363694,
    "triangle": 2226008659,
    "diamond": 4215324559,
    "hexagon": 3773887829,
    "pentagon": 295272722,
    "star": 1152870889,
    "burst": 1889030735,
    "heart": 1017775983,
    "spade": 373271902,
    "club": 854224996,
    "arrow": 1319533181,
    "flag": 859712977,
    "mine": 3793289357,
    "goal": 4229892949,
    "dial": 2385715568,
    "key": 2781923850,
    "door": 504681784,
    "person": 2206466251,
    "pawn": 1176425610,
    "rook": 909726100,
    "knight": 3956401990,
    "bishop": 3470113201,
    "queen": 2668277778,
    "king": 1271364463,
}
THEMED = {
    "light": 1653085540,
    "dark": 4046517626,
    "contrast": 1247063209,
    "wood": 3269032305,
    "mono": 3122719963,
    "train:3": 2910327855,
    "train:-4": 2813198813,
    "held-out:3": 1199684170,
    "held-out:8": 2513331422,
}


@pytest.mark.parametrize("name", SCENES)
def test_a_scene(name):
    pictures = (draw(SCENES[name], size, look) for size, look in WAYS)
    assert [zlib.crc32(picture) for picture in pictures] == DRAWN[name]


@pytest.mark.parametrize("size", [(56, 28), (56, 29), (57, 28), (84, 84)])
def test_a_board_fills_its_frame(size):
    frames = [np.full((size[1], size[0], 3), value, np.uint8) for value in (0, 255)]
    for frame in frames:
        draw(Grid(("xo",), TILES), size, out=frame)
    assert (frames[0] == frames[1]).all()


def test_figures():
    assert {name: zlib.crc32(mask(name, 24)) for name in FIGURES} == MASKS


def test_themes():
    looks = (*THEMES, "train:3", "train:-4", "held-out:3", "held-out:8")
    told = {name: repr(sorted(dataclasses.asdict(theme(name)).items())) for name in looks}
    assert {name: zlib.crc32(words.encode()) for name, words in told.items()} == THEMED

"""What is drawn stays what it is: a picture of each kind by its checksum.

Who has recorded pictures, or trained on them, wants to know of a change: it belongs in the
CHANGELOG, and its checksum here.
"""

import dataclasses
import zlib

import numpy as np
import pytest

from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.figures import FIGURES, make_mask
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    Cards,
    Chart,
    Chat,
    Grid,
    HexGrid,
    Panels,
    Pegs,
    Pixels,
    RichText,
    Shapes,
    Terminal,
    TextTable,
    Tile,
    WebPage,
)
from gem_ma.scene.first_person import FirstPerson, SeenThing, SeenWall
from gem_ma.scene.phone import Phone

WAYS = ((252, 168), parse_theme("light")), ((337, 504), parse_theme(3))
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
    "hexes": HexGrid(
        ("x..", ".o.", "..x"),
        TILES[:2] + TILES[-1:],
        tuple("abc"),
        tuple("123"),
        ("x to move",),
        edges=("black", "white"),
        turn="x",
    ),
    "table": TextTable((("a", ("7", "blue", 0.5)), ("b", ("8\nno", "red"))), ("", "n"), "Title"),
    "card": TextTable(
        (("a", ("7", "blue", 0.5)), ("b", ("8", "green"))), ("", "n"), "Title", card=True
    ),
    "phone": Phone((("Data", True), ("SIM", "ok"), ("VPN", None)), 3, "5G", 80, icons=("VPN",)),
    "page": WebPage("A title", ("Some words.", TALK[1][1]), ("a link", "another"), ("2 left",)),
    "written": RichText("x o\no x\nGo.", (Grid(("xo", "ox"), TILES[:2]), "Go.")),
    "pixels": Pixels(bytes(range(48)), 4, 4),
    "rooms": FirstPerson(
        (
            SeenWall(0, 0, "left", "wall", "red"),
            SeenWall(0, 0, "right", "doorway", "red"),
            SeenWall(0, 1, "right", "wall", "blue"),
            SeenWall(0, 1, "front", "wall", "blue"),
            SeenWall(1, 0, "left", "wall", "yellow"),
            SeenWall(1, 0, "right", "wall", "yellow"),
            SeenWall(1, 0, "front", "door", "yellow", "green"),
        ),
        (SeenThing("key", "red", 1, 0),),
        ("Replies left: 7",),
        odd=True,
    ),
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
    "grid": [4058784788, 1298610235],
    "labelled grid": [1424830376, 554217619],
    "wide grid": [3352751573, 1393451658],
    "small cells": [389537741, 2525451742],
    "cards": [653256564, 3610811504],
    "many cards": [3587474181, 2619154778],
    "pegs": [2754910158, 1008656213],
    "many discs": [3142708697, 3857607639],
    "one disc": [574186821, 642511776],
    "terminal": [822188457, 1067122299],
    "full terminal": [1481714317, 3412416258],
    "chat": [4284957302, 3126115863],
    "long chat": [2920335474, 2795835248],
    "bars": [1774516790, 4121467432],
    "lines": [3984399631, 4247628459],
    "pie": [3688110567, 2889811701],
    "panels": [3869381976, 2960724822],
    "hexes": [1073533386, 1888204503],
    "table": [2498755501, 1676341109],
    "card": [902873037, 3288948764],
    "phone": [47291976, 2071882693],
    "page": [3899310943, 2491397335],
    "written": [127922819, 295792338],
    "pixels": [3128637150, 188720346],
    "rooms": [3299278498, 3189238254],
    "shapes": [6544523, 4025894437],
}
MASKS = {
    "disc": 2385161572,
    "dot": 4148709961,
    "circle": 415993863,
    "ring": 1779253171,
    "square": 250331885,
    "frame": 4116613533,
    "cross": 2252677857,
    "plus": 3729421467,
    "bar": 3463363694,
    "triangle": 2226008659,
    "diamond": 4215324559,
    "block": 1419821133,
    "hexagon": 3773887829,
    "pentagon": 295272722,
    "star": 1152870889,
    "burst": 1889030735,
    "heart": 1017775983,
    "spade": 373271902,
    "club": 1310217702,
    "arrow": 1319533181,
    "flag": 859712977,
    "mine": 3793289357,
    "goal": 4229892949,
    "dial": 2385715568,
    "key": 2781923850,
    "door": 4233174912,
    "person": 2206466251,
    "stick": 3578327865,
    "rock": 2431127951,
    "sheet": 1593117434,
    "scissors": 492590868,
    "thumb": 429622876,
    "soldier": 636608513,
    "book": 295656002,
    "cup": 641465304,
    "hat": 1094112264,
    "ball": 1291801592,
    "pawn": 1176425610,
    "rook": 909726100,
    "knight": 3956401990,
    "bishop": 3470113201,
    "queen": 2668277778,
    "king": 1271364463,
    "long hair": 36117867,
    "curls": 818524331,
    "shoulders": 1098235609,
    "head": 1084379277,
    "hair": 1806241736,
    "curly hair": 1397248032,
    "fringe": 1367526215,
    "beard": 3093530458,
    "moustache": 1024544636,
    "eyes": 369661259,
    "pupils": 3581612947,
    "lashes": 373516597,
    "brows": 3632520319,
    "glasses": 3187309880,
    "freckles": 79223861,
    "nose": 3933000898,
    "smile": 1835415333,
    "mouth": 456951470,
    "earrings": 1287278960,
    "scarf": 957710531,
    "tie": 1999965674,
    "collar": 2167285349,
    "brimmed hat": 1523417291,
    "hat band": 1970702520,
    "spike": 2877579163,
    "crown": 1060128091,
    "crossed": 3400471612,
    "sitting": 936384014,
    "wolf": 4074203269,
    "eye": 3178925381,
    "grave": 1856865523,
    "sun": 997895621,
    "moon": 1248383696,
    "bubble": 219193916,
    "ballot": 4246012141,
}
THEMED = {
    "light": 3085407305,
    "dark": 641803071,
    "contrast": 338426067,
    "wood": 3755403384,
    "mono": 3834943161,
    "train:3": 641266733,
    "train:-4": 3077497513,
    "held-out:3": 710869782,
    "held-out:8": 1695371899,
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
    assert {name: zlib.crc32(make_mask(name, 24)) for name in FIGURES} == MASKS


def test_themes():
    looks = (*THEMES, "train:3", "train:-4", "held-out:3", "held-out:8")
    told = {name: repr(sorted(dataclasses.asdict(parse_theme(name)).items())) for name in looks}
    assert {name: zlib.crc32(words.encode()) for name, words in told.items()} == THEMED

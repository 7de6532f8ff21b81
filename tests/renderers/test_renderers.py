"""Pictures: complete, the same everywhere, and never shared."""

import numpy as np
import pytest
from playable import FEW, GAMES, IDS, TALKS, unless

import gem_ma
from gem_ma.renderers import (
    BadScene,
    UnknownFigure,
    draw,
    parse_theme,
)
from gem_ma.renderers.figures import FIGURES
from gem_ma.renderers.scenes import grid
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    Cards,
    Chart,
    Grid,
    Panels,
    Pegs,
    Pixels,
    Shapes,
    Terminal,
    TextTable,
    Tile,
    WebPage,
)
from gem_ma.testing import certify

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))
LIGHT = THEMES["light"]


def board(*rows, **more):
    return Grid(rows, TILES, **more)


# What is said comes as text, and screens have tests of their own, in every theme.
SCENES = [env_id for env_id in IDS if not env_id.startswith((*TALKS, "screens:"))]
DRAWN = [env_id for env_id in SCENES if env_id in GAMES]
THEMED = ("light", "dark", "contrast", "wood", "mono", 1, 2)
# By default some games in one of the themes, which the games take in turn, and half as long.
LOOKS = [
    unless(views == 30 and env_id in FEW, env_id, look, views)
    for number, env_id in enumerate(DRAWN)
    for place, look in enumerate(THEMED)
    for views in ((30, 60) if number % len(THEMED) == place else (60,))
] + [unless(False, env_id, "light", 60) for env_id in SCENES if env_id not in DRAWN]


@pytest.mark.parametrize(("env_id", "look", "views"), LOOKS)
def test_pictures_leave_nothing_out(env_id, look, views):
    found = certify(env_id, theme=look, views=views)
    assert found.views >= 10
    assert found.distance > 0.3  # the digits on free cells of TicTacToe are small
    assert found.contrast >= 3


@pytest.mark.parametrize("env_id", ["game:ConnectFour-v0", "game:TicTacToe-v0"])
def test_boards_are_read_back_from_their_pixels(env_id):
    found = certify(env_id, views=300)
    assert found.exact >= 300


def test_figures_stand_out_in_every_theme_on_every_ground():
    for look in (*THEMES.values(), parse_theme(14), parse_theme("held-out:8")):
        for ground in ("", "black", "yellow"):
            tiles = tuple((n, Tile(n, c, ground)) for n in FIGURES for c in ("orange", "white"))
            assert grid.compute_tile_contrast(tiles, 16, look) >= 3


@pytest.mark.parametrize(
    "env_id", ["game:KuhnPoker-v0", "game:LiarsDice-v0", "game:GuessTheNumber-v0-easy"]
)
def test_what_is_hidden_does_not_change_a_seats_picture(env_id):
    env = gem_ma.make(env_id, observe="image")
    env.reset(seed=0)
    frames = {}
    for seed in range(60):
        env.reset(seed=seed)
        for agent in env.possible_agents:
            view = env.game_state.seen_by(agent)
            frames.setdefault((agent, view), set()).add(env.observe(agent)["image"].tobytes())
    assert len(frames) < 60 * len(env.possible_agents)  # some views came up again
    assert all(len(pictures) == 1 for pictures in frames.values())


TURNS = (
    *("Backgammon", "Battleship", "Breakthrough", "Checkers", "Chess", "ConnectFour", "Go", "Hex"),
    *("Conquest", "Nim", "Reversi", "TicTacToe"),
    *("KuhnPoker", "LeducPoker", "LiarsDice", "TexasHoldem"),
    *("MapTask", "RadioMaze", "SpotTheDifference"),
    *("Negotiation", "Pictionary", "Taboo", "Tangram"),
)


@pytest.mark.parametrize("name", TURNS)
def test_pictures_say_whose_turn_it_is(name):
    env = gem_ma.make(f"game:{name}-v0")
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(6):
            for seat in (None, *env.possible_agents):
                view = env.game_state if seat is None else env.match.make_view(seat)
                scene = env.core.observation_builder.build_scene(view, seat)
                parts = [part for _, part in scene.scenes] if hasattr(scene, "scenes") else [scene]
                said = " ".join(line for part in parts for line in part.status)
                for acts in env.to_act:
                    assert f"To act: {acts}" in said or f"{acts} to move" in said
            if env.to_act:
                env.step_seats({seat: env.sample_random_action(seat) for seat in env.to_act})


def test_both_shows_what_text_and_image_show():
    both = gem_ma.make("game:ConnectFour-v0", observe="both", theme="mono")
    image = gem_ma.make("game:ConnectFour-v0", observe="image", theme="mono")
    for env in (both, image):
        env.reset(seed=0)
        env.step("3")
    assert (both.observe("red")["image"] == image.observe("red")["image"]).all()
    rules = both.rules("red")
    assert "In the picture: red (R): dark gray disc on mid gray" in rules
    assert "In the picture" not in gem_ma.make("game:ConnectFour-v0").rules("red")


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (Grid((), TILES), "at least one row"),
        (Grid(("",), TILES), "at least one row and one column"),
        (board("xo", "x"), r"different lengths: \[1, 2\]"),
        (board("xz"), "no tile for the symbol 'z'; there are tiles for 'x', 'o', '.'"),
        (board("xo", marks=((2, 0),)), "is not on the board"),
        (board(*["x" * 700] * 700), "do not fit into 252 x 252 pixels; use a larger image_size"),
        (Cards(()), "at least one row"),
        (Cards((("a", ("*7",)),)), "is no die"),
        (Panels(()), "at least one scene"),
        (Pixels(b"abc", 2, 2), "need 12 bytes, got 3"),
        (Pegs(((4,),), 3), "no disc 4; the discs are 1 to 3"),
        (Pegs(((1,),), 199), "do not fit"),
        (Chart("scatter", ("a",), (("x", (1,)),)), "expected 'bar', 'line' or 'pie'"),
        (Chart("bar", ("a", "b"), (("x", (1,)),)), "1 values for 2 labels"),
        (Chart("bar", ("a",), (("x", (-1,)),)), "0 or more"),
        (Chart("pie", ("a",), (("x", (0,)),)), "not all of it 0"),
        (Shapes((("star", "rde", 0.5, 0.5, 0.1, 0),)), "no colour 'rde'"),
        (Shapes((("star", "red", 1.5, 0.5, 0.1, 0),)), "not in the unit square"),
    ],
)
def test_a_scene_that_makes_no_sense(scene, words):
    with pytest.raises(BadScene, match=words):
        draw(scene, SIZE)


def test_what_is_no_scene():
    with pytest.raises(TypeError, match="no renderer for str; there are renderers for: Cards"):
        draw("board", SIZE)
    with pytest.raises(UnknownFigure, match="no figure 'dsic'; did you mean 'disc'"):
        draw(Grid(("a",), (("a", Tile("dsic")),)), SIZE)


def test_turned_shapes_are_whole():
    upright = draw(Shapes((("square", "green", 0.5, 0.5, 0.4, 0),)), SIZE)
    turned = draw(Shapes((("square", "green", 0.5, 0.5, 0.4, 30),)), SIZE)
    areas = [int((frame == LIGHT.color("green")).all(-1).sum()) for frame in (upright, turned)]
    assert areas[0] == pytest.approx(areas[1], rel=0.06)  # edges are blended


def test_pixels_are_shown_as_they_are():
    picture = np.arange(4 * 4 * 3, dtype=np.uint8).reshape(4, 4, 3)
    frame = draw(Pixels(picture.tobytes(), 4, 4), (8, 8))
    assert (frame[::2, ::2] == picture).all()
    big = np.zeros((100, 300, 3), np.uint8)
    assert draw(Pixels(big.tobytes(), 100, 300), (150, 150)).shape == (150, 150, 3)


@pytest.mark.parametrize("size", [(0, 10), (10, -1)])
def test_sizes_that_make_no_sense(size):
    with pytest.raises(ValueError, match="expected a width and a height of 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_size=size)
    with pytest.raises(ValueError, match="image_unit=0: expected 1 or more"):
        gem_ma.make("game:TicTacToe-v0", image_unit=0)
    assert gem_ma.make("game:TicTacToe-v0", image_unit=1)


LONG = "a status that is longer than any line of a small picture can be, and ends with "
WORDED = {
    "grid": lambda end: board("xo", "ox", status=(LONG + end,)),
    "cards": lambda end: Cards((("one", ("Kh", "*3")),), (LONG + end,)),
    "holders": lambda end: Cards(((LONG + end, ("K",)), ("two", ("Q",)))),
    "pegs": lambda end: Pegs(((2, 1), ()), 2, (), (LONG + end,)),
    "panels": lambda end: Panels(((LONG + end, board("xo")), ("two", board("ox")))),
    "shapes": lambda end: Shapes((("disc", "red", 0.5, 0.5, 0.5, 0),), LONG + end),
    "status of shapes": lambda end: Shapes(
        (("disc", "red", 0.5, 0.5, 0.5, 0),), status=(LONG + end,)
    ),
    "title of a chart": lambda end: Chart("bar", ("a", "b"), (("x", (1, 2)),), LONG + end),
    "labels of a chart": lambda end: Chart(
        "bar", ("much alike 1", f"much alike {end}"), (("x", (1, 2)),)
    ),
    "names of series": lambda end: Chart(
        "line", ("a", "b"), (("much alike 1", (1, 2)), (f"much alike {end}", (2, 1)))
    ),
    "slices": lambda end: Chart("pie", ("much alike 1", f"much alike {end}"), (("x", (1, 2)),)),
    "table": lambda end: TextTable((("much alike 1", f"much alike {end}"),), (), LONG + end),
    "page": lambda end: WebPage(LONG + end, (LONG,), ("a link",), (LONG + end,)),
    "terminal": lambda end: Terminal("a line of words\n" * 100 + LONG + end),
}


@pytest.mark.parametrize("side", [84, 112, 168, 252, 504])
@pytest.mark.parametrize("kind", WORDED)
def test_no_end_of_words_is_left_out(kind, side):
    frames = [draw(WORDED[kind](end), (side, side)).tobytes() for end in "23"]
    assert frames[0] != frames[1]


def test_what_is_drawn_on_plain_ground_is_what_is_drawn_over_anything():
    # A line below makes the ground of the second uneven, where the figure does not cover it.
    item = ("star", "red", 0.5, 0.5, 0.5, 0.0)
    plain = draw(Shapes((item,)), SIZE)
    over = draw(Shapes((("dot", "black", 0.26, 0.74, 0.01, 0.0), item)), SIZE)
    assert 0 < (plain != over).any(-1).sum() < 20

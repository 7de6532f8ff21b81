"""Scenes in frames of any size: what has no room is drawn larger, and reduced."""

import io

import numpy as np
import pytest
from PIL import Image
from playable import EVERY_ID, TALKS

import gem_ma
from gem_ma.renderers import draw, parse_theme
from gem_ma.renderers.png import render_png
from gem_ma.renderers.scenes import grid
from gem_ma.scene import (
    Cards,
    Chart,
    Chat,
    Grid,
    HexGrid,
    Panels,
    Pegs,
    RichText,
    Shapes,
    Terminal,
    TextTable,
    Tile,
    WebPage,
)
from gem_ma.scene.phone import Phone

SIDES = (84, 112, 168, 224)
TILES = (("x", Tile("disc", "red")), (".", Tile()))
LONG = "Some words that say how it stands, and then some more. " * 4


def board(side, end=""):
    return Grid(("x." * (side // 2),) * side, TILES, status=(LONG + end,))


SCENES = {
    "grid": lambda end: board(20, end),
    "cards": lambda end: Cards((("a hand", ("10h",) * 20),), (LONG + end,)),
    "chart": lambda end: Chart("bar", tuple("abcdefgh"), (("x", tuple(range(8))),), LONG + end),
    "pie": lambda end: Chart("pie", ("a slice", f"slice {end}"), (("x", (1, 2)),), LONG),
    "chat": lambda end: Chat((("a", LONG), ("b", end)), "a title"),
    "hexes": lambda end: HexGrid(("x.x.x.x",) * 7, TILES, status=(LONG + end,), turn="x"),
    "panels": lambda end: Panels(((LONG, board(8)), ("right", board(8, end))), 2),
    "pegs": lambda end: Pegs(((9, 8, 7, 6, 5, 4, 3, 2, 1), (), ()), 9, ("a", "b", end), (LONG,)),
    "rich text": lambda end: RichText(f"words {end}", ("some words", board(4), end)),
    "shapes": lambda end: Shapes(labels=((f"a label {end}", "", 0.5, 0.5),), status=(LONG,)),
    "table": lambda end: TextTable((("a cell", "another", "a third one"),) * 9, (), LONG + end),
    "card": lambda end: TextTable((("a cell", "another"), ("a third", end)), (), LONG, card=True),
    "phone": lambda end: Phone((("a setting", True), ("another", end)), 3, "5G", 80),
    "terminal": lambda end: Terminal("a line of words\n" * 20 + end),
    "page": lambda end: WebPage("A title", (LONG,), ("a link",) * 5, (LONG + end,)),
}


@pytest.mark.parametrize("env_id", EVERY_ID)
def test_every_position_is_drawn_in_small_pictures(env_id):
    """Play to the end, and draw what every seat and a spectator see; each text has its picture."""
    env = gem_ma.make(env_id, observe="image")
    builders = [
        gem_ma.make(env_id, observe="image", image_size=side).observation_builder for side in SIDES
    ]
    apart = gem_ma.make(env_id, image_size=84, panels="apart", observe="image").observation_builder
    texts_by_frame = {}
    viewers = None, *env.possible_agents
    env.reset(seed=7)
    while True:
        sampled = env.turns < 8 or env.turns % 15 == 0
        in_turn = viewers[env.turns % len(viewers)]
        for seat in (in_turn,) * sampled if env.to_act else viewers:
            view = env.game_state if seat is None else env.match.make_view(seat)
            text = env.game.describe(view, seat)
            for side, builder in zip(SIDES, builders, strict=True):
                frame = builder.render_image(view, seat)
                assert frame.shape == (side, side, 3)
                texts_by_frame.setdefault((seat, frame.tobytes()), set()).add(text)
            pictures = apart.build_pictures(view, seat, "")
            for picture in pictures if isinstance(pictures, tuple) else (pictures,):
                assert picture.array.shape == (84, 84, 3)
        if not env.to_act:
            break
        env.step_seats({seat: env.sample_random_action(seat) for seat in env.to_act})
    if not env_id.startswith((*TALKS, "screens:")):
        assert all(len(texts) == 1 for texts in texts_by_frame.values())


@pytest.mark.parametrize(
    "size", [(84, 84), (40, 40), (250, 30), (30, 250), (9, 9), (1, 1)], ids=str
)
@pytest.mark.parametrize("kind", SCENES)
def test_no_frame_is_too_small(kind, size):
    frames = [draw(SCENES[kind](end), size) for end in "23"]
    assert frames[0].shape == (size[1], size[0], 3)
    if min(size) >= 30:
        assert (frames[0] != frames[1]).any()


def test_a_board_with_room_keeps_its_scale_and_a_cramped_one_is_reduced():
    bare = Grid(("x.",) * 2, TILES)
    assert (draw(bare, (40, 40)) == grid.draw(bare, (40, 40), parse_theme("light"))).all()
    cramped = Grid(("x." * 5,) * 10, TILES, status=("Some words below.",))
    larger = draw(cramped, (168, 168), unit=56).reshape(84, 2, 84, 2, 3).mean((1, 3))
    assert abs(draw(cramped, (84, 84)) - larger).max() <= 1


@pytest.mark.parametrize("scene", [board(8), board(20), board(20, "3")], ids=["8", "20", "21"])
@pytest.mark.parametrize("side", [40, 84, 112, 168])
def test_files_hold_what_is_drawn(scene, side):
    file = Image.open(io.BytesIO(render_png(scene, (side, side))))
    assert (np.asarray(file.convert("RGB")) == draw(scene, (side, side))).all()


def test_what_is_written_into_an_array_is_the_reduced_picture():
    out = np.zeros((84, 84, 3), np.uint8)
    assert draw(board(20), (84, 84), out=out) is out
    assert (out == draw(board(20), (84, 84))).all()

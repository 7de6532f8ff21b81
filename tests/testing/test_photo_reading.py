"""Boards are read back from photos of them."""

import numpy as np
import pytest
from playable import GAMES, unless

import gem_ma
from gem_ma.renderers import PhotoCamera, draw, parse_theme
from gem_ma.scene import Grid, Tile
from gem_ma.testing import ContractError, certify
from gem_ma.testing.photo_reading import read_photographed_board

TILES = (("x", Tile("cross", "red")), ("o", Tile("ring", "blue")), (".", Tile()))
BY_DEFAULT = "game:TicTacToe-v0", "game:Reversi-v0"
BOARDS = [id for id in GAMES if id.startswith("game:")]


@pytest.mark.parametrize("theme", ["light", "dark", "held-out:2"])
def test_a_board_is_read_cell_by_cell(theme):
    look, rng = parse_theme(theme), np.random.default_rng(0)
    for seed, size in enumerate([(252, 252), (336, 196)]):
        camera = PhotoCamera(seed, "held-out")
        rows = tuple(map("".join, rng.choice(["x", "o", "."], (5, 7))))
        board = Grid(rows, TILES, marks=((1, 2),), columns=tuple("abcdefg"), status=("x moves",))
        photo = camera.take_photo(draw(board, size, look))
        empty = Grid(("." * 7,) * 5, TILES, columns=board.columns, status=board.status)
        read, distance = read_photographed_board(photo, empty, look, 28, camera)
        assert read == rows
        assert distance > 10


@pytest.mark.parametrize("env_id", [unless(id in BY_DEFAULT, id) for id in BOARDS])
def test_photos_of_boards_are_certified(env_id):
    """Tiles differ in photos by 40 percent or more of what they differ by without."""
    plain = certify(env_id, views=8)
    for noise in ("photo:4", "photo:held-out:4"):
        found = certify(env_id, noise=noise, views=8)
        assert (found.views, found.exact) == (plain.views, plain.exact)
        assert found.distance > 0.4 * plain.distance or found.distance == plain.distance == np.inf


def test_tiles_that_look_alike_in_photos_are_found():
    class Alike(type(gem_ma.make("game:TicTacToe-v0").game)):
        def picture(self, view, agent):
            scene = super().picture(view, agent)
            ((first, tile), *others) = scene.tiles
            return Grid(scene.rows, ((first, tile), *[(symbol, tile) for symbol, _ in others]))

    with pytest.raises(ContractError, match="is decoded as"):
        certify(gem_ma.Env(Alike()), noise="photo:1", views=20)

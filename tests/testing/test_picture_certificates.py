"""Certificates of pictures: what is left out is found, in any theme and noise."""

import packs
import pytest
from playable import GAMES, IDS, TALKS

import gem_ma
from gem_ma.scene import (
    Grid,
    Panels,
    Tile,
)
from gem_ma.testing import ContractError, certify

TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))


def board(*rows, **more):
    return Grid(rows, TILES, **more)


SCENES = [env_id for env_id in IDS if not env_id.startswith(TALKS)]  # what is said comes as text
DRAWN = [env_id for env_id in SCENES if env_id in GAMES]


@packs.needs("tau")
def test_a_conversation_is_not_certified():
    with pytest.raises(ValueError, match="tau:shop is a conversation"):
        certify("tau:shop")


@pytest.mark.slow  # and sixty by default, above
@pytest.mark.parametrize("env_id", DRAWN)
def test_five_hundred_views_differ_as_their_words_do(env_id):
    assert certify(env_id, views=500).views >= 12  # all there are, where there are fewer


def test_a_picture_that_leaves_something_out_is_found():
    from gem_ma.envs.boards.connect_four import ConnectFour

    class Blind(ConnectFour):
        def picture(self, view, agent):
            return board("...")

    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.Env(Blind()))


def test_a_tile_that_cannot_be_seen_is_found_in_panels_too():
    from gem_ma.envs.boards.connect_four import ConnectFour

    class Faint(ConnectFour):
        def picture(self, view, agent):
            small = Grid(("d" * 30,) * 30, (("d", Tile("door", "red")),))
            return Panels((("", small), ("", board("xo"))))

    with pytest.raises(ContractError, match=r"theme light, in cells of 4 pixels, the tile 'd' \("):
        certify(gem_ma.Env(Faint()))


def test_certify_looks_at_the_theme_and_at_noise():
    assert certify("game:TicTacToe-v0", theme=7, views=20).theme == "train:7"
    env = gem_ma.make("game:TicTacToe-v0", noise="blur:1", observe="image")
    found = certify(env, theme="dark", views=20)
    assert (found.theme, found.views, found.exact) == ("dark", 20, 0)
    assert env.observation_builder.config.theme == "light"
    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.make("game:Chess-v0", noise="downscale:64"), views=500)
    with pytest.raises(ContractError, match="one picture for"):
        certify("game:Chess-v0", noise="downscale:64", views=500)
    assert certify(gem_ma.make("game:Chess-v0", noise="downscale:64"), noise="", views=20).exact

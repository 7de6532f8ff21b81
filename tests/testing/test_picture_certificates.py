"""Certificates of pictures: what is left out is found, in any theme and noise."""

from typing import NamedTuple

import packs
import pytest
from playable import GAMES, IDS, TALKS, unless

import gem_ma
from gem_ma.envs.boards.connect_four import ConnectFour
from gem_ma.game import Game, Message
from gem_ma.scene import (
    Chat,
    Grid,
    Panels,
    Shapes,
    Tile,
)
from gem_ma.testing import ContractError, certify

TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))


def board(*rows, **more):
    return Grid(rows, TILES, **more)


SCENES = [env_id for env_id in IDS if not env_id.startswith(TALKS)]  # what is said comes as text
DRAWN = [env_id for env_id in SCENES if env_id in GAMES]


SPOKEN = [env_id for env_id in IDS if gem_ma.make(env_id).game.conversation]


@pytest.mark.parametrize("env_id", [unless(n % 8 == 0, id) for n, id in enumerate(SPOKEN)])
def test_a_conversation_is_certified(env_id):
    assert certify(env_id, views=60).views >= 60


class Talk(NamedTuple):
    """What was said, and a number that only the words tell."""

    number: int = 0
    said: tuple = ()

    def to_act(self):
        return () if len(self.said) == 4 else ("ann", "ben")[len(self.said) % 2 :][:1]

    def returns(self):
        return {"ann": 0.0, "ben": 0.0}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("Yes.", "No.")


class Phone(Game):
    """Two who say yes or no, in a chat."""

    agents = ("ann", "ben")
    conversation = True

    def start(self, rng, options):
        return Talk(int(rng.integers(5)))

    def read(self, text, view, agent):
        return text

    def advance(self, state, moves, rng):
        (turn,) = moves.items()
        return state._replace(said=(*state.said, turn))

    def tell(self, before, moves, after):
        ((seat, text),) = moves.items()
        return [Message(None, seat, text)]

    def rules(self, agent):
        return "Say yes or no."

    def describe(self, view, agent):
        return "\n".join(f"{seat}: {text}" for seat, text in view.said) or "Nothing was said."

    def picture(self, view, agent):
        return Chat(view.said or (("game", "Nothing was said."),), viewer=agent or "")


class NumberInWordsAlone(Phone):
    def describe(self, view, agent):
        return f"{super().describe(view, agent)}\nThe number is {view.number}."


class OneMessageLate(Phone):
    def picture(self, view, agent):
        return Chat((("game", f"{len(view.said)} messages."), *view.said[:-1]), viewer=agent or "")


def test_what_a_conversation_leaves_out_is_found():
    assert certify(gem_ma.Env(Phone()), views=30).views == 15  # all that there are
    with pytest.raises(ContractError, match=r"one picture for 'The number is \d\.' \(seed"):
        certify(gem_ma.Env(NumberInWordsAlone()))
    with pytest.raises(ContractError, match=r"one picture for '(ann|ben): (Yes|No)\.'"):
        certify(gem_ma.Env(OneMessageLate()))


@pytest.mark.slow  # and sixty by default, above
@pytest.mark.parametrize("env_id", DRAWN)
def test_many_views_differ_as_their_words_do(env_id):
    views = 150 if env_id == "game:Diplomacy-v0" else 500  # whose map takes half a second
    assert certify(env_id, views=views).views >= 12  # all there are, where there are fewer


def test_a_picture_that_leaves_something_out_is_found():
    class Blind(ConnectFour):
        def picture(self, view, agent):
            return board("...")

    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.Env(Blind()))


def test_a_tile_that_cannot_be_seen_is_found_in_panels_too():
    class Faint(ConnectFour):
        def picture(self, view, agent):
            small = Grid(("d" * 30,) * 30, (("d", Tile("door", "red")),))
            return Panels((("", small), ("", board("xo"))))

    with pytest.raises(ContractError, match=r"theme light, in cells of 4 pixels, the tile 'd' \("):
        certify(gem_ma.Env(Faint()))


class Dots(ConnectFour):
    """Connect Four in dots that noise makes one: a disc moves the dot of its cell a little."""

    def picture(self, view, agent):
        shifts = [".RY".index(cell) * 2 for cell in view.board]
        places = [
            (4 + cell % 7 * 9 + shift, 6 + cell // 7 * 9) for cell, shift in enumerate(shifts)
        ]
        return Shapes(tuple([("square", "", x / 252, y / 252, 3 / 252, 0.0) for x, y in places]))


def test_certify_looks_at_the_theme_and_at_noise():
    assert certify("game:TicTacToe-v0", theme=7, views=20).theme == "train:7"
    env = gem_ma.make("game:TicTacToe-v0", noise="blur:1", observe="image")
    found = certify(env, theme="dark", views=20)
    assert (found.theme, found.views, found.exact) == ("dark", 20, 0)
    assert env.observation_builder.config.theme == "light"
    assert certify(gem_ma.Env(Dots()), views=20).views == 20
    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.Env(Dots(), noise="downscale:64"), views=500)
    with pytest.raises(ContractError, match="one picture for"):
        certify(gem_ma.Env(Dots()), noise="downscale:64", views=500)
    assert certify(gem_ma.make("game:Chess-v0", noise="downscale:64"), noise="", views=20).exact


@packs.needs("visual")
@pytest.mark.parametrize(
    ("env_id", "seeds"),
    [
        ("visual:Angles-v0", (72, 1075)),
        ("visual:Quadrilaterals-v0", (57, 283)),
        ("visual:SimilarTriangles-v0", (937, 1275)),
    ],
)
def test_figures_that_look_alike_have_the_same_words(env_id, seeds):
    """Their letters and the orders of their angles are others when they are drawn."""
    views = []
    for seed in seeds:
        env = gem_ma.make(env_id, observe="both")
        env.reset(seed=seed)
        views.append(env.observe("player"))
    (one, other) = views
    assert one["image"].tobytes() == other["image"].tobytes()
    assert one["text"] == other["text"]

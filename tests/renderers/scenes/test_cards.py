"""Cards and dice: told apart, and room for all of them."""

import contextlib

import pytest

import gem_ma
from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.scenes import cards
from gem_ma.scene import Cards, FrameTooSmall

SIZE = 252, 252


def test_cards_and_dice_differ():
    items = [
        *"JQKA",
        *(r + s for r in ("10", "K") for s in "shdc"),
        "?",
        "*?",
        *(f"*{i}" for i in range(1, 7)),
    ]
    frames = {draw(Cards((("one", (item,)),)), SIZE).tobytes() for item in items}
    assert len(frames) == len(items)


@pytest.mark.parametrize(("players", "dice"), [(6, 3), (9, 12), (12, 8), (16, 4)])
def test_dice_of_many_players_fit_at_the_default_size(players, dice):
    env = gem_ma.make("game:LiarsDice-v0", players=players, dice=dice)
    env.reset(seed=0)
    assert env.picture(env.to_act[0]).array.shape == (252, 252, 3)


@pytest.mark.parametrize("item", ["K", "10h", "?", "*3", "*?"])
def test_a_row_of_cards_that_does_not_fit_is_drawn_to_a_smaller_scale(item):
    def row(count):
        return Cards((("one", (item,) * count), ("two", ("*1",))), ("below",))

    def fits(count):
        with contextlib.suppress(FrameTooSmall):
            return cards.draw(row(count), SIZE, THEMES["light"]).any()
        return False

    fitting = [count for count in range(120) if fits(count)]
    assert 8 <= len(fitting) == fitting[-1] + 1
    with pytest.raises(FrameTooSmall, match="use a larger image_size"):
        cards.draw(row(len(fitting)), SIZE, THEMES["light"])
    more = range(len(fitting) - 2, len(fitting) + 3)
    assert len({draw(row(count), SIZE).tobytes() for count in more}) == len(more)

"""In every look each label has its room, nothing lies across another, and all is on the screen."""

import numpy as np
import pytest

from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.game import LOOKS, Screens
from gem_ma.renderers.figures import FIGURES
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import CHECKBOX_SIZE, FIELD_PADDING, TEXT_KINDS, find_widget

SIDES = {"note": 28, "fold": 30, "handle": 4, "select": 34}  # what a widget takes beside its words
SIDES |= dict.fromkeys(("button", "tab"), 8) | dict.fromkeys(("check", "radio"), CHECKBOX_SIZE + 7)
SIDES |= dict.fromkeys(("item", "cell", "list"), 2 * FIELD_PADDING)
ALONE = {"label", "title", "link", "button", "tab", "check", "radio", "select", "list", "slider"}
ALONE |= {"fold", *TEXT_KINDS}


def cut(one):
    """Return what of its words a widget has no room for."""
    if one.kind in ("image", *TEXT_KINDS) or (one.kind == "handle" and one.text in FIGURES):
        return []
    bold = one.kind == "title" or one.tone == "bold"
    texts = [*one.text.split("\n"), *(map(str, one.options) if one.kind in SIDES else ())]
    room = one.w - SIDES.get(one.kind, 0)
    return [text for text in texts if text_metrics.measure_width(text, one.type, bold) > room]


def crossing(page):
    """Return the pairs of widgets that lie across one another, with no window between."""
    grounds = [n for n, one in enumerate(page) if one.kind == "veil" or one.tone == "window"]
    for first, last in zip([0, *grounds], [*grounds, len(page)], strict=True):
        alone = [one for one in page[first:last] if one.kind in ALONE]
        alone = [one for one in alone if one.kind != "label" or one.text]
        for number, one in enumerate(alone):
            for other in alone[number + 1 :]:
                wide = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
                high = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
                if one.inside == other.inside and wide > 1 and high > 1:
                    yield one.id, other.id


def outside(one):
    """Return whether a part of a widget is beside the screen, and nothing scrolls to it."""
    inside = 0 <= one.x <= 448 - one.w and 0 <= one.y <= 448 - one.h
    return not inside and not one.inside and one.kind != "veil"


def tidy(family, difficulty, seeds):
    for look in LOOKS:
        game = Screens(family, difficulty=difficulty, look=look)
        for seed in range(seeds):
            state = game.start(np.random.default_rng(seed), {})
            while state.to_act():
                assert [(one.kind, one.w, cut(one)) for one in state.page if cut(one)] == []
                assert list(crossing(state.page)) == []
                assert [one for one in state.page if outside(one)] == []
                move = game.read(state.hint("player"), state, "player")
                state = game.advance(state, {"player": move}, None)
            assert state.score == 1.0, look


@pytest.mark.parametrize("family", REGISTER)
def test_every_word_has_its_room(family):
    tidy(family, 10, 1)


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", [0, 3, 5, 7, 10])
@pytest.mark.parametrize("family", REGISTER)
def test_every_word_has_its_room_often(family, difficulty):
    tidy(family, difficulty, 20)


@pytest.mark.parametrize("family", ["attaching", "transferring"])
def test_what_lies_behind_the_other_window_cannot_be_used(family):
    game = Screens(family, difficulty=10, look="large")  # in which windows overlap more
    for seed in range(20):
        page = game.start(np.random.default_rng(seed), {}).page
        for one in page:
            if one.kind not in ("box", "label") and not one.id.startswith("title"):
                assert find_widget(page, one.x + one.w // 2, one.y + one.h // 2) is one

"""The words of a password field tell no more than its picture, however long the password is."""

import pytest

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens.tree import described
from gem_ma.envs.screens.ui import Ui
from gem_ma.renderers.scenes.widgets import draw_widget
from gem_ma.renderers.themes import parse_theme
from gem_ma.scene.screen import Widget

THEME = parse_theme("light")


def look_and_describe(many, wide, type, caret):
    """Return the picture and the words of a field with so many letters; caret None: no focus."""
    one = Widget("one", "password", 10, 10, wide, 30, value="x" * many, type=type)
    ui = Ui() if caret is None else Ui(focus=one.id, caret=caret, anchor=caret)
    carets = () if caret is None else (caret, caret)
    picture = draw_widget(one, THEME, THEME.paper, "flat", carets, False)
    return picture.tobytes(), described([one], ui, Coordinates("pixels"))


@pytest.mark.parametrize("type", [14, 18])
def test_passwords_of_one_picture_have_one_text(type):
    for wide in (120, 131, 184, 217, 240, 308):
        words_by_picture = {}
        for many in range(45):
            for caret in (None, 0, many // 2, many):
                picture, words = look_and_describe(many, wide, type, caret)
                assert words_by_picture.setdefault(picture, words) == words


def test_short_passwords_are_counted_and_long_ones_are_not():
    assert "holds 14 letters at" in look_and_describe(14, 184, 14, None)[1]
    texts = {look_and_describe(many, 240, 14, many)[1] for many in (31, 40, 400)}
    assert len(texts) == 1
    assert "letters or more, focused" in texts.pop()

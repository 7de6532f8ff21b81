"""The look of a phone: icons and photos that differ, and letters that can be read."""

import itertools

import numpy as np
import pytest

from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes.touch.icons import ICONS, make_icon_mask
from gem_ma.renderers.scenes.touch.pictures import PHOTO_KINDS, make_photo, make_wallpaper
from gem_ma.renderers.scenes.touch.widgets import find_tone
from gem_ma.scene.screen import Screen, Widget


def test_no_two_icons_look_alike():
    masks = {name: make_icon_mask(name, 22).astype(int) for name in ICONS}
    for mask in masks.values():
        assert 20 * 255 < mask.sum() < 22 * 22 * 255 * 0.8
    for one, other in itertools.combinations(masks.values(), 2):
        assert abs(one - other).sum() > 15 * 255


def test_photos_of_two_kinds_differ_more_than_those_of_one():
    photos = {kind: [make_photo(kind, n, 60).astype(int) for n in range(3)] for kind in PHOTO_KINDS}
    for one, other in itertools.combinations(photos, 2):
        assert abs(photos[one][0] - photos[other][0]).mean() > 25
    for mine in photos.values():
        assert abs(mine[0] - mine[1]).mean() > 1


@pytest.mark.parametrize("theme", THEMES)
def test_white_letters_can_be_read_on_every_wallpaper(theme):
    for number in range(8):
        color = find_tone(f"seat{number}", THEMES[theme], (0, 0, 0))
        wall = make_wallpaper(56, 112, color)
        brightest = wall.reshape(-1, 3)[wall.sum(-1).argmax()]
        assert compute_contrast((255, 255, 255), tuple(brightest.tolist())) >= 4.5


def test_a_pane_has_round_corners_over_whatever_is_below():
    under = Widget("a", "pane", 0, 0, 60, 60, tone="red")
    over = Widget("b", "pane", 10, 10, 40, 40, options=(16,), tone="raised")
    frame = draw(Screen((under, over), 60, 60, look="phone"), (60, 60), THEMES["light"])
    assert (frame[10, 10] == frame[0, 0]).all()
    assert (frame[30, 30] == 255).all()
    part = draw(Screen((under, over._replace(x=12)), 60, 60, look="phone"), (60, 60))
    assert not np.array_equal(part, frame)

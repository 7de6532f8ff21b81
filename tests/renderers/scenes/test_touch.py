"""The look of a phone: icons and photos that differ, and letters that can be read."""

import itertools

import numpy as np
import pytest

from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes.touch.icons import ICONS, make_icon_mask
from gem_ma.renderers.scenes.touch.pictures import (
    PHOTO_KINDS,
    ROUTES,
    make_map,
    make_photo,
    make_route_map,
    make_wallpaper,
)
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


def draw_parts(*parts, size=(120, 60)):
    ground = Widget("ground", "pane", 0, 0, *size, tone="screen")
    return draw(Screen((ground, *parts), *size, look="phone"), size, THEMES["light"])


@pytest.mark.parametrize("group", ["", "box"])
def test_a_switch_that_is_off_draws_nothing_beside_that_which_is_on(group):
    off, on = (
        (draw_parts(Widget("a", "check", 0, 0, 120, 60, "", value, tone="seat0", group=group))
         != draw_parts()).any(-1)
        for value in (False, True)
    )  # fmt: skip
    assert off.any()
    assert not (off & ~on).any()


@pytest.mark.parametrize("value", [0, 100])
def test_the_track_of_a_slider_ends_at_its_thumb(value):
    one = Widget("a", "slider", 0, 10, 120, 34, "", value, (0, 100, 5), tone="seat0")
    drawn = (draw_parts(one) != draw_parts()).any(-1).any(0)
    stripes = np.count_nonzero(np.diff(drawn.astype(int), prepend=0) == 1)
    assert stripes == 2  # the track and the thumb


def test_a_floating_button_lies_over_whatever_is_below():
    card = Widget("card", "pane", 0, 0, 120, 30, tone="card")
    button = Widget("a", "button", 30, 1, 58, 58, "", options=("add",), tone="seat0")
    frame, under = draw_parts(card, button), draw_parts(card)
    for y, x in ((1, 30), (1, 87), (58, 30), (58, 87)):
        assert (frame[y, x] == under[y, x]).all()
    assert (frame[30, 35] != under[30, 35]).any()


@pytest.mark.parametrize("size", [(448, 180), (448, 818), (640, 180), (640, 1200)])
def test_routes_stay_on_the_map_and_follow_its_streets(size):
    for number in range(4):
        plain = make_map(number, *size, True).astype(int)
        streets = (plain == 255).all(-1) | (abs(plain - (250, 222, 150)).sum(-1) < 6)
        near = streets.copy()
        for shift in range(1, 5):
            for axis in (0, 1):
                for way in (shift, -shift):
                    near |= np.roll(streets, way, axis)
        for route in range(ROUTES):
            frame = make_route_map(number, route, *size, True).astype(int)
            blue = (frame == (26, 104, 224)).all(-1)
            assert blue.any()
            assert not np.concatenate([blue[0], blue[-1], blue[:, 0], blue[:, -1]]).any()
            assert near[blue].mean() > 0.9


@pytest.mark.parametrize("radius", [8, 14, 24])
def test_an_outline_with_round_corners_changes_nothing_around_it(radius):
    under = draw_parts()
    for outline in ("", "seat0", "seat4"):
        options = (radius, outline) if outline else (radius,)
        frame = draw_parts(Widget("a", "pane", 10, 5, 100, 50, tone="field", options=options))
        assert (frame[5:7, 10:11] == under[5:7, 10:11]).all()
        assert (frame[:5] == under[:5]).all()
        assert (frame[:, 110:] == under[:, 110:]).all()
        middle = frame[30]
        edges = int((middle != middle[60]).any(-1)[10:110].sum())
        assert edges == (4 if outline else 0)  # two pixels at each side

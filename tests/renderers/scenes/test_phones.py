"""Phones: each part of a phone changes its picture, and nothing is cut."""

from dataclasses import replace

import numpy as np
import pytest

from gem_ma.renderers import BadScene, draw, parse_theme
from gem_ma.renderers.scenes import phone
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import FrameTooSmall
from gem_ma.scene.phone import Phone

LIGHT = THEMES["light"]
ROWS = (("Mobile data", True), ("SIM card", "missing"), ("Roaming", False), ("VPN", None))
SCENE = Phone(ROWS, 2, "4G", 80, icons=("data",))
CHANGES = (
    {"signal": 3},
    {"signal": 0},
    {"signal": None},
    {"network": "5G"},
    {"battery": 15},
    {"battery": None},
    {"airplane": True},
    {"icons": ("data", "VPN")},
    {"rows": (("Mobile data", False), *ROWS[1:])},
    {"rows": (("Mobile data", None), *ROWS[1:])},
    {"rows": (ROWS[0], ("SIM card", "active"), *ROWS[2:])},
)


@pytest.mark.parametrize("size", [(113, 252), (336, 336), (1008, 500)])
@pytest.mark.parametrize("theme", ["light", "dark", "mono", "train:3"])
def test_each_part_changes_the_picture(size, theme):
    look = parse_theme(theme)
    frames = {draw(replace(SCENE, **one), size, look).tobytes() for one in ({}, *CHANGES)}
    assert len(frames) == len(CHANGES) + 1


def test_a_switch_that_is_on_has_its_knob_at_the_right():
    def knob(value):
        frame = phone.draw(Phone((("A", value),)), (126, 252), LIGHT)
        return np.flatnonzero((frame == 255).all(2).any(0)).mean()

    assert knob(True) > knob(False) + 4


def test_a_phone_is_as_high_as_its_frame_and_upright():
    drawn = (phone.draw(SCENE, (500, 300), LIGHT) != np.array(LIGHT.paper)).any(2)
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    assert len(rows) >= 296
    assert columns[-1] - columns[0] < 0.63 * 300


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (replace(SCENE, signal=5), "signal=5: expected 0 to 4"),
        (replace(SCENE, battery=101), "battery=101: expected 0 to 100"),
        (Phone(()), "at least one row"),
    ],
)
def test_a_phone_that_makes_no_sense(scene, message):
    with pytest.raises(BadScene, match=message):
        draw(scene, (252, 252))


def test_a_phone_that_does_not_fit_is_drawn_smaller_and_never_cut():
    scene = replace(SCENE, rows=(("a label that is longer than a phone is wide", "value"),))
    with pytest.raises(FrameTooSmall, match="a phone with 1 rows"):
        phone.draw(scene, (113, 252), LIGHT)
    assert draw(scene, (113, 252)).shape == (252, 113, 3)

"""Names of colours: a theme calls its colours what people call them, and all can be told apart."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import gem_ma
from gem_ma.renderers import parse_theme
from gem_ma.renderers.color_names import SURVEY_COLORS, find_color_name
from gem_ma.renderers.contrast import compute_contrast, compute_luminance
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import COLORS, GROUNDS

SAMPLED = [f"{split}:{seed}" for split in ("train", "held-out") for seed in range(40)]
LOOKS = [parse_theme(name) for name in (*THEMES, *SAMPLED)]
# What readers with protanopia, deuteranopia and tritanopia see of linear red, green and blue
# (Machado, Oliveira and Fernandes 2009, severity 1).
VISIONS = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
)


def test_colours_are_called_by_the_names_of_the_survey():
    assert {find_color_name(color) for color in SURVEY_COLORS.values()} == {*SURVEY_COLORS}
    assert find_color_name((213, 94, 0)) == "orange"
    assert find_color_name((182, 130, 82), shades=True) == "light brown"
    for look in LOOKS:
        for color in COLORS:
            said = look.describe_color(color)
            if look.name == "mono" and "gray" in said:
                continue
            assert find_color_name(look.color(color)) == said, (look.name, color)


@pytest.mark.parametrize("vision", range(len(VISIONS)))
def test_named_colours_differ_for_every_kind_of_colour_vision(vision):
    def see(color):
        """Return the colour as it is seen, in a space of even steps: lightness counts most."""
        linear = (np.array(color) / 255) ** 2.2
        x, y, z = np.clip(np.array(VISIONS[vision]) @ linear, 0, 1) ** (1 / 2.2)
        light = compute_luminance(color) if not vision else (x + 2 * y + z / 4) / 3.25
        return np.array([100 * float(light), 40 * (x - y), 40 * (y - z)])

    colors = {name: see(THEMES["light"].color(name)) for name in COLORS}
    for one, other in itertools.combinations(COLORS, 2):
        assert np.abs(colors[one] - colors[other]).sum() > 9, (one, other)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_grounds_with_other_meanings_differ(look):
    assert {*look.grounds} == {*GROUNDS}
    for one, other in (
        ("light-square", "dark-square"),
        ("floor", "wall"),
        ("floor", "outside"),
        ("wall", "outside"),
    ):
        assert compute_contrast(look.color(one), look.color(other)) >= 1.6


def test_the_theme_wood_looks_like_wood():
    wood = THEMES["wood"]
    for ground in ("light-square", "dark-square", "board", "floor"):
        assert wood.describe_color(ground) in ("tan", "light brown", "brown")


def test_no_seat_has_the_colour_of_a_name():
    for look in LOOKS:
        assert not {*look.seats} & {look.color(color) for color in COLORS}


def test_the_pages_show_seats_in_the_same_colours():
    css = Path(gem_ma.__file__).with_name("evaluation").joinpath("page", "look.css").read_text()
    colors = re.findall(r"--s\d: #(\w\w)(\w\w)(\w\w)", css)
    on_page = [tuple(int(part, 16) for part in color) for color in colors]
    assert on_page == [*THEMES["light"].seats, *THEMES["dark"].seats]


def test_an_unknown_colour_says_which_there_are():
    with pytest.raises(ValueError, match=r"no colour 'sea'; there are red, .*, water"):
        THEMES["light"].color("sea")

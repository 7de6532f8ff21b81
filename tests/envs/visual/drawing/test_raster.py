"""What a picture paints, against areas and another program, and what an overlap earns."""

import itertools
import math

import numpy as np
import pytest
from PIL import Image, ImageDraw

from gem_ma.envs.visual.drawing import figures, raster, svg
from gem_ma.renderers import draw, parse_theme

FINE = 10  # pixels of a unit in the pictures of the other program


def painted(text):
    return raster.paint(svg.parse_svg(text))


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ('<rect x="10" y="20" width="30" height="40" fill="A"/>', 1200),
        ('<rect x="0" y="0" width="100" height="30" fill="A"/>', 2000),  # without the key
        ('<rect x="90" y="90" width="300" height="300" fill="A"/>', 100),
        ('<polygon points="10,20 40,20 40,60 10,60" fill="A"/>', 1200),
        ('<polygon points="10,60 40,60 40,20 10,20" fill="A"/>', 1200),  # the other way around
        ('<path d="M10 20H40V60H10Z" fill="A"/>', 1200),
        ('<polygon points="10,20 50,20 10,60" fill="A"/>', 800),
        ('<line x1="10" y1="50" x2="90" y2="50" stroke="A" stroke-width="4"/>', 320),
        ('<polyline points="10,50 60,50 60,90" stroke="A" stroke-width="10"/>',
         875 + 25 * math.pi / 4),
        ('<rect x="20" y="20" width="40" height="40" stroke="A" stroke-width="10"/>',
         1600 - 100 + 25 * math.pi),
        ('<circle cx="50" cy="50" r="20" fill="A"/>', 400 * math.pi),
        ('<ellipse cx="50" cy="50" rx="30" ry="10" fill="A"/>', 300 * math.pi),
        ('<circle cx="50" cy="50" r="20" stroke="B" stroke-width="6"/>', 240 * math.pi),
    ],
)  # fmt: skip
def test_areas(text, area):
    assert np.count_nonzero(painted(text)) == pytest.approx(area, rel=0.03)


def paint_with_pillow(elements):
    """Return the colours in a picture ten times as fine, at the middles of cells."""
    image = Image.new("L", (100 * FINE, 100 * FINE))
    pen = ImageDraw.Draw(image)
    for one in elements:
        ink = 1 + "ABCD".index(one.fill or one.stroke)
        numbers = [number * FINE for number in one.numbers]
        if one.name == "rect":
            x, y, wide, high = numbers
            pen.rectangle((x, y, x + wide - 1, y + high - 1), fill=ink)
        elif one.name == "line":
            pen.line(numbers, fill=ink, width=round(one.width * FINE))
        elif one.name == "lines":
            pen.polygon(numbers, fill=ink)
        else:
            x, y, wide, *high = numbers
            high = high[0] if high else wide
            half = one.width * FINE / 2 if one.stroke else 0
            box = (x - wide - half, y - high - half, x + wide + half, y + high + half)
            if half:
                pen.ellipse(box, outline=ink, width=round(2 * half))
            else:
                pen.ellipse(box, fill=ink)
    return np.array(image)[FINE * raster.TOP + FINE // 2 :: FINE, FINE // 2 :: FINE]


@pytest.mark.parametrize("seeds", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_another_program_paints_the_same(seeds):
    kinds, shares = set(), []
    for seed in range(seeds):
        elements = figures.sample_figure(
            np.random.default_rng(seed), *figures.LEVELS[10 - seed % 6]
        )
        kinds |= {(one.name, bool(one.fill)) for one in elements}
        other = paint_with_pillow(elements)
        shares.append(np.mean(raster.paint(elements) != other))
    assert max(shares) < 0.015  # it rounds the width of lines and the corners of polygons
    assert np.mean(shares) < 0.005
    assert len(kinds) == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_shows_what_is_paid(theme):
    palette = parse_theme(theme)
    inks = [palette.paper, *(palette.color(name) for name in figures.COLORS.values())]
    for seed in range(6):
        elements = figures.sample_figure(np.random.default_rng(seed), *figures.LEVELS[2 * seed])
        image = draw(figures.make_scene(elements), (500, 500), palette)[52::5, 2::5]
        away = [np.abs(image.astype(int) - ink).sum(-1) for ink in inks]
        different = np.argmin(away, axis=0) != raster.paint(elements)
        assert np.mean(different[:-1, 1:-1]) < 0.004  # within the frame


def test_every_element_can_be_seen():
    for seed in range(10):
        elements = figures.sample_figure(np.random.default_rng(seed), *figures.LEVELS[seed])
        whole = raster.paint(elements)
        for n, one in enumerate(elements):
            rest = raster.paint((*elements[:n], *elements[n + 1 :]))
            alone = np.count_nonzero(raster.paint((one,)))
            color = raster.paint((one,)).max()
            seen = (raster.paint((one,)) > 0) & (whole == color)
            assert np.count_nonzero(seen) >= max(figures.FEWEST, figures.SHOWN * alone)
            assert len(elements) == 1 or (rest != whole).any() or color in rest


def sets_of(cells):
    return {
        color: {(int(y), int(x)) for y, x in np.argwhere(cells == color)} for color in range(1, 5)
    }


def test_overlaps_are_those_of_sets_of_cells():
    rng = np.random.default_rng(5)
    for _ in range(10):
        one, other = (figures.sample_figure(rng, *figures.LEVELS[6]) for _ in range(2))
        other = (*other, *one[1:])
        right, said = (sets_of(raster.paint(elements)) for elements in (one, other))
        colors = [color for color in right if right[color] or said[color]]
        overlap = sum(len(right[c] & said[c]) / len(right[c] | said[c]) for c in colors) / len(
            colors
        )
        used = [color for color in right if right[color]]
        least = max(len(right[color]) for color in used) / 9000 / len(used)
        earned = raster.grade(raster.paint(one), raster.paint(other))
        assert earned == pytest.approx(max(0, (overlap - least) / (1 - least)), abs=0.0101)
        assert raster.grade(raster.paint(one), raster.paint(one)) == 1


def test_a_picture_of_one_colour_earns_nothing():
    for seed, color in itertools.product(range(6), svg.COLORS):
        right = raster.paint(figures.sample_figure(np.random.default_rng(seed), *figures.LEVELS[5]))
        full = painted(f'<rect width="100" height="100" fill="{color}"/>')
        assert (full == 1 + svg.COLORS.index(color)).all()
        assert raster.grade(right, full) == 0
        assert raster.grade(right, np.zeros_like(right)) == 0
        assert raster.grade(full, full) == 1
        assert raster.grade(full, right) == 0

"""Figures of filled shapes, outlines and lines: sampled, in words, and as a Scene."""

import math

import numpy as np

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual import canvas
from gem_ma.envs.visual.drawing import raster, svg
from gem_ma.envs.visual.drawing.svg import SIDE, Element
from gem_ma.envs.visual.question import pick, some
from gem_ma.envs.visual.shapes import things
from gem_ma.scene import Shapes

KINDS = ("rectangle", "circle", "line", "triangle", "ellipse", "polygon", "outline")
# Elements, the first of KINDS, colours, the least and the largest size.
LEVELS = interpolate_levels(
    {
        0: (1, 1, 1, 26, 46),
        2: (2, 3, 2, 20, 42),
        5: (4, 5, 3, 16, 36),
        8: (7, 7, 4, 12, 30),
        10: (10, 7, 4, 9, 26),
    }
)
LEFT, TOP, RIGHT, LOW = 4, 14, 96, 96  # where a figure stands
FEWEST, SHOWN = 30, 0.6  # cells of an element that can be seen, and the share of its cells
_AROUND = 36  # corners of a circle in a Scene
COLORS = dict(zip(svg.COLORS, things.COLORS, strict=True))
FORM = (
    f"The frame is {SIDE} wide and high, from its top left; what is above y = {raster.TOP}, the "
    "key, does not count. An SVG has elements beside each other: rect, circle, ellipse, line, "
    'polyline, polygon, and path with M, L, H, V and Z. Colours are letters, as fill="A" and '
    'stroke="B" with a stroke-width; later elements cover earlier ones. It has at most '
    f"{svg.MOST} elements and {svg.LONGEST} characters"
)
PAYS = (
    "the overlap of the drawing with the figure: of each colour, the area that both paint in it, "
    "divided by the area that either paints in it, in the mean over the colours; less what one "
    "colour all over would get, so that an empty or a full picture earns nothing, and the exact "
    "one earns 1"
)
SAMPLES = tuple(
    [
        f'<svg><rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{color}"/></svg>'
        for color in svg.COLORS
        for size in (20, 45)
        for y in (15, 35, 50)
        for x in (5, 28, 50)
    ]
)


def sample_figure(rng, many, kinds, colors, least, most):
    """Sample the elements of a figure, each of which can be seen for the most part."""
    letters = some(rng, svg.COLORS, colors)
    while True:
        elements: list[Element] = []
        for _ in range(8 * many):
            color = letters[len(elements)] if len(elements) < colors else pick(rng, letters)
            one = _sample_element(rng, pick(rng, KINDS[:kinds]), color, least, most)
            if _are_seen([*elements, one]):
                elements.append(one)
            if len(elements) == many:
                return tuple(elements)


def _are_seen(elements):
    """Return whether enough of each element is left when the later ones are painted over it."""
    left = None
    for one in reversed(elements):
        own = raster.paint((one,)) > 0
        seen = own if left is None else own & ~left
        many = int(np.count_nonzero(seen))
        if many < max(FEWEST, SHOWN * np.count_nonzero(own)):
            return False
        left = own if left is None else left | own
    return True


def _sample_element(rng, kind, color, least, most):
    wide, high = rng.integers(least, most + 1, size=2).tolist()
    if kind in ("circle", "outline"):
        wide = high = max(wide, high, 18 if kind == "outline" else least)
    x = int(rng.integers(LEFT, RIGHT - wide + 1))
    y = int(rng.integers(TOP, LOW - high + 1))
    if kind == "rectangle":
        return Element("rect", color, "", 1, (x, y, wide, high))
    if kind in ("circle", "outline"):
        radius = wide // 2
        place = (x + radius, y + radius, radius)
        if kind == "circle":
            return Element("circle", color, "", 1, place)
        width = max(3, radius // 3)
        return Element("circle", "", color, width, (*place[:2], radius - (width + 1) // 2))
    if kind == "ellipse":
        return Element(
            "ellipse", color, "", 1, (x + wide // 2, y + high // 2, wide // 2, high // 2)
        )
    if kind == "line":
        ends = (x, y, x + wide, y + high) if rng.integers(2) else (x, y + high, x + wide, y)
        return Element("line", "", color, int(rng.integers(3, 7)), ends)
    many = 3 if kind == "triangle" else int(rng.integers(4, 7))
    start, corners = rng.random(), []
    for n in range(many):
        angle = 2 * math.pi * (n + start) / many
        corners += [
            round(x + wide * (1 + math.cos(angle)) / 2),
            round(y + high * (1 + math.sin(angle)) / 2),
        ]
    return Element("lines", color, "", 1, tuple(corners), True)


def describe(shown):
    """Return the elements of a figure in words."""
    lines = [f"{n}. {_describe_element(one)}" for n, one in enumerate(shown, 1)]
    return "\n".join(["Its elements; later ones cover earlier ones.", *lines])


def _describe_element(one):
    numbers = [f"{number:g}" for number in one.numbers]
    if one.name == "rect":
        x, y, wide, high = numbers
        return (
            f"rectangle of colour {one.fill}, {wide} wide and {high} high, its top left at {x}, {y}"
        )
    if one.name == "circle":
        x, y, radius = numbers
        kind = f"circle of colour {one.fill}" if one.fill else (
            f"outline of a circle, of colour {one.stroke}, {one.width:g} thick"
        )  # fmt: skip
        return f"{kind}, with the radius {radius} and its middle at {x}, {y}"
    if one.name == "ellipse":
        x, y, wide, high = numbers
        return (
            f"ellipse of colour {one.fill}, with the radii {wide} across and {high} down, and its "
            f"middle at {x}, {y}"
        )
    places = [f"{x}, {y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
    if one.name == "line":
        return f"line of colour {one.stroke}, {one.width:g} thick, from {' to '.join(places)}"
    return f"polygon of colour {one.fill}, with corners at {'; '.join(places)}"


def make_scene(shown):
    """Return the elements of a figure as a Scene, in a frame, below the key of colours."""
    samples, labels = things.key()
    low = things.TOP - 0.02
    lines = (*canvas.border(0.002, 0.998, 0.004), ("", 0.0, low, 1.0, low, 0.004))
    areas = [
        (
            COLORS[one.fill or one.stroke],
            tuple([(min(1.0, max(0.0, x / SIDE)), y / SIDE) for x, y in _list_corners(one)]),
        )
        for one in shown
    ]
    return Shapes(samples, lines=lines, labels=labels, areas=tuple(areas))


def _list_corners(one):
    """Return the corners of a polygon that looks like an element."""
    numbers = one.numbers
    if one.name == "rect":
        x, y, wide, high = numbers
        return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    if one.name == "line":
        ax, ay, bx, by = numbers
        length = math.hypot(bx - ax, by - ay)
        i, j = one.width * (by - ay) / length / 2, one.width * (ax - bx) / length / 2
        return [(ax + i, ay + j), (bx + i, by + j), (bx - i, by - j), (ax - i, ay - j)]
    if one.name == "lines":
        return list(zip(numbers[::2], numbers[1::2], strict=True))
    x, y, wide, *high = numbers
    high = high[0] if high else wide
    half = one.width / 2 if one.stroke else 0
    rim = _list_rim(x, y, wide + half, high + half)
    return [*rim, *reversed(_list_rim(x, y, wide - half, high - half))] if half else rim


def _list_rim(x, y, wide, high):
    turns = [2 * math.pi * n / _AROUND for n in range(_AROUND + 1)]
    return [(x + wide * math.cos(turn), y + high * math.sin(turn)) for turn in turns]

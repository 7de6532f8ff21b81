"""Boards: whole cells, all that they show, and read back from their pixels."""

import io

import numpy as np
import pytest
from PIL import Image
from playable import unless

from gem_ma.renderers import (
    draw,
    parse_theme,
)
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.figures import FIGURES
from gem_ma.renderers.png import render_png
from gem_ma.renderers.scenes import grid
from gem_ma.renderers.themes import THEMES
from gem_ma.scene import (
    COLORS,
    Grid,
    Tile,
)

SIZE = 252, 252
TILES = (("x", Tile("cross", "red", name="cross")), ("o", Tile("ring", "blue")), (".", Tile()))


def board(*rows, **more):
    return Grid(rows, TILES, **more)


@pytest.mark.parametrize(
    ("rows", "columns", "unit", "size", "cell"),
    [
        (9, 9, 28, (252, 252), 28),
        (3, 3, 28, (252, 252), 84),
        (4, 4, 28, (252, 252), 56),
        (8, 8, 32, (256, 256), 32),
        (20, 20, 28, (252, 252), 12),
        (6, 7, 28, (252, 252), 36),
        (8, 8, 28, (252, 252), 28),
        (8, 8, 28, (336, 336), 42),
    ],
)
def test_cells_are_multiples_of_the_unit_where_that_pays(rows, columns, unit, size, cell):
    scene = board(*["x" * columns] * rows)
    place = grid.compute_grid_layout(scene, size, unit)
    assert place.cell == cell
    if cell % unit == 0:
        assert place.left % unit == place.top % unit == 0


def test_a_board_is_read_back_with_labels_marks_and_status():
    scene = board(
        "xo.",
        ".xo",
        marks=((1, 1),),
        columns=("a", "b", "c"),
        lines=("1", "2"),
        status=("x to move",),
    )
    for look in [*THEMES.values(), parse_theme(3), parse_theme(3, "held-out")]:
        frame = draw(scene, SIZE, look)
        assert frame.shape == (252, 252, 3)
        assert grid.decode_frame(frame, scene, look) == ("xo.", ".xo")
        frame[grid.compute_grid_layout(scene, SIZE, 28).top + 5] ^= 1
        assert "?" in "".join(grid.decode_frame(frame, scene, look))


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        unless((number + place) % 3 == 0, shape, size)
        for number, shape in enumerate([(3, 3), (2, 3), (3, 2), (6, 7), (9, 9), (1, 1)])
        for place, size in enumerate([(252, 252), (336, 252), (250, 401)])
    ],
)
@pytest.mark.parametrize("more", [{}, {"status": ("x to move",)}, {"columns": tuple("abcdefghi")}])
def test_every_board_is_closed_at_all_sides(shape, size, more):
    rows, columns = shape
    if "columns" in more:
        more = {"columns": more["columns"][:columns]}
    scene = board(*["." * columns] * rows, **more)
    for look in (THEMES["light"], THEMES["dark"], parse_theme(3)):
        place = grid.compute_grid_layout(scene, size, 28)
        right = min(place.left + columns * place.cell, size[0] - 1)
        bottom = min(place.top + rows * place.cell, size[1] - 1)
        for frame in (draw(scene, size, look), read_png(render_png(scene, size, look))):
            inside = frame[place.top : bottom + 1, place.left : right + 1]
            for side in (inside[0], inside[-1], inside[:, 0], inside[:, -1]):
                assert (side == look.line).all()
            assert grid.decode_frame(frame, scene, look) == ("." * columns,) * rows


def read_png(file):
    return np.asarray(Image.open(io.BytesIO(file)).convert("RGB"))


@pytest.mark.parametrize("side", [252, 336, 448, 1008])
def test_captions_leave_the_board_its_room(side):
    status = "Move 31, white to move", "Castling KQkq, en passant -", "Clock 3 of 100, seen 2x"
    labels = {"columns": tuple("abcdefgh"), "lines": tuple("87654321")}
    scene = board(*["x.x.x.x."] * 8, status=status, **labels)
    place = grid.compute_grid_layout(scene, (side, side), 28)
    assert len(grid.place_status(status, (side, side), place)) == 3
    assert 3 * place.text <= 0.15 * side
    assert 8 * place.cell >= 0.75 * side


def test_a_mark_stands_out_on_every_ground():
    for look in [*THEMES.values(), *map(parse_theme, range(20))]:
        for ground in ("light-square", "dark-square", "board", "felt", "", "blue", "white"):
            cell = grid.draw_tile(Tile(ground=ground), 27, look, marked=True)
            assert compute_contrast(cell[0, 13], cell[13, 13]) >= 3


def test_everything_on_a_grid_shows():
    plain = board("xo", "..")
    frames = {
        draw(scene, SIZE).tobytes()
        for scene in (
            plain,
            board("ox", ".."),
            board("xo", "..", marks=((0, 0),)),
            board("xo", "..", status=("o to move",)),
            board("xo", "..", columns=("a", "b")),
            board("xo", "..", lines=("1", "2")),
        )
    }
    assert len(frames) == 6


def test_all_figures_and_colours_can_be_told_apart():
    for look in [*THEMES.values(), *(parse_theme(i) for i in range(5))]:
        figures = tuple((name, Tile(name, "blue")) for name in FIGURES)
        assert grid.compute_tile_distance(figures, 28, look) > 0.5
        colors = tuple((name, Tile("disc", name)) for name in COLORS)
        assert grid.compute_tile_distance(colors, 28, look) > 2

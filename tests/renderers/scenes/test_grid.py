"""Boards: whole cells, all that they show, and read back from their pixels."""

import pytest

from gem_ma.renderers import (
    draw,
    parse_theme,
)
from gem_ma.renderers.figures import FIGURES
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

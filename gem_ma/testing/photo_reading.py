"""Reading boards back from photos of them, cell by cell."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import NamedTuple

import numpy as np

from gem_ma.renderers import PhotoCamera, Theme, draw
from gem_ma.renderers.cache import memoize
from gem_ma.renderers.scenes import grid
from gem_ma.scene import Grid

# Places of the points of a cell that are compared, across and down; its frame is left out.
_STEPS = 0.1 + 0.8 * (np.arange(16) + 0.5) / 16


def read_photographed_board(
    photo: np.ndarray, scene: Grid, theme: Theme, unit: int, camera: PhotoCamera
) -> tuple[tuple[str, ...], float]:
    """Return the rows of symbols in a photo; the symbols in `scene` itself are ignored.

    Each cell is read as the tile that looks most like it there. The second result is the mean
    difference of the two most similar tiles in one cell, in levels per channel.
    """
    size = photo.shape[1], photo.shape[0]
    blank = dataclasses.replace(scene, rows=((scene.tiles[0][0],) * len(scene.rows[0]),), marks=())
    blank = dataclasses.replace(blank, rows=blank.rows * len(scene.rows))
    samples = _photograph_tiles(blank, size, theme, unit, camera)
    cells = photo[samples.rows, samples.columns].astype(np.int16)
    distances = [np.abs(cells - tile).mean((1, 2)) for tile in samples.tiles]
    symbols = [scene.tiles[number][0] for number in np.argmin(distances, 0)]
    wide = len(scene.rows[0])
    rows = tuple(["".join(symbols[at : at + wide]) for at in range(0, len(symbols), wide)])
    return rows, samples.distance


class _TileSamples(NamedTuple):
    """How each tile looks in each cell of a photo, at some of its pixels."""

    rows: np.ndarray  # cells x pixels
    columns: np.ndarray
    tiles: np.ndarray  # tiles x cells x pixels x 3
    distance: float

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.columns.nbytes + self.tiles.nbytes


@memoize
def _photograph_tiles(
    blank: Grid, size: tuple[int, int], theme: Theme, unit: int, camera: PhotoCamera
) -> _TileSamples:
    """Take a photo of a board full of each tile."""
    layout = grid.compute_grid_layout(blank, size, unit)
    across = layout.left + layout.cell * np.add.outer(np.arange(layout.columns), _STEPS)
    down = layout.top + layout.cell * np.add.outer(np.arange(layout.rows), _STEPS)
    x, y = np.broadcast_arrays(across[None, :, None, :], down[:, None, :, None])
    places = camera.locate_points(np.stack([x, y], -1), size).astype(int)
    columns, rows = places.T.reshape(2, layout.rows * layout.columns, -1)
    photos = []
    for symbol, _ in blank.tiles:
        full = tuple([(symbol,) * layout.columns] * layout.rows)
        board = draw(dataclasses.replace(blank, rows=full), size, theme, unit)
        photos.append(camera.take_photo(board)[rows, columns])
    nearest = [
        np.abs(one.astype(np.int16) - other).mean((1, 2)).min()
        for one, other in itertools.combinations(photos, 2)
    ]
    return _TileSamples(rows, columns, np.stack(photos), float(min(nearest, default=math.inf)))

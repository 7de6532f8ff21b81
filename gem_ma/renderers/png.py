"""PNG files: of a Grid straight from its tiles, with compressed rows of cells kept and joined."""

from __future__ import annotations

import functools
import io
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image

from gem_ma.renderers import grid
from gem_ma.renderers.drawing import draw
from gem_ma.renderers.themes import THEMES, Theme
from gem_ma.scene import Grid, Tile

_ADLER = 65521
_KEPT = 4096  # compressed rows of cells for each look of a board


def png(scene: Any, size: tuple[int, int], theme: Theme = THEMES["light"], unit: int = 28) -> bytes:
    """Return the scene as a PNG file, the same picture as `draw` makes."""
    if isinstance(scene, Grid):
        place = grid.layout(scene, size, unit)
        look = scene.columns, scene.lines, scene.status
        board = _board(look, scene.tiles, size, theme, place)
        if board is not None:
            return board.encode(grid.indices(scene))
    return from_array(draw(scene, size, theme, unit))


def from_array(picture: np.ndarray) -> bytes:
    """Return an array of height x width x 3 bytes as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", compress_level=1)
    return file.getvalue()


@functools.lru_cache(maxsize=128)
def _board(
    look: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    tiles: tuple[tuple[str, Tile], ...],
    size: tuple[int, int],
    theme: Theme,
    place: grid.Layout,
) -> _Board | None:
    """Return what is the same in all pictures of a board, or None for more than 256 colours."""
    canvas = grid.canvas(*look, size, theme, place)
    drawn = grid.tile_pictures(tiles, place.cell, theme)
    colors = np.concatenate([canvas.reshape(-1, 3), drawn.reshape(-1, 3)]).astype(np.uint32)
    codes, numbers = np.unique(colors @ np.array([65536, 256, 1], np.uint32), return_inverse=True)
    if len(codes) > 256:
        return None
    palette = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], 1).astype(np.uint8)
    split = canvas.shape[0] * canvas.shape[1]
    numbers = numbers.reshape(-1).astype(np.uint8)
    background = numbers[:split].reshape(canvas.shape[:2])
    return _Board(background, numbers[split:].reshape(drawn.shape[:3]), palette, place)


class _Board:
    def __init__(
        self, canvas: np.ndarray, tiles: np.ndarray, palette: np.ndarray, place: grid.Layout
    ):
        height, width = canvas.shape
        self.canvas, self.tiles, self.place = canvas, tiles, place
        header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
        self.head = (
            b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", palette.tobytes())
        )
        self.tail = _chunk(b"IEND", b"")
        self.above = _band(canvas[: place.top])
        self.below = _band(canvas[place.top + place.rows * place.cell :])
        self.rows: dict[tuple[int, bytes], tuple[bytes, int, int, int]] = {}
        # Rows of cells stand between margins, which may hold the numbers of the lines.
        tops = [place.top + row * place.cell for row in range(place.rows)]
        margins = [canvas[top : top + place.cell].tobytes() for top in tops]
        self.tops = [tops[margins.index(margin)] for margin in margins]

    def encode(self, indices: np.ndarray) -> bytes:
        """Join the compressed rows; the checksum of the whole follows from those of the parts."""
        parts, low, high = [b"\x78\x01"], 1, 0
        rows = map(self._row, self.tops, indices)
        for band in (self.above, *rows, self.below):
            compressed, length, a, b = band
            parts.append(compressed)
            high = (high + length * low + b) % _ADLER
            low = (low + a) % _ADLER
        parts.append(b"\x03\x00" + struct.pack(">I", high << 16 | low))
        return self.head + _chunk(b"IDAT", b"".join(parts)) + self.tail

    def _row(self, top: int, indices: np.ndarray) -> tuple[bytes, int, int, int]:
        key = top, indices.tobytes()
        band = self.rows.get(key)
        if band is None:
            if len(self.rows) >= _KEPT:
                self.rows.clear()
            place = self.place
            pixels = self.canvas[top : top + place.cell].copy()
            cells = self.tiles[indices].transpose(1, 0, 2).reshape(place.cell, -1)
            pixels[:, place.left : place.left + cells.shape[1]] = cells
            band = self.rows[key] = _band(pixels)
        return band


def _band(pixels: np.ndarray) -> tuple[bytes, int, int, int]:
    """Compress rows of pixels so that they can stand between any others."""
    rows = np.zeros((pixels.shape[0], pixels.shape[1] + 1), np.uint8)  # a filter byte before each
    rows[:, 1:] = pixels
    raw = rows.tobytes()
    packer = zlib.compressobj(6, zlib.DEFLATED, -15, 9)
    checksum = zlib.adler32(raw, 0)
    packed = packer.compress(raw) + packer.flush(zlib.Z_FULL_FLUSH)
    return packed, len(raw), checksum & 0xFFFF, checksum >> 16


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return b"".join((struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)))

"""PNG files of scenes: a Grid from cached compressed bands, other scenes from their pixels."""

from __future__ import annotations

import contextlib
import itertools
import struct
import threading
import zlib
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import RENDER_CACHE
from gem_ma.renderers.drawing import check_room, draw, normalize_scene
from gem_ma.renderers.noises import ImageNoise
from gem_ma.renderers.scenes import grid
from gem_ma.renderers.themes import THEMES, Theme
from gem_ma.scene import FrameTooSmall, Grid

_ADLER_MODULUS = 65521
_ZLIB_LEVEL, _ZLIB_MEMORY = 2, 6  # small tables that fit into the processor's cache
_MAX_COLORS = 256  # of a palette
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def render_png(
    scene: object,
    size: tuple[int, int],
    theme: Theme = THEMES["light"],
    unit: int = 28,
    noise: ImageNoise | None = None,
) -> bytes:
    """Return the scene as a PNG file with the same pixels as `draw`."""
    scene = normalize_scene(scene)
    if isinstance(scene, Grid) and not noise:
        with contextlib.suppress(FrameTooSmall):
            check_room(scene, size, unit)
            style = grid.prepare_style(scene, size, theme, unit)
            key = "png", style.style_id, scene.columns, scene.lines, size
            board = RENDER_CACHE.get(key)
            if board is None:
                board = RENDER_CACHE.put(key, _BoardEncoder(scene, size, style))
            file: bytes | None = board.encode(scene)
            if file is not None:
                return file
    return encode_png(draw(scene, size, theme, unit, noise=noise))


def encode_png(picture: np.ndarray) -> bytes:
    """Encode an array of height x width x 3 bytes as a PNG file.

    Rows are not filtered: drawn pictures repeat themselves, and zlib finds the repetitions.
    """
    height, width, _ = picture.shape
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 0  # no filter
    rows[:, 1:] = picture.reshape(height, -1)
    packer = zlib.compressobj(_ZLIB_LEVEL, zlib.DEFLATED, 15, _ZLIB_MEMORY)
    data = packer.compress(rows.data) + packer.flush()
    return (
        _SIGNATURE
        + _make_header(width, height, 2)
        + _make_chunk(b"IDAT", data)
        + _make_chunk(b"IEND", b"")
    )


_encoder_ids = itertools.count(-1, -1)  # negative, since ids of styles are 0 and more


class _CompressedBand(NamedTuple):
    """A band of compressed pixel rows that can be joined with any others."""

    data: bytes
    length: int  # of the uncompressed rows
    low: int  # lower and upper half of their checksum
    high: int
    last: int = -1  # the highest palette rank of the tiles in the band

    @property
    def nbytes(self) -> int:
        return len(self.data)


class _BoardEncoder:
    """The parts that files of one kind of board share: the palette and the positions.

    The palette is ordered by tiles, plain ones before marked ones. A file has the palette up to
    its last tile, so its bytes do not depend on the files that were encoded before.
    """

    def __init__(self, scene: Grid, size: tuple[int, int], look: grid.GridStyle):
        self.size, self.style = size, look
        theme, place = look.theme, look.layout
        self.encoder_id = next(_encoder_ids)  # in the cache keys of its bands
        self.lock = threading.Lock()
        self.colors: dict[int, int] = {}  # colour as an integer -> index in the palette
        shades = self._index_colors(font.make_shades(theme.ink, theme.paper)[:: font.COVERAGE_STEP])
        self.shades = shades.repeat(font.COVERAGE_STEP)[:256]
        self.line_index = self._index_colors(np.array([[theme.line]], np.uint8))[0, 0]
        self.heads_by_count: dict[int, bytes] = {}  # by number of colours
        # number of colours before each tile, for the tiles so far
        self.color_counts = [len(self.colors)]
        self.end_chunk = _make_chunk(b"IEND", b"")
        canvas = np.full(size[::-1], self.shades[0], np.uint8)  # no coverage: the paper
        for x, y, label, text in grid.place_labels(scene.columns, scene.lines, place):
            self._draw_line(canvas, x, y, label, text)
        self.canvas = canvas
        # The lines that close the grid.
        self.right = min(place.left + place.columns * place.cell, size[0] - 1)
        self.bottom = min(place.top + place.rows * place.cell, size[1] - 1)
        canvas[place.top : self.bottom, self.right] = self.line_index
        canvas[self.bottom, place.left : self.right + 1] = self.line_index
        self.nbytes = 2 * canvas.nbytes
        self.top_band = _compress_rows(canvas[: place.top])
        # Rows of cells have margins left and right, which may contain row labels.
        tops = [place.top + row * place.cell for row in range(place.rows)]
        margins = [canvas[top : top + place.cell].tobytes() for top in tops]
        self.row_tops = [tops[margins.index(margin)] for margin in margins]
        self.blank_bands: dict[int, _CompressedBand] = {}
        below = place.top + place.rows * place.cell
        self.closing_band = _compress_rows(canvas[below : self.bottom + 1])  # empty in a full frame

    def encode(self, scene: Grid) -> bytes | None:
        """Join the compressed bands into a file; return None if there are more than 256 colours.

        The checksum of the file is computed from those of the bands.
        """
        style, text = self.style, self.style.layout.text
        bands = [self.top_band]
        layout = style.layout
        marks = grid.find_marked_columns(scene.marks, layout.rows, layout.columns)
        for place, row in enumerate(scene.rows):
            key: Hashable = (self.encoder_id, self.row_tops[place], row, marks.get(place))
            band = RENDER_CACHE.get(key)
            if band is None:
                tile_numbers = grid.index_row(row, style.tiles, marks.get(place, ()))
                band = RENDER_CACHE.put(key, self._encode_row(self.row_tops[place], tile_numbers))
            bands.append(band)
        bands.append(self.closing_band)
        y = self.bottom + 1
        for x, top, line in grid.place_status(scene.status, self.size, style.layout):
            if top > y:
                bands.append(self._make_blank_band(top - y))
            key = self.encoder_id, line
            band = RENDER_CACHE.get(key)
            if band is None:
                strip = np.full((text, self.size[0]), self.shades[0], np.uint8)
                self._draw_line(strip, x, 0, line, text)
                band = RENDER_CACHE.put(key, _compress_rows(strip))
            bands.append(band)
            y = top + text
        if y < self.size[1]:
            bands.append(self._make_blank_band(self.size[1] - y))
        colors = self.color_counts[max(band.last for band in bands) + 1]
        if colors > _MAX_COLORS:
            return None
        head = self.heads_by_count.get(colors) or self._make_head(colors)
        parts, low, high = [b"\x78\x01"], 1, 0
        for compressed, length, a, b, _ in bands:
            parts.append(compressed)
            high = (high + length * low + b) % _ADLER_MODULUS
            low = (low + a) % _ADLER_MODULUS
        parts.append(b"\x03\x00" + struct.pack(">I", high << 16 | low))
        return head + _make_chunk(b"IDAT", b"".join(parts)) + self.end_chunk

    def _encode_row(self, top: int, numbers: Sequence[int]) -> _CompressedBand:
        place = self.style.layout
        pixels = self.canvas[top : top + place.cell].copy()
        tiles = {number: self._index_tile(number) for number in dict.fromkeys(numbers)}
        cells = np.concatenate([tiles[number] for number in numbers], 1)
        pixels[:, place.left : place.left + cells.shape[1]] = cells
        pixels[:, self.right] = self.line_index
        if self.bottom < top + place.cell:
            pixels[-1, place.left : self.right + 1] = self.line_index
        return _compress_rows(pixels)._replace(last=max(map(self._compute_rank, tiles)))

    def _compute_rank(self, number: int) -> int:
        """Return the position of a tile in the order of the palette."""
        return number // 2 + number % 2 * len(self.style.tiles)

    def _index_tile(self, number: int) -> np.ndarray:
        indices: np.ndarray | None = RENDER_CACHE.get((self.encoder_id, number))
        if indices is not None:
            return indices
        rank, kinds = self._compute_rank(number), len(self.style.tiles)
        with self.lock:
            while len(self.color_counts) < rank + 2:
                mark, kind = divmod(len(self.color_counts) - 1, kinds)
                before = 2 * kind + mark
                indices = self._index_colors(grid.render_tile(self.style, before))
                self.color_counts.append(len(self.colors))  # before other threads can find the tile
                RENDER_CACHE.put((self.encoder_id, before), indices)
        indices = RENDER_CACHE.get((self.encoder_id, number))
        if indices is None:
            indices = self._index_colors(grid.render_tile(self.style, number))
            RENDER_CACHE.put((self.encoder_id, number), indices)
        return indices

    def _index_colors(self, pixels: np.ndarray) -> np.ndarray:
        """Return the palette index of each pixel; new colours are appended to the palette.

        Earlier compressed bands stay valid, since no index changes.
        """
        wide = pixels.astype(np.uint32)
        codes = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
        unique_codes, inverse = np.unique(codes, return_inverse=True)
        places = [self.colors.setdefault(one, len(self.colors)) for one in unique_codes.tolist()]
        # `encode` checks the number of colours.
        return np.array(places).astype(np.uint8)[inverse].reshape(codes.shape)

    def _make_head(self, many: int) -> bytes:
        colors = b"".join(code.to_bytes(3, "big") for code in [*self.colors][:many])
        head = self.heads_by_count[many] = (
            _SIGNATURE + _make_header(*self.size, 3) + _make_chunk(b"PLTE", colors)
        )
        return head

    def _draw_line(self, pixels: np.ndarray, x: int, y: int, line: str, height: int) -> None:
        """Draw a line of text on plain paper, clipped at the borders of `pixels`."""
        letters = self.shades[font.render_coverage(line, height)]
        part = pixels[y : y + height, x : x + letters.shape[1]]
        part[:] = letters[: part.shape[0], : part.shape[1]]

    def _make_blank_band(self, rows: int) -> _CompressedBand:
        """Return a compressed band of empty rows."""
        band = self.blank_bands.get(rows)
        if band is None:
            band = _compress_rows(np.full((rows, self.size[0]), self.shades[0], np.uint8))
            self.blank_bands[rows] = band
        return band


def _compress_rows(pixels: np.ndarray) -> _CompressedBand:
    rows = np.zeros((pixels.shape[0], pixels.shape[1] + 1), np.uint8)  # a filter byte before each
    rows[:, 1:] = pixels
    raw = rows.tobytes()
    packer = zlib.compressobj(_ZLIB_LEVEL, zlib.DEFLATED, -15, _ZLIB_MEMORY)
    checksum = zlib.adler32(raw, 0)
    data = packer.compress(raw) + packer.flush(zlib.Z_FULL_FLUSH)
    return _CompressedBand(data, len(raw), checksum & 0xFFFF, checksum >> 16)


def _make_header(width: int, height: int, kind: int) -> bytes:
    return _make_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))


def _make_chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return b"".join((struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)))

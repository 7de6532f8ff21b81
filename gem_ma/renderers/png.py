"""PNG files: of a Grid straight from its tiles, with compressed bands kept and joined."""

from __future__ import annotations

import itertools
import struct
import threading
import zlib
from typing import Any, NamedTuple

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.drawing import draw, proper
from gem_ma.renderers.kept import KEPT
from gem_ma.renderers.noises import Noise
from gem_ma.renderers.scenes import grid
from gem_ma.renderers.themes import THEMES, Theme
from gem_ma.scene import Grid

_ADLER = 65521
_LEVEL, _MEMORY = 2, 6  # of zlib: small tables, which stay near the processor
_COLORS = 256  # of a palette
_SIGN = b"\x89PNG\r\n\x1a\n"


def png(
    scene: Any,
    size: tuple[int, int],
    theme: Theme = THEMES["light"],
    unit: int = 28,
    noise: Noise | None = None,
) -> bytes:
    """Return the scene as a PNG file, the same picture as `draw` makes."""
    scene = proper(scene)
    if isinstance(scene, Grid) and not noise:
        look = grid.prepared(scene, size, theme, unit)
        key = "png", look.number, scene.columns, scene.lines, size
        board = KEPT.get(key)
        if board is None:
            board = KEPT.put(key, _Board(scene, size, look))
        file: bytes | None = board.encode(scene)
        if file is not None:
            return file
    return from_array(draw(scene, size, theme, unit, noise=noise))


def from_array(picture: np.ndarray) -> bytes:
    """Return an array of height x width x 3 bytes as a PNG file.

    Its rows are not filtered: what is drawn repeats itself, and zlib finds that by itself.
    """
    height, width, _ = picture.shape
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 0  # no filter
    rows[:, 1:] = picture.reshape(height, -1)
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 15, _MEMORY)
    packed = packer.compress(rows.data) + packer.flush()
    return _SIGN + _header(width, height, 2) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


_numbers = itertools.count(-1, -1)  # those of looks are 0 and more


class _Packed(NamedTuple):
    """Compressed rows of pixels that can stand between any others."""

    data: bytes
    length: int  # of the rows themselves
    low: int  # of their checksum
    high: int
    last: int = -1  # of the tiles in it, in the order of the palette

    @property
    def nbytes(self) -> int:
        return len(self.data)


class _Board:
    """What the files of one kind of board share: its colours, and where everything stands.

    Colours have their places in the palette in the order of the tiles, plain ones before marked
    ones, and a file has those up to its last tile: so it has the same bytes whatever was drawn
    before it.
    """

    def __init__(self, scene: Grid, size: tuple[int, int], look: grid.Look):
        self.size, self.look = size, look
        theme, place = look.theme, look.place
        self.number = next(_numbers)  # in the keys of what is kept of it
        self.lock = threading.Lock()
        self.colors: dict[int, int] = {}  # as numbers, and their places in the palette
        shades = self._places(font.shades(theme.ink, theme.paper)[:: font.LEVEL])
        self.shades = shades.repeat(font.LEVEL)[:256]
        self.heads: dict[int, bytes] = {}  # by how many colours there are
        self.upto = [len(self.colors)]  # colours before each tile, as far as they were looked for
        self.tail = _chunk(b"IEND", b"")
        canvas = np.full(size[::-1], self.shades[0], np.uint8)  # no coverage: the paper
        for x, y, label, text in grid.labels(scene.columns, scene.lines, place):
            self._write(canvas, x, y, label, text)
        self.canvas = canvas
        self.nbytes = 2 * canvas.nbytes
        self.above = _packed(canvas[: place.top])
        # Rows of cells stand between margins, which may hold the numbers of the lines.
        tops = [place.top + row * place.cell for row in range(place.rows)]
        margins = [canvas[top : top + place.cell].tobytes() for top in tops]
        self.tops = [tops[margins.index(margin)] for margin in margins]
        self.blank: dict[int, _Packed] = {}
        self.floor = place.top + place.rows * place.cell

    def encode(self, scene: Grid) -> bytes | None:
        """Join the compressed bands, if there are no more than 256 colours.

        The checksum of the whole follows from those of the parts.
        """
        look, text = self.look, self.look.place.text
        bands = [self.above]
        numbers = grid.indices(scene) if scene.marks else None
        for place, row in enumerate(scene.rows):
            key: Any = row if numbers is None else numbers[place].tobytes()
            key = self.number, self.tops[place], key
            band = KEPT.get(key)
            if band is None:
                chosen = grid.chosen(row, look.tiles) if numbers is None else numbers[place]
                band = KEPT.put(key, self._row(self.tops[place], chosen))
            bands.append(band)
        y = self.floor
        for x, top, line in grid.said(scene.status, self.size, look.place):
            if top > y:
                bands.append(self._blank(top - y))
            key = self.number, line
            band = KEPT.get(key)
            if band is None:
                strip = np.full((text, self.size[0]), self.shades[0], np.uint8)
                self._write(strip, x, 0, line, text)
                band = KEPT.put(key, _packed(strip))
            bands.append(band)
            y = top + text
        if y < self.size[1]:
            bands.append(self._blank(self.size[1] - y))
        colors = self.upto[max(band.last for band in bands) + 1]
        if colors > _COLORS:
            return None
        head = self.heads.get(colors) or self._head(colors)
        parts, low, high = [b"\x78\x01"], 1, 0
        for compressed, length, a, b, _ in bands:
            parts.append(compressed)
            high = (high + length * low + b) % _ADLER
            low = (low + a) % _ADLER
        parts.append(b"\x03\x00" + struct.pack(">I", high << 16 | low))
        return head + _chunk(b"IDAT", b"".join(parts)) + self.tail

    def _row(self, top: int, numbers: Any) -> _Packed:
        place = self.look.place
        pixels = self.canvas[top : top + place.cell].copy()
        cells = np.concatenate([self._tile(int(number)) for number in numbers], 1)
        pixels[:, place.left : place.left + cells.shape[1]] = cells
        return _packed(pixels)._replace(last=max(map(self._rank, numbers)))

    def _rank(self, number: Any) -> int:
        """Return where a tile stands in the order of the palette."""
        return int(number) // 2 + int(number) % 2 * len(self.look.tiles)

    def _tile(self, number: int) -> np.ndarray:
        rank, kinds = self._rank(number), len(self.look.tiles)
        with self.lock:
            while len(self.upto) < rank + 2:
                marked, which = divmod(len(self.upto) - 1, kinds)
                before = 2 * which + marked
                KEPT.put((self.number, before), self._places(grid.tile(self.look, before)))
                self.upto.append(len(self.colors))
        found: np.ndarray | None = KEPT.get((self.number, number))
        if found is None:
            found = self._places(grid.tile(self.look, number))
            KEPT.put((self.number, number), found)
        return found

    def _places(self, pixels: np.ndarray) -> np.ndarray:
        """Return the place of each pixel's colour in the palette, to which new ones are added.

        What was compressed before stays true, since no place changes.
        """
        wide = pixels.astype(np.uint32)
        codes = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
        found, which = np.unique(codes, return_inverse=True)
        places = [self.colors.setdefault(one, len(self.colors)) for one in found.tolist()]
        # One colour too many is noticed by who joins the bands.
        return np.array(places).astype(np.uint8)[which].reshape(codes.shape)

    def _head(self, many: int) -> bytes:
        colors = b"".join(code.to_bytes(3, "big") for code in [*self.colors][:many])
        head = self.heads[many] = _SIGN + _header(*self.size, 3) + _chunk(b"PLTE", colors)
        return head

    def _write(self, pixels: np.ndarray, x: int, y: int, line: str, height: int) -> None:
        """Write a line on plain paper; what exceeds the pixels is left out."""
        letters = self.shades[font.coverage(line, height)]
        part = pixels[y : y + height, x : x + letters.shape[1]]
        part[:] = letters[: part.shape[0], : part.shape[1]]

    def _blank(self, rows: int) -> _Packed:
        """Return so many rows of paper."""
        found = self.blank.get(rows)
        if found is None:
            found = _packed(np.full((rows, self.size[0]), self.shades[0], np.uint8))
            self.blank[rows] = found
        return found


def _packed(pixels: np.ndarray) -> _Packed:
    rows = np.zeros((pixels.shape[0], pixels.shape[1] + 1), np.uint8)  # a filter byte before each
    rows[:, 1:] = pixels
    raw = rows.tobytes()
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, _MEMORY)
    checksum = zlib.adler32(raw, 0)
    packed = packer.compress(raw) + packer.flush(zlib.Z_FULL_FLUSH)
    return _Packed(packed, len(raw), checksum & 0xFFFF, checksum >> 16)


def _header(width: int, height: int, kind: int) -> bytes:
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return b"".join((struct.pack(">I", len(data)), name, data, struct.pack(">I", checksum)))

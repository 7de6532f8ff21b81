"""Pictures cut into squares; a page stores each square once."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PIL import Image

SQUARE_SIDE = 28  # pixels; the cells of boards are multiples of it
SQUARES_ACROSS = 32  # columns of a sheet, and also its rows


class SquaredPicture(NamedTuple):
    """A picture in squares, row by row."""

    size: tuple[int, int]
    numbers: np.ndarray
    pixels: np.ndarray  # padded to whole squares


class SquareSheets:
    """The squares of all pictures, each stored once, as pictures of a board share nearly all."""

    def __init__(self, put: Callable[[int, bytes], None]):
        self._put = put
        self._numbers: dict[bytes, int] = {}
        self._sheet: list[bytes] = []  # squares that are not written yet
        self._sheets = 0
        self.pictures = 0

    def of(self, picture: np.ndarray, before: SquaredPicture | None = None) -> SquaredPicture:
        """Return a picture in squares; squares that equal those of `before` are not looked up."""
        height, width, _ = picture.shape
        down, across = -(-height // SQUARE_SIDE), -(-width // SQUARE_SIDE)
        pixels = np.ascontiguousarray(picture)
        if (down * SQUARE_SIDE, across * SQUARE_SIDE) != (height, width):
            pixels = np.zeros((down * SQUARE_SIDE, across * SQUARE_SIDE, 3), np.uint8)
            pixels[:height, :width] = picture
        if before is not None and before.size == (width, height):
            numbers = before.numbers.copy()
            changed = _find_changes(pixels, before.pixels)
        else:
            numbers = np.zeros(down * across, np.int64)
            changed = list(range(down * across))
        for i in changed:
            top, left = i // across * SQUARE_SIDE, i % across * SQUARE_SIDE
            numbers[i] = self._number(
                pixels[top : top + SQUARE_SIDE, left : left + SQUARE_SIDE].tobytes()
            )
        return SquaredPicture((width, height), numbers, pixels)

    def _number(self, square: bytes) -> int:
        key = hashlib.blake2b(square, digest_size=16).digest()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._sheet.append(square)
            if len(self._sheet) == SQUARES_ACROSS**2:
                self.close()
        return number

    def close(self) -> None:
        """Write the squares that are not in a sheet yet."""
        if not self._sheet:
            return
        blank = [bytes(SQUARE_SIDE * SQUARE_SIDE * 3)] * (-len(self._sheet) % SQUARES_ACROSS)
        squares = np.frombuffer(b"".join(self._sheet + blank), np.uint8)
        sheet = squares.reshape(-1, SQUARES_ACROSS, SQUARE_SIDE, SQUARE_SIDE, 3).swapaxes(1, 2)
        self._put(self._sheets, _encode_png(sheet.reshape(-1, SQUARES_ACROSS * SQUARE_SIDE, 3)))
        self._sheets += 1
        self._sheet = []


def _find_changes(new: np.ndarray, old: np.ndarray) -> list[int]:
    """Return the squares in which two pictures differ; equal rows of squares are skipped first."""
    down, across = new.shape[0] // SQUARE_SIDE, new.shape[1] // SQUARE_SIDE
    rows = [one.reshape(down, -1).view(np.uint64) for one in (new, old)]
    cut = [one.reshape(down, SQUARE_SIDE, across, -1).view(np.uint32) for one in (new, old)]
    return [
        row * across + column
        for row in np.flatnonzero((rows[0] != rows[1]).any(1)).tolist()
        for column in np.flatnonzero((cut[0][row] != cut[1][row]).any((0, 2))).tolist()
    ]


def _encode_png(pixels: np.ndarray) -> bytes:
    """Return pixels as the smallest PNG file that Pillow writes without loss."""
    image = Image.fromarray(pixels)
    if image.getcolors(256) is not None:
        few = image.quantize(256, dither=Image.Dither.NONE)
        if np.array_equal(np.array(few.convert("RGB")), pixels):
            image = few
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()

"""The keys of a keyboard on a touch screen: three layers, and where each key is."""

from __future__ import annotations

from typing import NamedTuple

from gem_ma.scene.screen import Widget

__all__ = ["find_key", "place_keys"]

LETTERS, CAPITALS, SYMBOLS = range(3)  # layers, the value of the widget
SHIFT, BACKSPACE, ENTER, OTHER_LAYER, SPACE = "shift", "backspace", "enter", "layer", " "
_ROWS = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"),
    ("1234567890", "@#%&-+()/=", "*\"':;!?_"),
)
KEYBOARD_ROWS = 4
_GAP = 6  # pixels


class TouchKey(NamedTuple):
    """A key, with its box from the corner of its keyboard."""

    name: str  # a letter, or the name of another key
    x: int
    y: int
    w: int
    h: int


def place_keys(wide: int, high: int, layer: int) -> list[TouchKey]:
    """Return the keys of a layer, on a keyboard of this size."""
    unit, row_high = (wide - _GAP) / 10, (high - 2 * _GAP) / KEYBOARD_ROWS
    keys = []

    def place(name: str, left: float, columns: float, row: int) -> None:
        x, end = round(_GAP + left * unit), round(left * unit + columns * unit)
        y = round(_GAP + row * row_high)
        keys.append(TouchKey(name, x, y, end - x, round(row_high) - _GAP))

    for row, names in enumerate(_ROWS[layer]):
        left = (10 - len(names)) / 2
        for number, name in enumerate(names):
            place(name, left + number, 1, row)
        if row == 2:
            if layer != SYMBOLS:
                place(SHIFT, 0, left, row)
            place(BACKSPACE, 10 - left, left, row)
    for name, start, columns in (
        (OTHER_LAYER, 0, 1.5),
        (",", 1.5, 1),
        (SPACE, 2.5, 5),
        (".", 7.5, 1),
        (ENTER, 8.5, 1.5),
    ):
        place(name, start, columns, 3)
    return keys


def find_key(keyboard: Widget, x: int, y: int) -> str:
    """Return the name of the key nearest to a point of the screen."""
    across, down = x - keyboard.x, y - keyboard.y

    def measure_distance(key: TouchKey) -> int:
        beside = max(key.x - across, 0, across - key.x - key.w)
        return beside**2 + max(key.y - down, 0, down - key.y - key.h) ** 2

    return min(place_keys(keyboard.w, keyboard.h, keyboard.value or 0), key=measure_distance).name

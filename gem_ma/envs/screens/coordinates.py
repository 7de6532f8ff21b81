"""Units of coordinates: pixels, thousandths or shares of the screen."""

import re

from gem_ma.envs.screens.sheet import SIZE

COORDINATES = {"pixels": SIZE, "thousand": 1000, "share": 1}
UNITS = {
    "pixels": f"pixels of the screen, which is {SIZE} wide and high",
    "thousand": "thousandths of the screen, 0 to 1000 across and down",
    "share": "shares of the screen, 0 to 1 across and down",
}
_POINTERS = "click|double_click|triple_click|right_click|hover|move|point|drag|scroll"
_POINTER_ACTION = re.compile(rf"({_POINTERS})\((-?\d+), (-?\d+)(?:, (-?\d+))?(?:, (-?\d+))?\)")


def convert(x: int, y: int, coordinates: str) -> tuple[float, float]:
    """Return a pixel in a unit, so that it is read back as the same pixel."""
    if coordinates == "pixels":
        return x, y
    # The middle of the pixel, which no rounding moves into the next one.
    shares = (x + 0.5) / SIZE, (y + 0.5) / SIZE
    if coordinates == "share":
        return round(shares[0], 4), round(shares[1], 4)
    return round(shares[0] * 1000), round(shares[1] * 1000)


def format_point(x: int, y: int, coordinates: str) -> str:
    """Return a pixel in a unit, as text."""
    return f"({', '.join(f'{number:g}' for number in convert(x, y, coordinates))})"


def convert_action(action: str, coordinates: str) -> str:
    """Return an action of a perfect user, which is in pixels, in another unit."""
    found = _POINTER_ACTION.fullmatch(action)
    if found is None or coordinates == "pixels":
        return action
    verb, *numbers = found.groups()
    x, y, *rest = [int(number) for number in numbers if number is not None]
    values = [*convert(x, y, coordinates)]
    if verb == "drag":
        values += convert(rest[0], rest[1], coordinates)
    else:
        values += rest  # how far to scroll is in pixels
    return f"{verb}({', '.join(f'{value:g}' for value in values)})"

"""A small part of SVG: seven elements, filled or drawn in colours that are named by letters."""

import re
from typing import NamedTuple
from xml.parsers import expat

from gem_ma.game import InvalidMove, clip_repr

SIDE = 100  # The picture is as wide and as high, in the units of numbers.
COLORS = "ABCD"
LONGEST = 6000  # characters of a reply
MOST = 60  # elements
MOST_POINTS = 300  # of all elements together
FARTHEST = 1000  # of any number
NUMBERS = {  # of the elements that have no list of points
    "rect": ("x", "y", "width", "height"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "line": ("x1", "y1", "x2", "y2"),
}
_ZERO_BY_DEFAULT = frozenset({"x", "y", "cx", "cy", "x1", "y1", "x2", "y2"})
_POINTS = {"polyline": "points", "polygon": "points", "path": "d"}
_PAINT = ("fill", "stroke", "stroke-width")
_IGNORED = frozenset({"id", "class", "stroke-linecap", "stroke-linejoin", "xmlns", "version"})
_ROOT = frozenset({"width", "height", "viewBox"})
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})")
_PATH = re.compile(r"([MLHVZmlhvz])|([+-]?(?:[0-9]{1,7}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}))|([\s,]+)")


class Element(NamedTuple):
    """One element of a picture.

    Attributes:
        name: rect, circle, ellipse, line, or lines: the points of a polyline, polygon or path.
        fill: The letter of a colour in COLORS, or "".
        stroke: The same for the line around it.
        width: The width of the stroke.
        numbers: The numbers of NUMBERS; of lines, x and y of each point.
        closed: Whether lines return to where they began.
    """

    name: str
    fill: str
    stroke: str
    width: float
    numbers: tuple[float, ...]
    closed: bool = False


def parse_svg(text: str) -> tuple[Element, ...]:
    """Return the elements of a reply, or raise InvalidMove if it is no SVG of this part."""
    if len(text) > LONGEST:
        raise InvalidMove(f"an SVG of {len(text)} characters; at most {LONGEST} are read")
    start, end = text.find("<svg"), text.rfind("</svg>")
    if start >= 0:
        text = text[start : end + len("</svg>")] if end > start else text[start:]
    else:  # elements alone
        text = f"<svg>{text[text.find('<') : text.rfind('>') + 1]}</svg>"
    reader = _Reader()
    try:
        reader.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise InvalidMove(f"this is no SVG: {error}") from None
    if not reader.elements:
        raise InvalidMove("an SVG without elements")
    return tuple(reader.elements)


class _Reader:
    """A reader of SVG that stops at what it does not know, before anything is expanded."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.depth = self.points = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._read_text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.ProcessingInstructionHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise InvalidMove("declarations and instructions are not read; send elements only")

    def _read_text(self, text: str) -> None:
        if text.strip():
            raise InvalidMove(f"text between elements is not read: {clip_repr(text.strip())}")

    def _end(self, name: str) -> None:
        self.depth -= 1

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1:
            if name != "svg" or (box := attributes.get("viewBox", "")).split() not in (
                [], ["0", "0", str(SIDE), str(SIDE)],
            ):  # fmt: skip
                raise InvalidMove(f'the viewBox is "0 0 {SIDE} {SIDE}", not {clip_repr(box)}')
            if unknown := attributes.keys() - _ROOT - _IGNORED:
                raise InvalidMove(f"<svg> has no attribute {clip_repr(min(unknown))} here")
            return
        if self.depth > 2:
            raise InvalidMove(
                f"<{name[:20]}> in another element; put all elements beside each other"
            )
        element = _read_element(name, attributes)
        self.elements.append(element)
        self.points += len(element.numbers) // 2
        if len(self.elements) > MOST or self.points > MOST_POINTS:
            raise InvalidMove(f"a picture has at most {MOST} elements and {MOST_POINTS} points")


def _read_element(name: str, attributes: dict[str, str]) -> Element:
    if name not in NUMBERS and name not in _POINTS:
        known = ", ".join([*NUMBERS, *_POINTS])
        raise InvalidMove(f"<{name[:20]}> is not one of {known}")
    own = NUMBERS.get(name) or (_POINTS[name],)
    if unknown := attributes.keys() - set(own) - set(_PAINT) - _IGNORED:
        raise InvalidMove(f"<{name}> has no attribute {clip_repr(min(unknown))} here")
    fill, stroke = (_read_color(attributes.get(key, "none")) for key in ("fill", "stroke"))
    width = _read_number(attributes.get("stroke-width", "1"))
    if name == "line":
        fill = ""
    if not fill and not (stroke and width > 0):
        raise InvalidMove(f'<{name}> has no colour, such as fill="A" or stroke="A"')
    if name in NUMBERS:
        numbers = tuple([
            _read_number(attributes.get(key, "0" if key in _ZERO_BY_DEFAULT else "")) for key in own
        ])  # fmt: skip
        if min(numbers[2:], default=0) <= 0 and name != "line":
            raise InvalidMove(f"<{name}> has no size")
        return Element(name, fill, stroke, width, numbers)
    if name == "path":
        numbers, closed = _read_path(attributes.get("d", ""))
    else:
        numbers = _read_list(attributes.get("points", ""))
        closed = name == "polygon"
    if len(numbers) < 4:
        raise InvalidMove(f"<{name}> has less than two points")
    return Element("lines", fill, stroke, width, numbers, closed)


def _read_color(text: str) -> str:
    letter = text.strip()
    if letter not in (*COLORS, "none"):
        raise InvalidMove(f"{clip_repr(text, 20)} is not a colour; there are {', '.join(COLORS)}")
    return "" if letter == "none" else letter


def _read_number(text: str) -> float:
    bare = text.strip().removesuffix("px")
    if not _NUMBER.fullmatch(bare):
        raise InvalidMove(f"{clip_repr(text, 20)} is not a number such as 12.5")
    return _check_size(float(bare))


def _check_size(number: float) -> float:
    if abs(number) > FARTHEST:
        raise InvalidMove(f"{number:g} is not from -{FARTHEST} to {FARTHEST}")
    return number


def _read_list(text: str) -> tuple[float, ...]:
    words = text.replace(",", " ").split()
    if len(words) % 2 or len(words) > 2 * MOST_POINTS:
        raise InvalidMove(f"{len(words)} numbers are no points x,y, at most {MOST_POINTS}")
    return tuple(map(_read_number, words))


def _read_path(text: str) -> tuple[tuple[float, ...], bool]:
    """Return the points of one line of M, L, H, V and Z, and whether it is closed."""
    points: list[tuple[float, float]] = []
    command, is_closed, waiting = "", False, list[float]()
    at = 0
    while at < len(text):
        match = _PATH.match(text, at)
        if match is None or (is_closed and not match[3]):
            raise InvalidMove(f"{clip_repr(text[at : at + 20])}: a path has M, L, H and V, then Z")
        at = match.end()
        if match[1]:
            command = _check_command(match[1], command, waiting, bool(points))
            is_closed = command in "Zz"
        elif match[2]:
            waiting.append(_check_size(float(match[2])))
            if point := _move(command, waiting, points[-1] if points else (0.0, 0.0)):
                points.append(point)
                waiting.clear()
                command = {"M": "L", "m": "l"}.get(command, command)
        if len(points) > MOST_POINTS:
            raise InvalidMove(f"a picture has at most {MOST_POINTS} points")
    if waiting:
        raise InvalidMove("a path ends within a point")
    return tuple([_check_size(number) for point in points for number in point]), is_closed


def _check_command(command: str, before: str, waiting: list[float], is_begun: bool) -> str:
    if waiting or (command in "Mm") == is_begun:
        raise InvalidMove("a path is one line: it begins with M, and has no other M")
    return command


def _move(
    command: str, numbers: list[float], last: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the point to which a command leads, or None before it has all its numbers."""
    if not command or command in "Zz":
        raise InvalidMove("a path begins with M")
    x, y = last if command.islower() else (0.0, 0.0)
    if command in "Hh":
        return x + numbers[0], last[1]
    if command in "Vv":
        return last[0], y + numbers[0]
    return (x + numbers[0], y + numbers[1]) if len(numbers) == 2 else None


def format_svg(elements: tuple[Element, ...]) -> str:
    """Return elements as SVG, each in its normal form."""
    return f"<svg>{''.join(map(_format_element, elements))}</svg>"


def _format_element(one: Element) -> str:
    name = one.name
    if name == "lines":
        name = "polygon" if one.closed else "polyline"
        pairs = zip(one.numbers[::2], one.numbers[1::2], strict=True)
        place = f'points="{" ".join([f"{x:g},{y:g}" for x, y in pairs])}"'
    else:
        parts = zip(NUMBERS[name], one.numbers, strict=True)
        place = " ".join([f'{key}="{number:g}"' for key, number in parts])
    fill = f' fill="{one.fill}"' if one.fill else ""
    stroke = f' stroke="{one.stroke}" stroke-width="{one.width:g}"' if one.stroke else ""
    return f"<{name} {place}{fill}{stroke}/>"

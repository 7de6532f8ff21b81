"""Draw a Screen: each widget as desktops draw it, kept as a small picture of its own."""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from gem_ma.renderers import font, sans
from gem_ma.renderers.contrast import PLAIN, contrast
from gem_ma.renderers.figures import FIGURES, mask
from gem_ma.renderers.kept import KEPT, kept
from gem_ma.renderers.scenes.grid import face
from gem_ma.renderers.scenes.shapes import stamp
from gem_ma.renderers.themes import RGB, Theme, blank
from gem_ma.scene import COLORS, letters
from gem_ma.scene.screen import (
    BAR,
    CLICKED,
    MARK,
    PAD,
    THUMB,
    TYPED,
    Screen,
    Widget,
    left_of,
    row,
    spot,
    thumb,
)

Box = tuple[int, int, int, int]  # left, top, right, bottom
_FEW = 8  # boxes that are drawn one by one
_GROUNDS = ("box", "scroll", "note", "menu", "handle")
_UNSEEN = ("id", "x", "y", "inside", "clip")  # of a widget, in a picture of it alone
_SEEN = operator.itemgetter(*(i for i, name in enumerate(Widget._fields) if name not in _UNSEEN))
_ARROW = (  # the pointer: its outline and its inside
    "X           ", "XX          ", "X.X         ", "X..X        ", "X...X       ", "X....X      ",
    "X.....X     ", "X......X    ", "X.......X   ", "X........X  ", "X.....XXXXX ", "X..X..X     ",
    "X.X X..X    ", "XX  X..X    ", "X    X..X   ", "     X..X   ", "      XX    ",
)  # fmt: skip


class _Layer(NamedTuple):
    """A widget, and all else that its picture depends on."""

    one: Widget
    ground: RGB
    at: tuple[int, ...]  # caret and anchor, where it is being typed in
    active: bool
    hover: bool


class _Last:
    """What was drawn of a screen, from which the next picture of it is made."""

    def __init__(self, layers: list[_Layer], frame: np.ndarray):
        self.layers, self.frame = layers, frame
        self.nbytes = frame.nbytes + 256 * len(layers)


def draw(
    scene: Screen, size: tuple[int, int], theme: Theme, unit: int, draw_scene: Any
) -> np.ndarray:
    """Return a new frame, scenes within it drawn by `draw_scene`."""
    frame = _drawn(scene, theme, lambda one: draw_scene(one.value, (one.w, one.h), theme, unit))
    if scene.refs:
        _marks(frame, scene)
    if scene.pointed is not None:
        _circle(frame, *scene.pointed, theme.color("red"))
    if scene.pointer is not None:
        _pointer(frame, *scene.pointer)
    return frame if size == (scene.width, scene.height) else _fitted(frame, size, theme)


def legend(theme: Theme) -> str:
    """Say which colours a reader would call by another name than tasks do."""
    names = {name: theme.called(name) for name in COLORS}
    return "; ".join(f"{name}: {called}" for name, called in names.items() if name != called)


def _drawn(scene: Screen, theme: Theme, inner: Any) -> np.ndarray:
    """Return the widgets of a screen, of which those are drawn that were not so in the last one."""
    layers = _layers(scene, theme)
    whole = 0, 0, scene.width, scene.height
    key = _drawn, whole, scene.look, theme, scene.widgets[:1]
    last: _Last | None = KEPT.take(key)
    if last is None:
        last = _Last([], np.empty((scene.height, scene.width, 3), np.uint8))
        changed = [whole]
    else:
        changed = _changed(last.layers, layers, whole)
    for box in changed:
        _redraw(last.frame, layers, box, theme, scene.look, inner)
    frame = last.frame.copy()
    KEPT.put(key, _Last(layers, last.frame))
    return frame


def _layers(scene: Screen, theme: Theme) -> list[_Layer]:
    layers: list[_Layer] = []
    grounds: list[tuple[int, int, int, int, RGB]] = []
    focus, hover = scene.focus, scene.hover
    at = scene.caret, scene.anchor
    for one in scene.widgets:
        id, kind, x, y, w, h = one[:6]
        ground, middle = theme.paper, y + h // 2
        for left, top, right, bottom, color in grounds:  # of the highest first
            if left <= x < right and top <= middle < bottom:
                ground = color
                break
        active = id == focus
        typed = at if active and kind in TYPED else ()
        layers.append(_Layer(one, ground, typed, active, id == hover))
        if kind in _GROUNDS and (kind != "handle" or w > 200):
            grounds.insert(0, (x, y, x + w, y + h, _ground(one, theme)))
            if one.tone == "window":
                grounds.insert(0, (x, y, x + w, y + _bar(one), _head(theme)))
    return layers


def _box(one: Widget) -> Box:
    """Return what a widget and the ring around it take."""
    return one.x - 2, one.y - 2, one.x + one.w + 2, one.y + one.h + 2


def _changed(old: list[_Layer], new: list[_Layer], whole: Box) -> list[Box]:
    """Return the boxes in which two screens differ; all of it where that is much."""
    boxes = []
    for one, other in zip(old, new, strict=False):
        if one is not other and one != other:
            boxes += [_box(one.one), _box(other.one)]
    many = min(len(old), len(new))
    boxes += [_box(layer.one) for layer in (*old[many:], *new[many:])]
    boxes = list(dict.fromkeys(boxes))
    if len(boxes) > _FEW:
        left, top, right, bottom = zip(*boxes, strict=True)
        boxes = [(min(left), min(top), max(right), max(bottom))]
    area = sum((right - left) * (bottom - top) for left, top, right, bottom in boxes)
    return [whole] if area * 2 > whole[2] * whole[3] else boxes


def _redraw(
    frame: np.ndarray, layers: list[_Layer], box: Box, theme: Theme, look: str, inner: Any
) -> None:
    """Draw what lies in a box."""
    left, top, right, bottom = [max(0, side) for side in box]
    area = frame[top:bottom, left:right]
    _fill(area, theme.paper)
    for one, ground, at, active, hover in layers:
        _, kind, x, y, w, h = one[:6]
        if kind == "veil":
            area >>= 1
            area += np.uint8(theme.ink[0] // 4)
            continue
        if y - 2 >= bottom or x - 2 >= right or y + h + 2 <= top or x + w + 2 <= left:
            continue
        clip = left, top, right, bottom
        if one.clip is not None:
            clip = (
                max(left, one.clip[0]),
                max(top, one.clip[1]),
                min(right, one.clip[2]),
                min(bottom, one.clip[3]),
            )
        if kind == "view":
            _paste(frame, inner(one), x, y, clip)
            continue
        key = _widget, _SEEN(one), theme, ground, look, at, hover
        picture = KEPT.get(key)
        if picture is None:
            plain = one._replace(id="", x=0, y=0, inside="", clip=None)
            picture = KEPT.put(key, _widget(plain, theme, ground, look, at, hover))
        else:
            KEPT.stay(key)
        _paste(frame, picture, x, y, clip)
        if active and not at:
            _ring(frame, one, _accent(ground, theme), clip)


def _fitted(frame: np.ndarray, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return the frame as large as fits into another size."""
    from PIL import Image  # only where a screen is not shown at its own size

    high, wide = frame.shape[:2]
    scale = min(size[0] / wide, size[1] / high)
    to = max(1, round(wide * scale)), max(1, round(high * scale))
    small = np.asarray(Image.fromarray(frame).resize(to, Image.Resampling.LANCZOS))
    out = blank(size, theme.paper)
    top, left = (size[1] - to[1]) // 2, (size[0] - to[0]) // 2
    out[top : top + to[1], left : left + to[0]] = small
    return out


def _paste(frame: np.ndarray, picture: np.ndarray, x: int, y: int, clip: Box | None) -> None:
    high, wide = picture.shape[:2]
    left, top, right, bottom = clip or (0, 0, frame.shape[1], frame.shape[0])
    if left <= x and top <= y and x + wide <= right and y + high <= bottom:
        frame[y : y + high, x : x + wide] = picture
        return
    x1, y1, x2, y2 = max(x, left, 0), max(y, top, 0), min(x + wide, right), min(y + high, bottom)
    if x1 < x2 and y1 < y2:
        area = frame[y1:y2, x1:x2]
        area[:] = picture[y1 - y : y1 - y + area.shape[0], x1 - x : x1 - x + area.shape[1]]


def _ground(one: Widget, theme: Theme) -> RGB:
    """Return the colour of what lies behind other widgets."""
    return _ground_of(one.kind, one.tone, theme)


@functools.lru_cache(maxsize=1024)
def _ground_of(kind: str, tone: str, theme: Theme) -> RGB:
    if tone in COLORS:
        return theme.color(tone)
    if kind == "note":
        return _mixed(theme.paper, theme.color("yellow"), 0.25)
    if kind in ("scroll", "menu"):
        return _lit(theme)
    return theme.cell if kind == "handle" else theme.paper


def _bar(one: Widget) -> int:
    """Return how high the bar above a window is."""
    return letters.LINES[one.type] + 16


def _head(theme: Theme) -> RGB:
    """Return the colour of the bar above a window."""
    return _mixed(theme.cell, theme.color("blue"), 0.25)


def _mixed(one: RGB, other: RGB, share: float) -> RGB:
    a, b, c = (round(x * (1 - share) + y * share) for x, y in zip(one, other, strict=True))
    return a, b, c


def _lit(theme: Theme) -> RGB:
    """Return the ground of what is typed in: lighter than the paper, or a little other."""
    return (255, 255, 255) if sum(theme.paper) > 600 else _mixed(theme.paper, (0, 0, 0), 0.35)


@functools.lru_cache(maxsize=1024)
def _ink_on(ground: RGB, theme: Theme) -> RGB:
    """Return the colour of letters that can be read on a ground."""
    options = (theme.ink, (255, 255, 255), (0, 0, 0))
    best = max(options, key=lambda ink: contrast(ink, ground))
    return theme.ink if contrast(theme.ink, ground) >= 4.5 else best


@functools.lru_cache(maxsize=1024)
def _edge(theme: Theme) -> RGB:
    """Return the colour of borders: the theme's lines, or where they are faint stronger ones."""
    faint = contrast(theme.line, theme.paper) < 1.5
    return _mixed(theme.paper, theme.ink, 0.4) if faint else theme.line


@functools.lru_cache(maxsize=1024)
def _accent(ground: RGB, theme: Theme, least: float = PLAIN) -> RGB:
    """Return the blue of links and of what has the keyboard, such that it stands out."""
    color = theme.color("blue")
    while contrast(color, ground) < least:
        color = _mixed(color, _ink_on(ground, theme), 0.25)
    return color


def _widget(
    one: Widget, theme: Theme, ground: RGB, look: str, at: tuple[int, ...], hover: bool
) -> np.ndarray:
    """Return the picture of one widget on its ground."""
    area = _filled(max(one.w, 1), max(one.h, 1), ground)
    _DRAWN.get(one.kind, _plain)(area, one, theme, look, at, hover, ground)
    return area


@functools.lru_cache(maxsize=4096)
def _row(color: RGB, wide: int) -> np.ndarray:
    """Return a row of one colour; to copy it is much faster than to fill an area."""
    row = np.empty((wide, 3), np.uint8)
    row[:] = color
    return row


def _filled(wide: int, high: int, color: RGB) -> np.ndarray:
    """Return an area of one colour."""
    area = np.empty((high, wide, 3), np.uint8)
    _fill(area, color)
    return area


def _fill(area: np.ndarray, color: RGB) -> None:
    wide = area.shape[1]
    area[:] = _row(color, -(-wide // 512) * 512)[:wide]


@functools.lru_cache(maxsize=1024)
def _shades(ink: RGB, ground: RGB) -> np.ndarray:
    return font.shades(ink, ground)


def _write(
    area: np.ndarray,
    x: int,
    text: str,
    ink: RGB,
    size: int,
    bold: bool = False,
    y: Any = None,
    on: RGB | None = None,
) -> None:
    """Blend a line, in the middle of the height if it is not said where.

    on: the colour of all that lies below it, where that is one.
    """
    if not text:
        return
    cover = sans.line(text, size, bold)
    y = (area.shape[0] - cover.shape[0]) // 2 if y is None else y
    x -= 1
    if x < 0:
        cover, x = cover[:, -x:], 0
    if y < 0:
        cover, y = cover[-y:], 0
    region = area[y : y + cover.shape[0], x : x + cover.shape[1]]
    cover = cover[: region.shape[0], : region.shape[1]]
    if on is None:
        font.blend(region, cover, ink)
    else:
        region[:] = _shades(ink, on).take(cover, 0)


def _frame(area: np.ndarray, color: RGB, by: int = 1) -> None:
    for side in (area[:by], area[-by:], area[:, :by], area[:, -by:]):
        side[:] = color


def _raised(area: np.ndarray, theme: Theme, sunk: bool = False) -> None:
    """Give a box the borders of old desktops."""
    face = area[area.shape[0] // 2, 2].copy()
    a, b, c = (int(part) for part in face)
    dark = _mixed((a, b, c), (0, 0, 0), 0.5)
    first, last = (dark, _mixed((a, b, c), (0, 0, 0), 0.2)) if sunk else ((255, 255, 255), dark)
    area[:2], area[:, :2] = first, first
    area[-2:], area[:, -2:] = last, last


def _corners(area: np.ndarray, ground: RGB) -> None:
    """Take the corners off."""
    for y in (0, -1):
        for x in (0, -1):
            area[y, x] = ground


def _plain(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    ink = _ink_on(ground, theme)
    if one.tone == "quiet":
        ink = _mixed(ink, ground, 0.3)
    bold = one.kind == "title" or one.tone == "bold"
    _write(
        area,
        0,
        letters.shorten(one.text, one.type, one.w, bold),
        ink,
        one.type,
        bold=bold,
        on=ground,
    )


def _note(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    color = _ground(one, theme)
    _fill(area, color)
    area[-1:] = _edge(theme)
    for number, text in enumerate(one.text.split("\n")):
        y = 5 + letters.LINES[one.type] * number
        _write(area, 14, text, _ink_on(color, theme), one.type, y=y, on=color)


def _panel(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    _fill(area, _ground(one, theme))
    _frame(area, _edge(theme))
    if one.tone == "window":
        if look == "old":
            _raised(area[1:-1, 1:-1], theme)
        head = area[2 : min(_bar(one), area.shape[0] - 1), 2:-2]
        head[:] = _head(theme)


def _line(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    area[:] = _edge(theme)


def _image(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    """Draw a figure: its name is the text, its colour the tone."""
    if one.text in FIGURES:
        side = min(one.w, one.h) - 2  # room for an outline
        left, top = (one.w - side) // 2, (one.h - side) // 2
        stamp(area, left, top, one.text, side, theme.color(one.tone or "gray"), 1)
    else:
        face = theme.color(one.tone) if one.tone in COLORS else theme.cell
        area[:] = face
        _frame(area, _edge(theme))
        _write(area, 4, one.text, _ink_on(face, theme), one.type)


def _button(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    face = theme.cell
    if one.tone == "primary":
        face = _mixed(theme.color("blue"), (0, 0, 0), 0.1)
    elif one.tone == "danger":
        face = _mixed(theme.color("red"), (0, 0, 0), 0.15)
    elif one.tone in COLORS:
        face = theme.color(one.tone)
    if hover and not one.disabled:
        face = _mixed(face, theme.ink, 0.08)
    _fill(area, face)
    if look == "old":
        _raised(area, theme)
    else:
        flat = contrast(face, ground) < 1.05  # then its border is all that can be seen of it
        _frame(area, _mixed(face, theme.ink, 0.6 if flat else 0.35))
        _corners(area, ground)
    ink = _mixed(_ink_on(face, theme), face, 0.55) if one.disabled else _ink_on(face, theme)
    _in_the_middle(area, one, 8, ink, on=face)


def _in_the_middle(area: Any, one: Any, rim: int, ink: Any, **how: Any) -> None:
    text = letters.shorten(one.text, one.type, one.w - rim)
    _write(area, round((one.w - letters.width(text, one.type)) / 2), text, ink, one.type, **how)


def _tab(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    face = ground if one.value else theme.cell
    _fill(area, face)
    _frame(area, _edge(theme))
    if one.value:
        area[:3] = _accent(theme.paper, theme)
        area[-1:, 1:-1] = ground
    _in_the_middle(area, one, 8, _ink_on(face, theme))


def _link(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    ink = _accent(ground, theme, 4.5)
    text = letters.shorten(one.text, one.type, one.w)
    _write(area, 0, text, ink, one.type, on=ground)
    under = (area.shape[0] + letters.LINES[one.type]) // 2 - 3
    if under < area.shape[0]:
        area[under, : round(letters.width(text, one.type))] = ink


def _field(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    color = _lit(theme) if not one.disabled else theme.cell
    _fill(area, color)
    rim = _accent(color, theme) if at else _mixed(color, theme.ink, 0.45)
    _frame(area, rim, 2 if at else 1)
    if look == "old" and not at:
        _raised(area, theme, sunk=True)
    ink, value = _ink_on(color, theme), str(one.value or "")
    inner = area[2:-2, PAD - 1 : -PAD + 1]
    if not value and one.text:
        _write(inner, 1, one.text, _mixed(ink, color, 0.45), one.type, on=color)
    text = "•" * len(value) if one.kind == "password" else value
    caret, anchor = at or (0, 0)
    shift = left_of(one, caret)
    wide = letters.edges(text, one.type)
    low, high = sorted((min(caret, len(text)), min(anchor, len(text))))
    if low != high:
        chosen = _mixed(color, theme.color("blue"), 0.4)
        inner[
            2:-2, max(0, round(wide[low]) - shift + 1) : max(0, round(wide[high]) - shift + 1)
        ] = chosen
    _write(inner, 1 - shift, text, ink, one.type, on=color if low == high else None)
    if at and low == high:
        x = round(wide[low]) - shift + 1
        inner[2:-2, max(0, x) : max(0, x) + 1] = ink


def _area(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    color = _lit(theme)
    _fill(area, color)
    rim = _accent(color, theme) if at else _mixed(color, theme.ink, 0.45)
    _frame(area, rim, 2 if at else 1)
    ink, value = _ink_on(color, theme), str(one.value or "")
    caret, anchor = at or (0, 0)
    low, high = sorted((min(caret, len(value)), min(anchor, len(value))))
    start, high = 0, letters.LINES[one.type]
    for number, text in enumerate(value.split("\n")):
        y, wide = PAD + high * number, letters.edges(text, one.type)
        first, last = max(0, low - start), min(len(text), high - start)
        if low != high and first <= len(text) and last >= 0 and first < last:
            chosen = _mixed(color, theme.color("blue"), 0.4)
            area[y : y + high, PAD + round(wide[first]) : PAD + round(wide[last])] = chosen
        _write(area[:, : -PAD + 1], PAD, text, ink, one.type, y=y)
        if at and low == high and 0 <= caret - start <= len(text):
            x = PAD + round(wide[caret - start])
            area[y + 1 : y + high - 1, x : x + 1] = ink
        start += len(text) + 1


def _check(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    top = (one.h - MARK) // 2
    box = area[top : top + MARK, :MARK]
    ink = _ink_on(ground, theme)
    on = _mixed(theme.color("blue"), (0, 0, 0), 0.1)
    if one.kind == "check":
        box[:] = on if one.value else _lit(theme)
        _frame(box, on if one.value else _mixed(_lit(theme), theme.ink, 0.5))
        if one.value:
            for x, y in ((4, 8), (5, 9), (6, 10), (7, 9), (8, 8), (9, 7), (10, 6), (11, 5)):
                box[y - 1 : y + 2, x] = (255, 255, 255)
    else:
        font.blend(box, mask("disc", MARK), _mixed(_lit(theme), theme.ink, 0.5))
        font.blend(box[1:-1, 1:-1], mask("disc", MARK - 2), _lit(theme))
        if one.value:
            font.blend(box[3:-3, 3:-3], mask("disc", MARK - 6), on)
    _write(
        area,
        MARK + 7,
        letters.shorten(one.text, one.type, one.w - MARK - 7),
        ink,
        one.type,
        on=ground,
    )


def _select(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    color = _lit(theme)
    _fill(area, color)
    _frame(area, _mixed(color, theme.ink, 0.45))
    if look == "old":
        _raised(area, theme, sunk=True)
    ink = _ink_on(color, theme)
    text = str(one.options[one.value]) if 0 <= one.value < len(one.options) else ""
    _write(area, PAD, letters.shorten(text, one.type, one.w - 34), ink, one.type)
    x, y = one.w - 20, one.h // 2 - 2
    for n in range(5):
        area[y + n, x + n : x + 10 - n] = ink


def _list(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    color = _lit(theme)
    _fill(area, color)
    high = row(one)
    for number, option in enumerate(one.options):
        line = area[number * high : number * high + high]
        ground = color
        if number == one.value:
            ground = _mixed(theme.color("blue"), (0, 0, 0), 0.1)
            _fill(line, ground)
        text = letters.shorten(str(option), one.type, one.w - 2 * PAD)
        _write(line, PAD, text, _ink_on(ground, theme), one.type, on=ground)
    _frame(area, _mixed(color, theme.ink, 0.45))


def _item(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    face = _lit(theme)
    if one.value is True:
        face = _mixed(face, theme.color("blue"), 0.3)
    elif hover:
        face = _mixed(face, theme.ink, 0.1)
    _fill(area, face)
    if one.kind == "cell":
        if one.tone in COLORS:
            face = theme.color(one.tone)
            area[:] = face
        _frame(area, _edge(theme))
    text = letters.shorten(one.text, one.type, one.w - 2 * PAD)
    _write(area, PAD, text, _ink_on(face, theme), one.type, on=face)


def _square(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    tile, marked = one.value
    side = min(one.w, one.h)
    area[:side, :side] = face(tile, side, theme, marked)


def _menu(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    _fill(area, _lit(theme))
    _frame(area, _edge(theme))


def _slider(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    middle, half = one.h // 2, THUMB // 2
    x = thumb(one)
    blue = theme.color("blue")
    area[middle - 2 : middle + 2, half : one.w - half] = _mixed(ground, theme.ink, 0.35)
    area[middle - 2 : middle + 2, half:x] = blue
    font.blend(area[middle - half : middle + half, x - half : x + half], mask("disc", THUMB), blue)


def _fold(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    _fill(area, theme.cell)
    _frame(area, _edge(theme))
    ink, y = _ink_on(theme.cell, theme), one.h // 2
    for n in range(5):
        if one.value:
            area[y - 2 + n, 8 + n : 18 - n] = ink
        else:
            area[y - 5 + n : y + 5 - n, 10 + n] = ink
    _write(area, 26, letters.shorten(one.text, one.type, one.w - 30), ink, one.type)


def _scroll(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    _fill(area, _ground(one, theme))
    content = max(one.options[0], one.h)
    long = max(20, one.h * one.h // content)
    most = content - one.h
    top = (one.h - long) * one.value // most if most else 0
    rail = area[:, -BAR:]
    rail[:] = theme.cell
    if most:
        rail[top : top + long, 3:-3] = _mixed(theme.cell, _ink_on(theme.cell, theme), 0.45)
    _frame(area, _edge(theme))


def _handle(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    if one.text in FIGURES:
        _image(area, one, theme, look, at, hover, ground)
        return
    face = theme.color(one.tone) if one.tone in COLORS else theme.cell
    if one.tone == "bar":
        _fill(area, _head(theme))
        _frame(area, _edge(theme))
        ink = _ink_on(_head(theme), theme)
        _write(area, 10, letters.shorten(one.text, one.type, one.w - 14, True), ink, one.type, True)
        return
    _fill(area, face)
    _frame(area, _mixed(face, theme.ink, 0.4))
    _corners(area, ground)
    _in_the_middle(area, one, 4, _ink_on(face, theme))


def _shade(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    """Draw a strip of hues, a square of the shades of one, or the colour that is mixed."""
    kind, *hue = one.options
    down, across = np.linspace(255, 0, one.h), np.linspace(0, 1, one.w)
    for part, n in enumerate((5, 3, 1)):  # red, green and blue
        k = (n + (across * 359 if kind == "hue" else hue[0]) / 60) % 6
        share = np.clip(np.minimum(k, 4 - k), 0, 1)
        if kind == "hue":
            area[:, :, part] = 255 * (1 - share)
        elif kind == "shade":
            area[:, :, part] = np.outer(down, 1 - across * share)
        else:
            area[:, :, part] = 2.55 * one.value[1] * (1 - one.value[0] / 100 * share)
    _frame(area, _edge(theme))
    if kind != "mixed":
        _knob(area, *spot(one))


def _knob(area: np.ndarray, x: int, y: int) -> None:
    """Draw a ring around the shade that is chosen."""
    left, top = max(0, x - 8), max(0, y - 8)
    near = area[top : y + 9, left : x + 9]
    rows, columns = np.ogrid[: near.shape[0], : near.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    near[(away >= 16) & (away < 36)] = (0, 0, 0)
    near[(away >= 36) & (away < 60)] = (255, 255, 255)


_DRAWN = {
    "note": _note, "box": _panel, "line": _line, "image": _image, "button": _button, "tab": _tab,
    "link": _link, "field": _field, "password": _field, "area": _area, "check": _check,
    "radio": _check, "select": _select, "list": _list, "item": _item, "cell": _item,
    "menu": _menu, "slider": _slider, "fold": _fold, "scroll": _scroll, "handle": _handle,
    "square": _square, "shade": _shade, "tile": _square,
}  # fmt: skip


def _ring(frame: np.ndarray, one: Widget, color: RGB, clip: Box) -> None:
    left, top, right, bottom = clip
    x1, y1, x2, y2 = _box(one)
    for sides in (
        (x1, y1, x2, y1 + 2),
        (x1, y2 - 2, x2, y2),
        (x1, y1, x1 + 2, y2),
        (x2 - 2, y1, x2, y2),
    ):
        a, b = max(sides[0], left, 0), max(sides[1], top, 0)
        frame[b : max(b, min(sides[3], bottom)), a : max(a, min(sides[2], right))] = color


def _circle(frame: np.ndarray, x: int, y: int, color: RGB) -> None:
    """Draw a circle around what somebody points at."""
    left, top = max(0, x - 16), max(0, y - 16)
    area = frame[top : y + 17, left : x + 17]
    rows, columns = np.ogrid[: area.shape[0], : area.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    area[(away >= 13**2) & (away < 16**2) | (away < 2**2)] = color


def _marks(frame: np.ndarray, scene: Screen) -> None:
    """Put the ref of each widget that can be used at its top left corner."""
    number = 0
    for one in scene.widgets:
        if one.kind not in CLICKED and one.kind != "scroll":
            continue
        number += 1
        if not one.inside or one.seen:
            mark = _mark(f"e{number}")
            _paste(frame, mark, max(0, one.x - 4), max(0, one.y - 7), None)


@kept
def _mark(text: str) -> np.ndarray:
    area = np.empty((14, round(letters.width(text, 12, True)) + 4, 3), np.uint8)
    area[:] = (255, 221, 51)
    _write(area, 2, text, (0, 0, 0), 12, True, y=-1)
    return area


@functools.cache
def _tip() -> tuple[np.ndarray, np.ndarray]:
    """Return where the pointer is not, and where it is white, as bits of pixels."""
    drawn = np.array([list(line) for line in _ARROW])[:, :, None].repeat(3, 2)
    return np.where(drawn == " ", 255, 0).astype(np.uint8), np.where(drawn == ".", 255, 0).astype(
        np.uint8
    )


def _pointer(frame: np.ndarray, x: int, y: int) -> None:
    free, white = _tip()
    area = frame[y : y + free.shape[0], x : x + free.shape[1]]
    high, wide = area.shape[:2]
    area &= free[:high, :wide]
    area |= white[:high, :wide]

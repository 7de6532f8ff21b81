"""Draw a Screen: each widget as desktops draw it, kept as a small picture of its own."""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from gem_ma.renderers import font, proportional_font
from gem_ma.renderers.cache import RENDER_CACHE, memoize
from gem_ma.renderers.contrast import MIN_CONTRAST, compute_contrast
from gem_ma.renderers.figures import FIGURES, make_mask
from gem_ma.renderers.scenes.grid import draw_tile
from gem_ma.renderers.scenes.shapes import draw_figure
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import COLORS, text_metrics
from gem_ma.scene.screen import (
    CHECKBOX_SIZE,
    CLICKABLE_KINDS,
    FIELD_PADDING,
    SCROLLBAR_WIDTH,
    TEXT_KINDS,
    THUMB_WIDTH,
    Screen,
    Widget,
    compute_row_height,
    compute_text_shift,
    compute_thumb_x,
    find_shade_point,
)

PixelBox = tuple[int, int, int, int]  # left, top, right, bottom
_MAX_BOXES = 8  # boxes that are drawn one by one
_GROUND_KINDS = ("box", "scroll", "note", "menu", "handle")
_PLACE_FIELDS = ("id", "x", "y", "inside", "clip")  # of a widget, in a picture of it alone
_get_appearance = operator.itemgetter(
    *(i for i, name in enumerate(Widget._fields) if name not in _PLACE_FIELDS)
)
_POINTER_ROWS = (  # the pointer: its outline and its inside
    "X           ", "XX          ", "X.X         ", "X..X        ", "X...X       ", "X....X      ",
    "X.....X     ", "X......X    ", "X.......X   ", "X........X  ", "X.....XXXXX ", "X..X..X     ",
    "X.X X..X    ", "XX  X..X    ", "X    X..X   ", "     X..X   ", "      XX    ",
)  # fmt: skip


class _WidgetLayer(NamedTuple):
    """A widget, and all else that its picture depends on."""

    widget: Widget
    ground: RGB
    at: tuple[int, ...]  # caret and anchor, where it is being typed in
    active: bool
    hover: bool


class _LastFrame:
    """What was drawn of a screen, from which the next picture of it is made."""

    def __init__(self, layers: list[_WidgetLayer], frame: np.ndarray):
        self.layers, self.frame = layers, frame
        self.nbytes = frame.nbytes + 256 * len(layers)


def draw(
    scene: Screen, size: tuple[int, int], theme: Theme, unit: int, draw_scene: Any
) -> np.ndarray:
    """Return a new frame, scenes within it drawn by `draw_scene`."""
    frame = _draw_widgets(
        scene, theme, lambda one: draw_scene(one.value, (one.w, one.h), theme, unit)
    )
    if scene.refs:
        _draw_marks(frame, scene)
    if scene.pointed is not None:
        _draw_circle(frame, *scene.pointed, theme.color("red"))
    if scene.pointer is not None:
        _draw_pointer(frame, *scene.pointer)
    return frame if size == (scene.width, scene.height) else _fit_frame(frame, size, theme)


def make_screen_legend(theme: Theme) -> str:
    """Say which colours a reader would call by another name than tasks do."""
    names = {name: theme.describe_color(name) for name in COLORS}
    return "; ".join(f"{name}: {called}" for name, called in names.items() if name != called)


def _draw_widgets(scene: Screen, theme: Theme, inner: Any) -> np.ndarray:
    """Return the widgets of a screen, of which those are drawn that were not so in the last one."""
    layers = _make_layers(scene, theme)
    whole = 0, 0, scene.width, scene.height
    key = _draw_widgets, whole, scene.look, theme, scene.widgets[:1]
    last: _LastFrame | None = RENDER_CACHE.pop(key)
    if last is None:
        last = _LastFrame([], np.empty((scene.height, scene.width, 3), np.uint8))
        changed = [whole]
    else:
        changed = _find_changes(last.layers, layers, whole)
    for box in changed:
        _redraw_box(last.frame, layers, box, theme, scene.look, inner)
    frame = last.frame.copy()
    RENDER_CACHE.put(key, _LastFrame(layers, last.frame))
    return frame


def _make_layers(scene: Screen, theme: Theme) -> list[_WidgetLayer]:
    layers: list[_WidgetLayer] = []
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
        typed = at if active and kind in TEXT_KINDS else ()
        layers.append(_WidgetLayer(one, ground, typed, active, id == hover))
        if kind in _GROUND_KINDS and (kind != "handle" or w > 200):
            grounds.insert(0, (x, y, x + w, y + h, _find_ground(one, theme)))
            if one.tone == "window":
                grounds.insert(
                    0, (x, y, x + w, y + _compute_bar_height(one), _mix_bar_color(theme))
                )
    return layers


def _compute_box(one: Widget) -> PixelBox:
    """Return what a widget and the ring around it take."""
    return one.x - 2, one.y - 2, one.x + one.w + 2, one.y + one.h + 2


def _find_changes(
    old: list[_WidgetLayer], new: list[_WidgetLayer], whole: PixelBox
) -> list[PixelBox]:
    """Return the boxes in which two screens differ; all of it where that is much."""
    boxes = []
    for one, other in zip(old, new, strict=False):
        if one is not other and one != other:
            boxes += [_compute_box(one.widget), _compute_box(other.widget)]
    many = min(len(old), len(new))
    boxes += [_compute_box(layer.widget) for layer in (*old[many:], *new[many:])]
    boxes = list(dict.fromkeys(boxes))
    if len(boxes) > _MAX_BOXES:
        left, top, right, bottom = zip(*boxes, strict=True)
        boxes = [(min(left), min(top), max(right), max(bottom))]
    area = sum((right - left) * (bottom - top) for left, top, right, bottom in boxes)
    return [whole] if area * 2 > whole[2] * whole[3] else boxes


def _redraw_box(
    frame: np.ndarray,
    layers: list[_WidgetLayer],
    box: PixelBox,
    theme: Theme,
    look: str,
    inner: Any,
) -> None:
    """Draw what lies in a box."""
    left, top, right, bottom = [max(0, side) for side in box]
    area = frame[top:bottom, left:right]
    _fill_area(area, theme.paper)
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
            _paste_picture(frame, inner(one), x, y, clip)
            continue
        key = _draw_widget, _get_appearance(one), theme, ground, look, at, hover
        picture = RENDER_CACHE.get(key)
        if picture is None:
            plain = one._replace(id="", x=0, y=0, inside="", clip=None)
            picture = RENDER_CACHE.put(key, _draw_widget(plain, theme, ground, look, at, hover))
        else:
            RENDER_CACHE.mark_used(key)
        _paste_picture(frame, picture, x, y, clip)
        if active and not at:
            _draw_focus_ring(frame, one, _choose_accent(ground, theme), clip)


def _fit_frame(frame: np.ndarray, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Return the frame as large as fits into another size."""
    from PIL import Image  # only where a screen is not shown at its own size

    high, wide = frame.shape[:2]
    scale = min(size[0] / wide, size[1] / high)
    to = max(1, round(wide * scale)), max(1, round(high * scale))
    small = np.asarray(Image.fromarray(frame).resize(to, Image.Resampling.LANCZOS))
    out = make_frame(size, theme.paper)
    top, left = (size[1] - to[1]) // 2, (size[0] - to[0]) // 2
    out[top : top + to[1], left : left + to[0]] = small
    return out


def _paste_picture(
    frame: np.ndarray, picture: np.ndarray, x: int, y: int, clip: PixelBox | None
) -> None:
    high, wide = picture.shape[:2]
    left, top, right, bottom = clip or (0, 0, frame.shape[1], frame.shape[0])
    if left <= x and top <= y and x + wide <= right and y + high <= bottom:
        frame[y : y + high, x : x + wide] = picture
        return
    x1, y1, x2, y2 = max(x, left, 0), max(y, top, 0), min(x + wide, right), min(y + high, bottom)
    if x1 < x2 and y1 < y2:
        area = frame[y1:y2, x1:x2]
        area[:] = picture[y1 - y : y1 - y + area.shape[0], x1 - x : x1 - x + area.shape[1]]


def _find_ground(one: Widget, theme: Theme) -> RGB:
    """Return the colour of what lies behind other widgets."""
    return _find_kind_ground(one.kind, one.tone, theme)


@functools.lru_cache(maxsize=1024)
def _find_kind_ground(kind: str, tone: str, theme: Theme) -> RGB:
    if tone in COLORS:
        return theme.color(tone)
    if kind == "note":
        return _mix_colors(theme.paper, theme.color("yellow"), 0.25)
    if kind in ("scroll", "menu"):
        return _choose_field_color(theme)
    return theme.cell if kind == "handle" else theme.paper


def _compute_bar_height(one: Widget) -> int:
    """Return how high the bar above a window is."""
    return text_metrics.LINE_HEIGHTS[one.type] + 16


def _mix_bar_color(theme: Theme) -> RGB:
    """Return the colour of the bar above a window."""
    return _mix_colors(theme.cell, theme.color("blue"), 0.25)


def _mix_colors(one: RGB, other: RGB, share: float) -> RGB:
    a, b, c = (round(x * (1 - share) + y * share) for x, y in zip(one, other, strict=True))
    return a, b, c


def _choose_field_color(theme: Theme) -> RGB:
    """Return the ground of what is typed in: lighter than the paper, or a little other."""
    return (255, 255, 255) if sum(theme.paper) > 600 else _mix_colors(theme.paper, (0, 0, 0), 0.35)


@functools.lru_cache(maxsize=1024)
def _choose_ink(ground: RGB, theme: Theme) -> RGB:
    """Return the colour of letters that can be read on a ground."""
    options = (theme.ink, (255, 255, 255), (0, 0, 0))
    best = max(options, key=lambda ink: compute_contrast(ink, ground))
    return theme.ink if compute_contrast(theme.ink, ground) >= 4.5 else best


@functools.lru_cache(maxsize=1024)
def _choose_border_color(theme: Theme) -> RGB:
    """Return the colour of borders: the theme's lines, or where they are faint stronger ones."""
    faint = compute_contrast(theme.line, theme.paper) < 1.5
    return _mix_colors(theme.paper, theme.ink, 0.4) if faint else theme.line


@functools.lru_cache(maxsize=1024)
def _choose_accent(ground: RGB, theme: Theme, least: float = MIN_CONTRAST) -> RGB:
    """Return the blue of links and of what has the keyboard, such that it stands out."""
    color = theme.color("blue")
    while compute_contrast(color, ground) < least:
        color = _mix_colors(color, _choose_ink(ground, theme), 0.25)
    return color


def _draw_widget(
    one: Widget, theme: Theme, ground: RGB, look: str, at: tuple[int, ...], hover: bool
) -> np.ndarray:
    """Return the picture of one widget on its ground."""
    area = _make_area(max(one.w, 1), max(one.h, 1), ground)
    _WIDGET_RENDERERS.get(one.kind, _draw_label)(area, one, theme, look, at, hover, ground)
    return area


@functools.lru_cache(maxsize=4096)
def _make_color_row(color: RGB, wide: int) -> np.ndarray:
    """Return a row of one colour; to copy it is much faster than to fill an area."""
    row = np.empty((wide, 3), np.uint8)
    row[:] = color
    return row


def _make_area(wide: int, high: int, color: RGB) -> np.ndarray:
    """Return an area of one colour."""
    area = np.empty((high, wide, 3), np.uint8)
    _fill_area(area, color)
    return area


def _fill_area(area: np.ndarray, color: RGB) -> None:
    wide = area.shape[1]
    area[:] = _make_color_row(color, -(-wide // 512) * 512)[:wide]


@functools.lru_cache(maxsize=1024)
def _make_cached_shades(ink: RGB, ground: RGB) -> np.ndarray:
    return font.make_shades(ink, ground)


def _draw_text(
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
    cover = proportional_font.render_line_coverage(text, size, bold)
    y = (area.shape[0] - cover.shape[0]) // 2 if y is None else y
    x -= 1
    if x < 0:
        cover, x = cover[:, -x:], 0
    if y < 0:
        cover, y = cover[-y:], 0
    region = area[y : y + cover.shape[0], x : x + cover.shape[1]]
    cover = cover[: region.shape[0], : region.shape[1]]
    if on is None:
        font.blend_ink(region, cover, ink)
    else:
        region[:] = _make_cached_shades(ink, on).take(cover, 0)


def _draw_frame(area: np.ndarray, color: RGB, by: int = 1) -> None:
    for side in (area[:by], area[-by:], area[:, :by], area[:, -by:]):
        side[:] = color


def _draw_bevel(area: np.ndarray, theme: Theme, sunk: bool = False) -> None:
    """Give a box the borders of old desktops."""
    face = area[area.shape[0] // 2, 2].copy()
    a, b, c = (int(part) for part in face)
    dark = _mix_colors((a, b, c), (0, 0, 0), 0.5)
    first, last = (
        (dark, _mix_colors((a, b, c), (0, 0, 0), 0.2)) if sunk else ((255, 255, 255), dark)
    )
    area[:2], area[:, :2] = first, first
    area[-2:], area[:, -2:] = last, last


def _clear_corners(area: np.ndarray, ground: RGB) -> None:
    """Take the corners off."""
    for y in (0, -1):
        for x in (0, -1):
            area[y, x] = ground


def _draw_label(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    ink = _choose_ink(ground, theme)
    if one.tone == "quiet":
        ink = _mix_colors(ink, ground, 0.3)
    bold = one.kind == "title" or one.tone == "bold"
    _draw_text(
        area,
        0,
        text_metrics.truncate_to_width(one.text, one.type, one.w, bold),
        ink,
        one.type,
        bold=bold,
        on=ground,
    )


def _draw_note(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    color = _find_ground(one, theme)
    _fill_area(area, color)
    area[-1:] = _choose_border_color(theme)
    for number, text in enumerate(one.text.split("\n")):
        y = 5 + text_metrics.LINE_HEIGHTS[one.type] * number
        _draw_text(area, 14, text, _choose_ink(color, theme), one.type, y=y, on=color)


def _draw_panel(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    _fill_area(area, _find_ground(one, theme))
    _draw_frame(area, _choose_border_color(theme))
    if one.tone == "window":
        if look == "old":
            _draw_bevel(area[1:-1, 1:-1], theme)
        head = area[2 : min(_compute_bar_height(one), area.shape[0] - 1), 2:-2]
        head[:] = _mix_bar_color(theme)


def _draw_line(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    area[:] = _choose_border_color(theme)


def _draw_image(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    """Draw a figure: its name is the text, its colour the tone."""
    if one.text in FIGURES:
        side = min(one.w, one.h) - 2  # room for an outline
        left, top = (one.w - side) // 2, (one.h - side) // 2
        draw_figure(area, left, top, one.text, side, theme.color(one.tone or "gray"), 1)
    else:
        face = theme.color(one.tone) if one.tone in COLORS else theme.cell
        area[:] = face
        _draw_frame(area, _choose_border_color(theme))
        _draw_text(area, 4, one.text, _choose_ink(face, theme), one.type)


def _draw_button(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    face = theme.cell
    if one.tone == "primary":
        face = _mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
    elif one.tone == "danger":
        face = _mix_colors(theme.color("red"), (0, 0, 0), 0.15)
    elif one.tone in COLORS:
        face = theme.color(one.tone)
    if hover and not one.disabled:
        face = _mix_colors(face, theme.ink, 0.08)
    _fill_area(area, face)
    if look == "old":
        _draw_bevel(area, theme)
    else:
        # then its border is all that can be seen of it
        flat = compute_contrast(face, ground) < 1.05
        _draw_frame(area, _mix_colors(face, theme.ink, 0.6 if flat else 0.35))
        _clear_corners(area, ground)
    ink = (
        _mix_colors(_choose_ink(face, theme), face, 0.55)
        if one.disabled
        else _choose_ink(face, theme)
    )
    _draw_centered_text(area, one, 8, ink, on=face)


def _draw_centered_text(area: Any, one: Any, rim: int, ink: Any, **how: Any) -> None:
    text = text_metrics.truncate_to_width(one.text, one.type, one.w - rim)
    _draw_text(
        area,
        round((one.w - text_metrics.measure_width(text, one.type)) / 2),
        text,
        ink,
        one.type,
        **how,
    )


def _draw_tab(area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any) -> None:
    face = ground if one.value else theme.cell
    _fill_area(area, face)
    _draw_frame(area, _choose_border_color(theme))
    if one.value:
        area[:3] = _choose_accent(theme.paper, theme)
        area[-1:, 1:-1] = ground
    _draw_centered_text(area, one, 8, _choose_ink(face, theme))


def _draw_link(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    ink = _choose_accent(ground, theme, 4.5)
    text = text_metrics.truncate_to_width(one.text, one.type, one.w)
    _draw_text(area, 0, text, ink, one.type, on=ground)
    under = (area.shape[0] + text_metrics.LINE_HEIGHTS[one.type]) // 2 - 3
    if under < area.shape[0]:
        area[under, : round(text_metrics.measure_width(text, one.type))] = ink


def _draw_field(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    color = _choose_field_color(theme) if not one.disabled else theme.cell
    _fill_area(area, color)
    rim = _choose_accent(color, theme) if at else _mix_colors(color, theme.ink, 0.45)
    _draw_frame(area, rim, 2 if at else 1)
    if look == "old" and not at:
        _draw_bevel(area, theme, sunk=True)
    ink, value = _choose_ink(color, theme), str(one.value or "")
    inner = area[2:-2, FIELD_PADDING - 1 : -FIELD_PADDING + 1]
    if not value and one.text:
        _draw_text(inner, 1, one.text, _mix_colors(ink, color, 0.45), one.type, on=color)
    text = "•" * len(value) if one.kind == "password" else value
    caret, anchor = at or (0, 0)
    shift = compute_text_shift(one, caret)
    wide = text_metrics.measure_edges(text, one.type)
    low, high = sorted((min(caret, len(text)), min(anchor, len(text))))
    if low != high:
        chosen = _mix_colors(color, theme.color("blue"), 0.4)
        inner[
            2:-2, max(0, round(wide[low]) - shift + 1) : max(0, round(wide[high]) - shift + 1)
        ] = chosen
    _draw_text(inner, 1 - shift, text, ink, one.type, on=color if low == high else None)
    if at and low == high:
        x = round(wide[low]) - shift + 1
        inner[2:-2, max(0, x) : max(0, x) + 1] = ink


def _draw_text_area(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    color = _choose_field_color(theme)
    _fill_area(area, color)
    rim = _choose_accent(color, theme) if at else _mix_colors(color, theme.ink, 0.45)
    _draw_frame(area, rim, 2 if at else 1)
    ink, value = _choose_ink(color, theme), str(one.value or "")
    caret, anchor = at or (0, 0)
    low, high = sorted((min(caret, len(value)), min(anchor, len(value))))
    start, high = 0, text_metrics.LINE_HEIGHTS[one.type]
    for number, text in enumerate(value.split("\n")):
        y, wide = FIELD_PADDING + high * number, text_metrics.measure_edges(text, one.type)
        first, last = max(0, low - start), min(len(text), high - start)
        if low != high and first <= len(text) and last >= 0 and first < last:
            chosen = _mix_colors(color, theme.color("blue"), 0.4)
            area[
                y : y + high, FIELD_PADDING + round(wide[first]) : FIELD_PADDING + round(wide[last])
            ] = chosen
        _draw_text(area[:, : -FIELD_PADDING + 1], FIELD_PADDING, text, ink, one.type, y=y)
        if at and low == high and 0 <= caret - start <= len(text):
            x = FIELD_PADDING + round(wide[caret - start])
            area[y + 1 : y + high - 1, x : x + 1] = ink
        start += len(text) + 1


def _draw_check_box(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    top = (one.h - CHECKBOX_SIZE) // 2
    box = area[top : top + CHECKBOX_SIZE, :CHECKBOX_SIZE]
    ink = _choose_ink(ground, theme)
    on = _mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
    if one.kind == "check":
        box[:] = on if one.value else _choose_field_color(theme)
        _draw_frame(
            box, on if one.value else _mix_colors(_choose_field_color(theme), theme.ink, 0.5)
        )
        if one.value:
            for x, y in ((4, 8), (5, 9), (6, 10), (7, 9), (8, 8), (9, 7), (10, 6), (11, 5)):
                box[y - 1 : y + 2, x] = (255, 255, 255)
    else:
        font.blend_ink(
            box,
            make_mask("disc", CHECKBOX_SIZE),
            _mix_colors(_choose_field_color(theme), theme.ink, 0.5),
        )
        font.blend_ink(
            box[1:-1, 1:-1], make_mask("disc", CHECKBOX_SIZE - 2), _choose_field_color(theme)
        )
        if one.value:
            font.blend_ink(box[3:-3, 3:-3], make_mask("disc", CHECKBOX_SIZE - 6), on)
    _draw_text(
        area,
        CHECKBOX_SIZE + 7,
        text_metrics.truncate_to_width(one.text, one.type, one.w - CHECKBOX_SIZE - 7),
        ink,
        one.type,
        on=ground,
    )


def _draw_select(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    color = _choose_field_color(theme)
    _fill_area(area, color)
    _draw_frame(area, _mix_colors(color, theme.ink, 0.45))
    if look == "old":
        _draw_bevel(area, theme, sunk=True)
    ink = _choose_ink(color, theme)
    text = str(one.options[one.value]) if 0 <= one.value < len(one.options) else ""
    _draw_text(
        area,
        FIELD_PADDING,
        text_metrics.truncate_to_width(text, one.type, one.w - 34),
        ink,
        one.type,
    )
    x, y = one.w - 20, one.h // 2 - 2
    for n in range(5):
        area[y + n, x + n : x + 10 - n] = ink


def _draw_list(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    color = _choose_field_color(theme)
    _fill_area(area, color)
    high = compute_row_height(one)
    for number, option in enumerate(one.options):
        line = area[number * high : number * high + high]
        ground = color
        if number == one.value:
            ground = _mix_colors(theme.color("blue"), (0, 0, 0), 0.1)
            _fill_area(line, ground)
        text = text_metrics.truncate_to_width(str(option), one.type, one.w - 2 * FIELD_PADDING)
        _draw_text(line, FIELD_PADDING, text, _choose_ink(ground, theme), one.type, on=ground)
    _draw_frame(area, _mix_colors(color, theme.ink, 0.45))


def _draw_item(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    face = _choose_field_color(theme)
    if one.value is True:
        face = _mix_colors(face, theme.color("blue"), 0.3)
    elif hover:
        face = _mix_colors(face, theme.ink, 0.1)
    _fill_area(area, face)
    if one.kind == "cell":
        if one.tone in COLORS:
            face = theme.color(one.tone)
            area[:] = face
        _draw_frame(area, _choose_border_color(theme))
    text = text_metrics.truncate_to_width(one.text, one.type, one.w - 2 * FIELD_PADDING)
    _draw_text(area, FIELD_PADDING, text, _choose_ink(face, theme), one.type, on=face)


def _draw_square(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    tile, marked = one.value
    side = min(one.w, one.h)
    area[:side, :side] = draw_tile(tile, side, theme, marked)


def _draw_menu(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    _fill_area(area, _choose_field_color(theme))
    _draw_frame(area, _choose_border_color(theme))


def _draw_slider(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    middle, half = one.h // 2, THUMB_WIDTH // 2
    x = compute_thumb_x(one)
    blue = theme.color("blue")
    area[middle - 2 : middle + 2, half : one.w - half] = _mix_colors(ground, theme.ink, 0.35)
    area[middle - 2 : middle + 2, half:x] = blue
    font.blend_ink(
        area[middle - half : middle + half, x - half : x + half],
        make_mask("disc", THUMB_WIDTH),
        blue,
    )


def _draw_fold(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    _fill_area(area, theme.cell)
    _draw_frame(area, _choose_border_color(theme))
    ink, y = _choose_ink(theme.cell, theme), one.h // 2
    for n in range(5):
        if one.value:
            area[y - 2 + n, 8 + n : 18 - n] = ink
        else:
            area[y - 5 + n : y + 5 - n, 10 + n] = ink
    _draw_text(
        area, 26, text_metrics.truncate_to_width(one.text, one.type, one.w - 30), ink, one.type
    )


def _draw_scroll(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    _fill_area(area, _find_ground(one, theme))
    content = max(one.options[0], one.h)
    long = max(20, one.h * one.h // content)
    most = content - one.h
    top = (one.h - long) * one.value // most if most else 0
    rail = area[:, -SCROLLBAR_WIDTH:]
    rail[:] = theme.cell
    if most:
        rail[top : top + long, 3:-3] = _mix_colors(theme.cell, _choose_ink(theme.cell, theme), 0.45)
    _draw_frame(area, _choose_border_color(theme))


def _draw_handle(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
    if one.text in FIGURES:
        _draw_image(area, one, theme, look, at, hover, ground)
        return
    face = theme.color(one.tone) if one.tone in COLORS else theme.cell
    if one.tone == "bar":
        _fill_area(area, _mix_bar_color(theme))
        _draw_frame(area, _choose_border_color(theme))
        ink = _choose_ink(_mix_bar_color(theme), theme)
        _draw_text(
            area,
            10,
            text_metrics.truncate_to_width(one.text, one.type, one.w - 14, True),
            ink,
            one.type,
            True,
        )
        return
    _fill_area(area, face)
    _draw_frame(area, _mix_colors(face, theme.ink, 0.4))
    _clear_corners(area, ground)
    _draw_centered_text(area, one, 4, _choose_ink(face, theme))


def _draw_color_picker(
    area: Any, one: Any, theme: Any, look: Any, at: Any, hover: Any, ground: Any
) -> None:
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
    _draw_frame(area, _choose_border_color(theme))
    if kind != "mixed":
        _draw_knob(area, *find_shade_point(one))


def _draw_knob(area: np.ndarray, x: int, y: int) -> None:
    """Draw a ring around the shade that is chosen."""
    left, top = max(0, x - 8), max(0, y - 8)
    near = area[top : y + 9, left : x + 9]
    rows, columns = np.ogrid[: near.shape[0], : near.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    near[(away >= 16) & (away < 36)] = (0, 0, 0)
    near[(away >= 36) & (away < 60)] = (255, 255, 255)


_WIDGET_RENDERERS = {
    "note": _draw_note,
    "box": _draw_panel,
    "line": _draw_line,
    "image": _draw_image,
    "button": _draw_button,
    "tab": _draw_tab,
    "link": _draw_link,
    "field": _draw_field,
    "password": _draw_field,
    "area": _draw_text_area,
    "check": _draw_check_box,
    "radio": _draw_check_box,
    "select": _draw_select,
    "list": _draw_list,
    "item": _draw_item,
    "cell": _draw_item,
    "menu": _draw_menu,
    "slider": _draw_slider,
    "fold": _draw_fold,
    "scroll": _draw_scroll,
    "handle": _draw_handle,
    "square": _draw_square,
    "shade": _draw_color_picker,
    "tile": _draw_square,
}


def _draw_focus_ring(frame: np.ndarray, one: Widget, color: RGB, clip: PixelBox) -> None:
    left, top, right, bottom = clip
    x1, y1, x2, y2 = _compute_box(one)
    for sides in (
        (x1, y1, x2, y1 + 2),
        (x1, y2 - 2, x2, y2),
        (x1, y1, x1 + 2, y2),
        (x2 - 2, y1, x2, y2),
    ):
        a, b = max(sides[0], left, 0), max(sides[1], top, 0)
        frame[b : max(b, min(sides[3], bottom)), a : max(a, min(sides[2], right))] = color


def _draw_circle(frame: np.ndarray, x: int, y: int, color: RGB) -> None:
    """Draw a circle around what somebody points at."""
    left, top = max(0, x - 16), max(0, y - 16)
    area = frame[top : y + 17, left : x + 17]
    rows, columns = np.ogrid[: area.shape[0], : area.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    area[(away >= 13**2) & (away < 16**2) | (away < 2**2)] = color


def _draw_marks(frame: np.ndarray, scene: Screen) -> None:
    """Put the ref of each widget that can be used at its top left corner."""
    number = 0
    for one in scene.widgets:
        if one.kind not in CLICKABLE_KINDS and one.kind != "scroll":
            continue
        number += 1
        if not one.inside or one.seen:
            mark = _draw_mark(f"e{number}")
            _paste_picture(frame, mark, max(0, one.x - 4), max(0, one.y - 7), None)


@memoize
def _draw_mark(text: str) -> np.ndarray:
    area = np.empty((14, round(text_metrics.measure_width(text, 12, True)) + 4, 3), np.uint8)
    area[:] = (255, 221, 51)
    _draw_text(area, 2, text, (0, 0, 0), 12, True, y=-1)
    return area


@functools.cache
def _make_pointer_masks() -> tuple[np.ndarray, np.ndarray]:
    """Return where the pointer is not, and where it is white, as bits of pixels."""
    drawn = np.array([list(line) for line in _POINTER_ROWS])[:, :, None].repeat(3, 2)
    return np.where(drawn == " ", 255, 0).astype(np.uint8), np.where(drawn == ".", 255, 0).astype(
        np.uint8
    )


def _draw_pointer(frame: np.ndarray, x: int, y: int) -> None:
    free, white = _make_pointer_masks()
    area = frame[y : y + free.shape[0], x : x + free.shape[1]]
    high, wide = area.shape[:2]
    area &= free[:high, :wide]
    area |= white[:high, :wide]

"""The renderer of Screen: widgets in the style of desktops, each cached as a small picture."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.cache import RENDER_CACHE, memoize
from gem_ma.renderers.contrast import compute_contrast
from gem_ma.renderers.scenes.touch.pictures import make_wallpaper
from gem_ma.renderers.scenes.touch.widgets import (
    choose_wall_color,
    draw_floating_button,
    draw_map,
    draw_touch_widget,
    draw_wall_widget,
    find_outline_color,
    find_touch_ground,
    is_floating,
    weight_corners,
)
from gem_ma.renderers.scenes.widget_paint import (
    PANES,
    choose_accent,
    choose_border_color,
    compute_bar_height,
    draw_widget_text,
    fill_area,
    find_ground,
    mix_bar_color,
    mix_colors,
)
from gem_ma.renderers.scenes.widgets import Caret, draw_widget
from gem_ma.renderers.themes import RGB, Theme, make_frame
from gem_ma.scene import COLORS, text_metrics
from gem_ma.scene.screen import CLICKABLE_KINDS, TEXT_KINDS, Screen, Widget

PixelBox = tuple[int, int, int, int]  # left, top, right, bottom
SceneRenderer = Callable[[object, tuple[int, int], Theme, int], np.ndarray]
_STARK = 20  # contrast of themes that have only black and white grounds
_MAX_BOXES = 8  # more changed boxes are merged into one
_GROUND_KINDS = ("box", "scroll", "note", "menu", "handle")
_PLACE_FIELDS = ("id", "x", "y", "inside", "clip")  # not in a widget's own picture
_get_appearance = operator.itemgetter(
    *(i for i, name in enumerate(Widget._fields) if name not in _PLACE_FIELDS)
)
_POINTER_ROWS = (  # the pointer: "X" is its outline, "." its inside
    "X           ", "XX          ", "X.X         ", "X..X        ", "X...X       ", "X....X      ",
    "X.....X     ", "X......X    ", "X.......X   ", "X........X  ", "X.....XXXXX ", "X..X..X     ",
    "X.X X..X    ", "XX  X..X    ", "X    X..X   ", "     X..X   ", "      XX    ",
)  # fmt: skip


class _WidgetLayer(NamedTuple):
    """A widget and everything else that its picture depends on."""

    widget: Widget
    ground: RGB
    at: Caret
    active: bool
    hover: bool


class _LastFrame:
    """The last frame of a screen and its layers, from which the next frame is updated."""

    def __init__(self, layers: list[_WidgetLayer], frame: np.ndarray):
        self.layers, self.frame = layers, frame
        self.nbytes = frame.nbytes + 256 * len(layers)


def draw(
    scene: Screen, size: tuple[int, int], theme: Theme, unit: int, draw_scene: SceneRenderer
) -> np.ndarray:
    """Draw the screen as a new frame; `draw_scene` draws the scenes within it."""
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
    """Return the colours whose name in this theme differs from their name in tasks."""
    names = {name: theme.describe_color(name) for name in COLORS}
    return "; ".join(
        f"{name}: {description}" for name, description in names.items() if name != description
    )


def _draw_widgets(scene: Screen, theme: Theme, inner: Callable[[Widget], np.ndarray]) -> np.ndarray:
    """Return a frame of a screen's widgets; only the parts that changed are drawn again."""
    layers = _make_layers(scene, theme)
    whole = 0, 0, scene.width, scene.height
    key = _draw_widgets, whole, scene.look, theme, scene.widgets[:1]
    last: _LastFrame | None = RENDER_CACHE.pop(key)
    if last is None:
        last = _LastFrame([], np.empty((scene.height, scene.width, 3), np.uint8))
        boxes = [whole]
    else:
        boxes = _find_changes(last.layers, layers, whole)
    for box in boxes:
        _redraw_box(last.frame, layers, box, theme, scene.look, inner)
    frame = last.frame.copy()
    RENDER_CACHE.put(key, _LastFrame(layers, last.frame))
    return frame


def _make_layers(scene: Screen, theme: Theme) -> list[_WidgetLayer]:
    layers: list[_WidgetLayer] = []
    grounds: list[tuple[int, int, int, int, RGB]] = []
    focus, hover = scene.focus, scene.hover
    is_touch = scene.look == "phone"
    ground_kinds = ("pane",) if is_touch else _GROUND_KINDS
    find_color = find_touch_ground if is_touch else find_ground
    at = scene.caret, scene.anchor
    for one in scene.widgets:
        id, kind, x, y, w, h = one[:6]
        ground, middle = theme.paper, y + h // 2
        for left, top, right, bottom, color in grounds:  # topmost ground first
            if left <= x < right and top <= middle < bottom:
                ground = color
                break
        active = id == focus
        caret = at if active and kind in TEXT_KINDS else ()
        layers.append(_WidgetLayer(one, ground, caret, active, id == hover))
        if kind in ground_kinds and (kind != "handle" or w > 200):
            grounds.insert(0, (x, y, x + w, y + h, find_color(one, theme)))
            if one.tone == "window":
                grounds.insert(0, (x, y, x + w, y + compute_bar_height(one), mix_bar_color(theme)))
    return layers


def _compute_box(one: Widget) -> PixelBox:
    """Return the box of a widget and its focus ring."""
    return one.x - 2, one.y - 2, one.x + one.w + 2, one.y + one.h + 2


def _find_changes(
    old: list[_WidgetLayer], new: list[_WidgetLayer], whole: PixelBox
) -> list[PixelBox]:
    """Return the boxes in which two screens differ, or the whole screen if they cover over half."""
    boxes = []
    for one, other in zip(old, new, strict=False):
        if one is not other and one != other:
            boxes += [_compute_box(one.widget), _compute_box(other.widget)]
    common_count = min(len(old), len(new))
    boxes += [_compute_box(layer.widget) for layer in (*old[common_count:], *new[common_count:])]
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
    inner: Callable[[Widget], np.ndarray],
) -> None:
    """Draw all widgets again within a box."""
    # A box at the edge goes beyond the frame, by its focus ring at least.
    left, top = max(0, box[0]), max(0, box[1])
    right, bottom = min(box[2], frame.shape[1]), min(box[3], frame.shape[0])
    if left >= right or top >= bottom:
        return
    area = frame[top:bottom, left:right]
    fill_area(area, theme.paper)
    is_touch = look == "phone"
    for one, ground, at, active, hover in layers:
        _, kind, x, y, w, h = one[:6]
        if kind == "veil":
            area >>= 1
            area += np.uint8(0 if is_touch else theme.ink[0] // 4)
            continue
        if y - 2 >= bottom or x - 2 >= right or y + h + 2 <= top or x + w + 2 <= left:
            continue
        clip = _cut_clip((left, top, right, bottom), one.clip)
        if is_touch:
            _paint_touch_widget(frame, one, theme, ground, at, clip)
            continue
        if kind == "box" and one.tone in PANES:
            _paint_pane(frame, one, theme, look, clip)
            continue
        if kind == "view":
            _paste_picture(frame, inner(one), x, y, clip)
            continue
        picture = _draw_once(draw_widget, one, theme, ground, look, at, hover)
        _paste_picture(frame, picture, x, y, clip)
        if active and not at:
            _draw_focus_ring(frame, one, choose_accent(ground, theme), clip)


def _draw_once(renderer: Callable[..., np.ndarray], one: Widget, *arguments: object) -> np.ndarray:
    """Return the picture of a widget, which is the same at every place, from the cache if there."""
    key = renderer, _get_appearance(one), *arguments
    picture: np.ndarray | None = RENDER_CACHE.get(key)
    if picture is None:
        plain = one._replace(id="", x=0, y=0, inside="", clip=None)
        return RENDER_CACHE.put(key, renderer(plain, *arguments))
    RENDER_CACHE.mark_used(key)
    return picture


def _cut_clip(box: PixelBox, clip: PixelBox | None) -> PixelBox:
    """Return the part of a box within the visible part of a scroll."""
    if clip is None:
        return box
    return max(box[0], clip[0]), max(box[1], clip[1]), min(box[2], clip[2]), min(box[3], clip[3])


def _paint_touch_widget(
    frame: np.ndarray, one: Widget, theme: Theme, ground: RGB, at: Caret, clip: PixelBox
) -> None:
    """Draw a widget in the look of a phone."""
    if one.tone == "wall":
        _paint_on_wall(frame, one, theme, clip)
        return
    if one.kind == "pane":
        _paint_touch_pane(frame, one, theme, clip)
        return
    if is_floating(one):
        area = frame[one.y : one.y + one.h, one.x : one.x + one.w].copy()
        draw_floating_button(area, one, theme)
        _paste_picture(frame, area, one.x, one.y, clip)
        return
    if one.kind == "map":
        _paste_picture(frame, draw_map(one, theme), one.x, one.y, clip)
        return
    if one.kind == "scroll":  # what is in it shows where it is
        return
    picture = _draw_once(draw_touch_widget, one, theme, ground, at)
    _paste_picture(frame, picture, one.x, one.y, clip)


def _paint_on_wall(frame: np.ndarray, one: Widget, theme: Theme, clip: PixelBox) -> None:
    """Draw the wallpaper, or a widget over it, which is not the same at any other place."""
    if one.kind == "pane" and not one.options:
        wall = make_wallpaper(frame.shape[1], frame.shape[0], choose_wall_color(one, theme))
        _paste_picture(frame, wall, 0, 0, clip)
        return
    area = frame[one.y : one.y + one.h, one.x : one.x + one.w].copy()
    draw_wall_widget(area, one, theme)
    _paste_picture(frame, area, one.x, one.y, clip)


def _paint_touch_pane(frame: np.ndarray, one: Widget, theme: Theme, clip: PixelBox) -> None:
    """Draw a pane with round corners, and a border where colours do not tell it from its ground."""
    color, radius = find_touch_ground(one, theme), one.options[0] if one.options else 0
    x1, y1, x2, y2 = one.x, one.y, one.x + one.w, one.y + one.h
    is_bordered = (
        radius and one.tone != "field" and compute_contrast(theme.ink, theme.paper) > _STARK
    )
    border, width = choose_border_color(theme) if is_bordered else color, 1
    if one.options[1:]:  # the tone of an outline
        border, width = find_outline_color(one, theme), 2
    corners = [(x1, y1, 0, 0), (x2 - radius, y1, 0, radius)] if radius else []
    if one.tone != "sheet":  # which ends at the edge of the screen
        corners += [(x, y2 - radius, radius, column) for x, _, _, column in corners]
    covered = [
        (*_cut_box(frame, (x, y, x + radius, y + radius), clip), row, column)
        for x, y, row, column in corners
    ]
    covered = [corner for corner in covered if corner[0].size]
    before = [area.copy() for area, *_ in covered]
    fill_area(_cut_box(frame, (x1, y1, x2, y2), clip)[0], border)
    if border != color:
        inner = x1 + width, y1 + width, x2 - width, y2 - width
        fill_area(_cut_box(frame, inner, clip)[0], color)
    for (area, left, top, row, column), under in zip(covered, before, strict=True):
        y, x = row + top, column + left
        part = slice(y, y + area.shape[0]), slice(x, x + area.shape[1])
        below, ink = weight_corners(radius, color, border, width)
        font.blend_weighted_ink(under, below[part], ink[part])
        area[:] = under


def _cut_box(frame: np.ndarray, box: PixelBox, clip: PixelBox) -> tuple[np.ndarray, int, int]:
    """Return the part of a frame in two boxes, and how far it is from the corner of the first."""
    left, top = max(box[0], clip[0]), max(box[1], clip[1])
    right, bottom = max(left, min(box[2], clip[2])), max(top, min(box[3], clip[3]))
    return frame[top:bottom, left:right], left - box[0], top - box[1]


def _paint_pane(frame: np.ndarray, one: Widget, theme: Theme, look: str, clip: PixelBox) -> None:
    """Draw a part of a program's window, which is too large to keep as a picture of its own."""
    left, top, right, bottom = clip
    x1, y1, x2, y2 = one.x, one.y, one.x + one.w, one.y + one.h
    color = find_ground(one, theme)
    fill_area(frame[max(y1, top) : min(y2, bottom), max(x1, left) : min(x2, right)], color)
    if one.tone == "desk":
        return
    dark = choose_border_color(theme)
    light = mix_colors(color, (255, 255, 255), 0.8) if look == "old" else dark
    for sides, edge in (
        ((x1, y1, x2, y1 + 1), light),
        ((x1, y1, x1 + 1, y2), light),
        ((x1, y2 - 1, x2, y2), dark),
        ((x2 - 1, y1, x2, y2), dark),
    ):
        a, b = max(sides[0], left), max(sides[1], top)
        frame[b : max(b, min(sides[3], bottom)), a : max(a, min(sides[2], right))] = edge


def _fit_frame(frame: np.ndarray, size: tuple[int, int], theme: Theme) -> np.ndarray:
    """Scale a frame to fit into another size, centred."""
    from PIL import Image  # imported only for screens that are not shown at their own size

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
    """Draw a circle around the point that another seat points at."""
    left, top = max(0, x - 16), max(0, y - 16)
    area = frame[top : y + 17, left : x + 17]
    rows, columns = np.ogrid[: area.shape[0], : area.shape[1]]
    away = (rows + top - y) ** 2 + (columns + left - x) ** 2
    area[(away >= 13**2) & (away < 16**2) | (away < 2**2)] = color


def _draw_marks(frame: np.ndarray, scene: Screen) -> None:
    """Draw the ref of each usable widget at its top left corner."""
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
    draw_widget_text(area, 2, text, (0, 0, 0), 12, True, y=-1)
    return area


@functools.cache
def _make_pointer_masks() -> tuple[np.ndarray, np.ndarray]:
    """Return two bit masks of pixels: outside the pointer, and its white inside."""
    pixels = np.array([list(line) for line in _POINTER_ROWS])[:, :, None].repeat(3, 2)
    return np.where(pixels == " ", 255, 0).astype(np.uint8), np.where(pixels == ".", 255, 0).astype(
        np.uint8
    )


def _draw_pointer(frame: np.ndarray, x: int, y: int) -> None:
    outside, white = _make_pointer_masks()
    area = frame[y : y + outside.shape[0], x : x + outside.shape[1]]
    high, wide = area.shape[:2]
    area &= outside[:high, :wide]
    area |= white[:high, :wide]

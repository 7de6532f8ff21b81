"""Renderers of the widgets of a Screen in the look of a phone, each on its background."""

from __future__ import annotations

import functools

import numpy as np

from gem_ma.renderers import font
from gem_ma.renderers.contrast import MIN_CONTRAST, compute_contrast
from gem_ma.renderers.figures import make_mask
from gem_ma.renderers.scenes.touch.icons import make_icon_mask
from gem_ma.renderers.scenes.touch.pictures import (
    ROUTES,
    make_map,
    make_photo,
    make_route_map,
)
from gem_ma.renderers.scenes.widget_paint import (
    choose_widget_ink,
    draw_widget_text,
    fill_area,
    find_corners,
    is_light,
    mix_colors,
    round_corners,
)
from gem_ma.renderers.themes import RGB, Theme
from gem_ma.scene import text_metrics
from gem_ma.scene.screen import FIELD_PADDING, Widget, compute_text_shift, compute_thumb_x
from gem_ma.scene.touch_keyboard import (
    BACKSPACE,
    CAPITALS,
    ENTER,
    OTHER_LAYER,
    SHIFT,
    SPACE,
    SYMBOLS,
    place_keys,
)

Caret = tuple[int, ...]
_WHITE = (255, 255, 255)
ICON_SIDE = 22  # pixels of most icons
MAPS = 3  # different ones
_SWITCH = 44, 24
_PANE = 0.16  # how white a pane on the wallpaper is


def find_tone(tone: str, theme: Theme, other: RGB) -> RGB:
    """Return the colour of a tone: "seat3", the name of a colour, or else another."""
    if tone.startswith("seat"):
        return theme.seats[int(tone[4:]) % len(theme.seats)]
    return theme.color(tone) if tone in theme.colors else other


def _find_accent(one: Widget, theme: Theme) -> RGB:
    """Return the colour of a widget's tone, or blue."""
    return find_tone(one.tone, theme, theme.color("blue"))


def find_touch_ground(one: Widget, theme: Theme) -> RGB:
    """Return the colour of a pane, which it gives to the widgets on it."""
    return _find_pane_color(one.tone, theme)


@functools.lru_cache(maxsize=256)
def _find_pane_color(tone: str, theme: Theme) -> RGB:
    light = is_light(theme)
    screen = mix_colors(theme.paper, theme.color("blue"), 0.05) if light else theme.paper
    match tone:
        case "screen" | "bar":
            return screen
        case "card" | "raised" | "dialog" | "sheet":
            return _WHITE if light else mix_colors(theme.paper, theme.ink, 0.09)
        case "field":
            return mix_colors(screen, theme.ink, 0.08 if light else 0.15)
        case "soft":
            return mix_colors(screen, theme.ink, 0.05 if light else 0.11)
        case "toast":
            return mix_colors(theme.ink, theme.paper, 0.1)
    return find_tone(tone, theme, theme.paper)


def find_outline_color(one: Widget, theme: Theme) -> RGB:
    """Return the colour of the outline of a pane, whose tone follows its radius."""
    return _choose_ink(one.options[1], theme, find_touch_ground(one, theme))


def draw_touch_widget(one: Widget, theme: Theme, ground: RGB, at: Caret) -> np.ndarray:
    """Draw one widget on a background of one colour."""
    area = np.empty((max(one.h, 1), max(one.w, 1), 3), np.uint8)
    fill_area(area, ground)
    _RENDERERS.get(one.kind, _draw_label)(area, one, theme, at, ground)
    if one.kind == "row" and not one.options[3]:
        return area[:, : _find_row_end(one)].copy()  # the rest is empty
    return area


def choose_wall_color(one: Widget, theme: Theme) -> RGB:
    """Return the colour of the wallpaper below a widget, which is its group."""
    return find_tone(one.group, theme, theme.color("blue"))


def draw_wall_widget(area: np.ndarray, one: Widget, theme: Theme) -> None:
    """Draw one widget over what is there: the wallpaper, or a pane on it."""
    match one.kind:
        case "pane":
            _tint_round(area, _WHITE, _PANE, one.options[0])
        case "app":
            _draw_app(area, one, theme)
        case "status":
            _draw_status(area, one, _WHITE, None)
        case "button" if one.options:
            _blend_icon(area, one.options[0], ICON_SIDE, _WHITE)
        case "button":
            _tint_round(area, _WHITE, _PANE, min(area.shape[:2]) // 2)
            _draw_middle(area, one, _WHITE, None)
        case _:
            x = round((one.w - text_metrics.measure_width(one.text, one.type)) / 2)
            draw_widget_text(area, x, one.text, _WHITE, one.type)


@functools.lru_cache(maxsize=256)
def _make_round_mask(wide: int, high: int, radius: int) -> np.ndarray:
    mask = np.full((high, wide), 255, np.uint8)
    if radius > 0:
        for part, corner in find_corners(mask, radius):
            part[:] = corner
    return mask


def _tint_round(area: np.ndarray, color: RGB, alpha: float, radius: int) -> None:
    mask = _make_round_mask(area.shape[1], area.shape[0], radius)
    font.blend_ink(area, (mask * alpha).astype(np.uint8), color)


def _fill_round(area: np.ndarray, color: RGB, radius: int, ground: RGB) -> None:
    fill_area(area, color)
    radius = min(radius, min(area.shape[:2]) // 2)
    if radius > 0:
        round_corners(area, radius, ground)


def _outline_round(area: np.ndarray, color: RGB, radius: int, width: int = 2) -> None:
    mask = _make_round_mask(area.shape[1], area.shape[0], radius).copy()
    inner = mask[width:-width, width:-width]
    inner -= np.minimum(inner, _make_round_mask(*inner.shape[::-1], radius - width))
    font.blend_ink(area, mask, color)


def _blend_icon(area: np.ndarray, name: str, side: int, ink: RGB, x: int | None = None,
                y: int | None = None) -> None:  # fmt: skip
    x = (area.shape[1] - side) // 2 if x is None else x
    y = (area.shape[0] - side) // 2 if y is None else y
    font.blend_ink(area[y : y + side, x : x + side], make_icon_mask(name, side), ink)


def _mix_quiet(ink: RGB, ground: RGB) -> RGB:
    return mix_colors(ink, ground, 0.32)


def _draw_middle(
    area: np.ndarray, one: Widget, ink: RGB, ground: RGB | None, bold: bool = False
) -> None:
    text = text_metrics.truncate_to_width(one.text, one.type, one.w, bold)
    x = round((one.w - text_metrics.measure_width(text, one.type, bold)) / 2)
    draw_widget_text(area, x, text, ink, one.type, bold, on=ground)


def _draw_label(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    ink = choose_widget_ink(ground, theme)
    bold = one.kind == "title" or one.tone == "bold"
    if one.tone == "quiet":
        ink = _mix_quiet(ink, ground)
    elif one.tone.startswith("seat"):
        ink = _choose_ink(one.tone, theme, ground)
    text = text_metrics.truncate_to_width(one.text, one.type, one.w, bold)
    draw_widget_text(area, 0, text, ink, one.type, bold, on=ground)


@functools.lru_cache(maxsize=512)
def _choose_ink(tone: str, theme: Theme, ground: RGB) -> RGB:
    """Return the colour of a tone, darker or lighter if it could not be read on a background."""
    color = find_tone(tone, theme, theme.color("blue"))
    while compute_contrast(color, ground) < 4.5:
        color = mix_colors(color, choose_widget_ink(ground, theme), 0.25)
    return color


@functools.lru_cache(maxsize=256)
def weight_corners(
    radius: int, color: RGB, border: RGB, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of a disc, whose quarters are the corners of a pane: see `weight_ink`.

    Args:
        border: the colour of its edge, which is as many pixels wide as `width` says.
    """
    below, ink = font.weight_ink(make_mask("disc", 2 * radius), border)
    if border == color:
        return below, ink
    mask = np.zeros((2 * radius, 2 * radius), np.uint8)
    mask[width : 2 * radius - width, width : 2 * radius - width] = make_mask(
        "disc", 2 * (radius - width)
    )
    above, inner = font.weight_ink(mask, color)
    shares = above / 255  # of the border; what rounds is in `inner` too
    return (below * shares).astype(np.uint16), ((ink - 128) * shares + inner).astype(np.uint16)


def _draw_row(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw an entry of a list: (subtitle, icon, tone of its icon, text at the right)."""
    subtitle, icon, tone, right = one.options
    ink, x = choose_widget_ink(ground, theme), 16
    if icon:
        side = 40 if one.h >= 52 else 32
        color = find_tone(tone, theme, mix_colors(ground, ink, 0.14))
        top = (one.h - side) // 2
        area[top : top + side, x : x + side] = _draw_disc(
            icon, side, color, choose_widget_ink(color, theme), ground
        )
        x += side + 14
    end = one.w - 16
    if right:
        wide = text_metrics.measure_width(right, 12)
        draw_widget_text(area, round(end - wide), right, _mix_quiet(ink, ground), 12, on=ground)
        end -= round(wide) + 8
    _draw_two_lines(area, x, end, one, subtitle, ink, ground)


@functools.lru_cache(maxsize=512)
def _draw_disc(icon: str, side: int, color: RGB, ink: RGB, ground: RGB) -> np.ndarray:
    """Draw an icon, or one or two letters, on a disc."""
    area = np.empty((side, side, 3), np.uint8)
    fill_area(area, ground)
    font.blend_ink(area, make_mask("disc", side), color)
    if len(icon) > 2:
        _blend_icon(area, icon, side // 2 + 2, ink)
    else:
        wide = text_metrics.measure_width(icon, 16, True)
        draw_widget_text(area, round((side - wide) / 2) + 1, icon, ink, 16, True)
    return area


def _find_row_end(one: Widget) -> int:
    """Return the width of a row up to the end of its words."""
    title = text_metrics.measure_width(one.text, one.type, one.tone == "bold")
    words = max(title, text_metrics.measure_width(one.options[0], 12))
    return min(one.w, round(words) + 76)


def _draw_two_lines(
    area: np.ndarray, x: int, end: int, one: Widget, subtitle: str, ink: RGB, ground: RGB
) -> None:
    if not one.text:
        return
    bold = one.tone == "bold"
    title = text_metrics.truncate_to_width(one.text, one.type, end - x, bold)
    high = text_metrics.LINE_HEIGHTS[one.type]
    y = (one.h - high - (16 if subtitle else 0)) // 2
    draw_widget_text(area, x, title, ink, one.type, bold, y, ground)
    if subtitle:
        subtitle = text_metrics.truncate_to_width(subtitle, 12, end - x)
        draw_widget_text(area, x, subtitle, _mix_quiet(ink, ground), 12, y=y + high, on=ground)


def _draw_switch(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw an entry of a list with a switch at its right, or with a box at its left."""
    ink = choose_widget_ink(ground, theme)
    on = _find_accent(one, theme)
    off = mix_colors(ground, ink, 0.38)
    x, end = 16, one.w - 16
    if one.group == "box":
        box = area[(one.h - 20) // 2 :][:20, x : x + 20]
        if one.value:
            _fill_round(box, on, 5, ground)
            font.blend_ink(
                box[2:18, 2:18], make_icon_mask("check", 16), choose_widget_ink(on, theme)
            )
        else:
            _outline_round(box, off, 5)
        x += 34
    else:
        wide, high = _SWITCH
        body = area[(one.h - high) // 2 :][:high, end - wide : end]
        if one.value:
            _fill_round(body, on, high // 2, ground)
            font.blend_ink(body[3:21, 23:41], make_mask("disc", 18), choose_widget_ink(on, theme))
        else:
            _outline_round(body, off, high // 2)
            font.blend_ink(body[5:19, 5:19], make_mask("disc", 14), off)
        end -= wide + 8
    _draw_two_lines(area, x, end, one, one.options[0] if one.options else "", ink, ground)


def _draw_button(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw a button: filled in its tone, tinted, or only letters ("quiet") or an icon ("bare")."""
    ink = choose_widget_ink(ground, theme)
    if one.tone == "bare":
        face = ground
    elif one.tone == "quiet":
        face, ink = ground, _choose_ink(one.group, theme, ground)
    elif one.tone == "soft":
        face = mix_colors(ground, ink, 0.09)
    else:
        face = _find_accent(one, theme)
        ink = choose_widget_ink(face, theme)
    if one.disabled:
        face, ink = mix_colors(face, ground, 0.6), mix_colors(ink, ground, 0.55)
    if face != ground:
        _fill_round(area, face, one.h // 2, ground)
    if one.options:
        _blend_icon(area, one.options[0], ICON_SIDE if one.h < 52 else 24, ink)
    else:
        _draw_middle(area, one, ink, face, bold=one.type == 14)


def is_floating(one: Widget) -> bool:
    """Return whether a widget is a large button with an icon, which lies over what scrolls."""
    return one.kind == "button" and bool(one.options) and one.w == one.h > 48 and one.tone != "soft"


def draw_floating_button(area: np.ndarray, one: Widget, theme: Theme) -> None:
    """Draw a large button with an icon over what is there."""
    face = _find_accent(one, theme)
    weights = _weigh_floating_button(one.w, one.options[0], face, choose_widget_ink(face, theme))
    font.blend_weighted_ink(area, *weights)


@functools.lru_cache(maxsize=64)
def _weigh_floating_button(
    side: int, icon: str, face: RGB, ink: RGB
) -> tuple[np.ndarray, np.ndarray]:
    area = np.empty((side, side, 3), np.uint8)
    fill_area(area, face)
    _blend_icon(area, icon, 24, ink)
    return font.weight_ink(_make_round_mask(side, side, 18), area)


def _draw_tab(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw a chip, or an entry of the bar at the bottom, which has an icon above its name."""
    ink, accent = choose_widget_ink(ground, theme), _find_accent(one, theme)
    if one.options:
        if one.value:
            pill = area[8:40, (one.w - 64) // 2 :][:, :64]
            _fill_round(pill, mix_colors(ground, accent, 0.28), 16, ground)
        else:
            ink = _mix_quiet(ink, ground)
        _blend_icon(area, one.options[0], ICON_SIDE, ink, y=13)
        wide = text_metrics.measure_width(one.text, 12, bool(one.value))
        x = round((one.w - wide) / 2)
        draw_widget_text(area, x, one.text, ink, 12, bool(one.value), y=43, on=ground)
        return
    face = accent if one.value else mix_colors(ground, ink, 0.09)
    _fill_round(area, face, one.h // 2, ground)
    _draw_middle(area, one, choose_widget_ink(face, theme), face)


def _draw_field(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    ink, value = choose_widget_ink(ground, theme), str(one.value or "")
    accent = _choose_ink(one.tone, theme, ground)
    quiet = accent if at else _mix_quiet(ink, ground)
    line = text_metrics.LINE_HEIGHTS[one.type]
    inner = area[:, FIELD_PADDING - 1 : -FIELD_PADDING + 1]
    top = (one.h - line) // 2
    if one.text and (value or at):
        top = one.h - line - 7
        draw_widget_text(inner, 1, one.text, quiet, 12, y=5, on=ground)
    elif one.text:
        draw_widget_text(inner, 1, one.text, quiet, one.type, on=ground)
    text = "•" * len(value) if one.kind == "password" else value
    caret, anchor = at or (0, 0)
    shift, wide = compute_text_shift(one, caret), text_metrics.measure_edges(text, one.type)
    low, high = sorted((min(caret, len(text)), min(anchor, len(text))))
    left, right = round(wide[low]) - shift + 1, round(wide[high]) - shift + 1
    if low != high:
        inner[top : top + line, max(0, left) : max(0, right)] = mix_colors(ground, accent, 0.35)
    draw_widget_text(
        inner, 1 - shift, text, ink, one.type, y=top, on=ground if low == high else None
    )
    if at and low == high:
        inner[top : top + line, max(0, left) : max(0, left) + 2] = accent


def _draw_area(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    ink, value = choose_widget_ink(ground, theme), str(one.value or "")
    accent = _choose_ink(one.tone, theme, ground)
    line = text_metrics.LINE_HEIGHTS[one.type]
    caret, anchor = at or (0, 0)
    low, high = min(caret, anchor), max(caret, anchor)
    start = 0
    for number, text in enumerate(value.split("\n")):
        y, wide = FIELD_PADDING + line * number, text_metrics.measure_edges(text, one.type)
        first, last = max(0, low - start), min(len(text), high - start)
        left = FIELD_PADDING + round(wide[min(first, len(text))])
        if first < last:
            right = FIELD_PADDING + round(wide[last])
            area[y : y + line, left:right] = mix_colors(ground, accent, 0.35)
        draw_widget_text(area[:, : -FIELD_PADDING + 1], FIELD_PADDING, text, ink, one.type, y=y)
        if at and low == high and 0 <= caret - start <= len(text):
            area[y : y + line, left : left + 2] = accent
        start += len(text) + 1
    if not value and one.text:
        quiet = _mix_quiet(ink, ground)
        draw_widget_text(area, FIELD_PADDING, one.text, quiet, one.type, y=FIELD_PADDING, on=ground)


def _draw_slider(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    ink = choose_widget_ink(ground, theme)
    accent = _find_accent(one, theme)
    middle, x = one.h // 2, compute_thumb_x(one)
    track = area[middle - 7 : middle + 7]
    _fill_round(track, mix_colors(ground, ink, 0.16), 7, ground)
    filled = track[:, : x + 4]
    _fill_round(filled, accent, 7, ground)
    bar = area[middle - 13 : middle + 13, x - 2 : x + 3]
    # The track ends a little before the thumb; no scrap of it is left beyond.
    start, end = max(0, x - 6), x + 7
    start, end = start if start > 10 else 0, end if end < one.w - 10 else one.w
    area[middle - 13 : middle + 13, start:end] = ground
    _fill_round(bar, _choose_ink(one.tone, theme, ground), 2, ground)


def _draw_photo(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    kind, number = one.options
    side = min(one.w, one.h)
    accent = _find_accent(one, theme)
    rim = 10 if one.value else 0
    if one.value:
        _fill_round(area, mix_colors(ground, accent, 0.3), 12, ground)
    picture = make_photo(kind, number, side - 2 * rim)
    inner = area[rim : side - rim, rim : side - rim]
    inner[:] = picture
    under = mix_colors(ground, accent, 0.3) if one.value else ground
    round_corners(inner, 10 if one.value else 6, under)
    if one.value:
        badge = area[6:30, 6:30]
        font.blend_ink(badge, make_mask("disc", 24), accent)
        font.blend_ink(
            badge[4:20, 4:20], make_icon_mask("check", 16), choose_widget_ink(accent, theme)
        )


def _draw_app(area: np.ndarray, one: Widget, theme: Theme) -> None:
    """Draw the icon of an app above its name, on a wallpaper."""
    icon, tone, side, radius = one.options
    left, color = (one.w - side) // 2, find_tone(tone, theme, theme.color("blue"))
    body = area[4 : 4 + side, left : left + side]
    face, outside = _draw_app_icon(icon, color, side, radius)
    body[:] = (body * outside + face) // 255
    wide = text_metrics.measure_width(one.text, 12)
    draw_widget_text(area, round((one.w - wide) / 2), one.text, _WHITE, 12, y=side + 9)


@functools.lru_cache(maxsize=256)
def _draw_app_icon(icon: str, color: RGB, side: int, radius: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the icon of an app, times 255, and how much is seen of what is below it (0..255)."""
    slope = np.linspace(0.18, 0.0, side)[:, None, None]  # a little paler at its top
    face = np.round(np.array(color) * (1 - slope) + 255 * slope).astype(np.uint8)
    area = np.repeat(face, side, axis=1)
    mark = _WHITE if compute_contrast(color, _WHITE) >= MIN_CONTRAST else (0, 0, 0)
    _blend_icon(area, icon, side * 9 // 16, mark)
    mask = _make_round_mask(side, side, radius)[:, :, None].astype(np.uint16)
    return area * mask, 255 - mask


def _draw_status(area: np.ndarray, one: Widget, ink: RGB, ground: RGB | None) -> None:
    """Draw the bar at the top: the time, the signs of the radio, the charge of the battery."""
    draw_widget_text(area, 18, one.text, ink, 14, True, on=ground)
    y, x = one.h // 2, one.w - 18
    body = area[y - 6 : y + 6, x - 24 : x - 2]
    body[:1], body[-1:], body[:, :1], body[:, -1:] = ink, ink, ink, ink
    area[y - 3 : y + 3, x - 2 : x] = ink
    body[3:-3, 3 : 3 + 16 * one.value // 100] = ink
    for number in range(4):
        left = x - 50 + 5 * number
        area[y + 5 - 3 * number - 2 : y + 5, left : left + 3] = ink
    x -= 72
    for icon in one.options:
        _blend_icon(area, icon, 16, ink, x, y - 8)
        x -= 20


def _draw_plain_status(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    _draw_status(area, one, choose_widget_ink(ground, theme), ground)


def _draw_keyboard(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    light = is_light(theme)
    floor = mix_colors(_find_pane_color("screen", theme), theme.ink, 0.1 if light else 0.06)
    fill_area(area, floor)
    accent = _find_accent(one, theme)
    plain = _WHITE if light else mix_colors(theme.paper, theme.ink, 0.2)
    special = mix_colors(floor, theme.ink, 0.14)
    icons = {SHIFT: "shift", BACKSPACE: "backspace", ENTER: "enter"}
    for key in place_keys(one.w, one.h, one.value or 0):
        cap = area[key.y : key.y + key.h, key.x : key.x + key.w]
        face = plain if len(key.name) == 1 else special
        if key.name == ENTER or (key.name == SHIFT and one.value == CAPITALS):
            face = accent
        _fill_round(cap, face, 9, floor)
        ink = choose_widget_ink(face, theme)
        if key.name in icons:
            _blend_icon(cap, icons[key.name], ICON_SIDE, ink)
        elif key.name != SPACE:
            text = key.name
            if text == OTHER_LAYER:
                text = "ABC" if one.value == SYMBOLS else "?123"
            size = 18 if len(text) == 1 else 14
            x = round((key.w - text_metrics.measure_width(text, size)) / 2)
            draw_widget_text(cap, x, text, ink, size, on=face)


def _draw_icon(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw an icon beside a line; its text is its name."""
    ink = choose_widget_ink(ground, theme)
    ink = _choose_ink(one.tone, theme, ground) if one.tone else _mix_quiet(ink, ground)
    _blend_icon(area, one.text, min(one.w, one.h), ink)


def _draw_bubble(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw a message: its lines on a round ground of its tone."""
    ink = choose_widget_ink(ground, theme)
    face = find_tone(one.tone, theme, mix_colors(ground, ink, 0.1))
    _fill_round(area, face, 18, ground)
    for number, line in enumerate(one.text.split("\n")):
        y = 9 + text_metrics.LINE_HEIGHTS[one.type] * number
        draw_widget_text(area, 14, line, choose_widget_ink(face, theme), one.type, y=y, on=face)


def _draw_bar(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw a thin bar, as that which shows how far a list is scrolled."""
    color = mix_colors(ground, choose_widget_ink(ground, theme), 0.12 if one.h < 4 else 0.35)
    _fill_round(area, color, min(one.w, one.h) // 2, ground)


def _draw_day(area: np.ndarray, one: Widget, theme: Theme, at: Caret, ground: RGB) -> None:
    """Draw a round cell: a day, or a letter of one."""
    ink = choose_widget_ink(ground, theme)
    face = _find_accent(one, theme) if one.value else mix_colors(ground, ink, 0.09)
    side = min(one.w, one.h)
    top, left = (one.h - side) // 2, (one.w - side) // 2
    _fill_round(area[top : top + side, left : left + side], face, side // 2, ground)
    _draw_middle(area, one, choose_widget_ink(face, theme), None, bold=bool(one.value))


def draw_map(one: Widget, theme: Theme) -> np.ndarray:
    """Draw a map, with a route if its number is given; it is shared, and not to be changed."""
    number, size = one.value % MAPS, (one.w, one.h)
    if not one.options:
        return make_map(number, *size, is_light(theme))
    return make_route_map(number, one.options[0] % ROUTES, *size, is_light(theme))


_RENDERERS = {
    "row": _draw_row,
    "check": _draw_switch,
    "button": _draw_button,
    "tab": _draw_tab,
    "field": _draw_field,
    "password": _draw_field,
    "area": _draw_area,
    "slider": _draw_slider,
    "photo": _draw_photo,
    "status": _draw_plain_status,
    "keyboard": _draw_keyboard,
    "icon": _draw_icon,
    "bubble": _draw_bubble,
    "line": _draw_bar,
    "cell": _draw_day,
}
